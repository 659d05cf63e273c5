import { setImmediate } from "node:timers/promises";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { AuditEvent, AuditFilter, RecentRun, RunRecord } from "../../domain/run.ts";
import { findRows } from "./find-rows.ts";
import { type DayList, dayOf, type ListEntry, type ListPage, RowLists } from "./row-lists.ts";
import { ScanQueue } from "./scan-queue.ts";

export interface AuditParts {
  readonly runs: Documents<RunRecord>;
  readonly events: Documents<AuditEvent>;
  /** The lists by which rows are found: their days, and the pages of each day. */
  readonly lists: Documents<DayList>;
  readonly pages: Documents<ListPage>;
  /** A mark for each run that is not over, by its id, so that a start finds them without reading every row. */
  readonly open: Documents<{ readonly guildId: string }>;
  /**
   * Called every 25 rows of a scan. Its length decides which part of the process's time a scan may take.
   */
  pause(): Promise<void>;
}

type Kind = "runs" | "events";
type SentRow = RunRecord & { readonly sentAtMs: number };

/** Days of sent runs that are kept for each server: the latest one, and the one before for a proof over midnight. */
const SENT_DAYS = 2;
/** A sent run is listed under the time at which its sending began; the gate may have held it this long after that. */
const HELD_BY_GATE_MS = 15 * 60_000;
/** Sent runs of one server that are read at once: more than an hour of them, at one command per 5 s. */
const MOST_SENT_RUNS = 1_000;
/** Rows removed between two yields to other work. */
const YIELD_EVERY_ROWS = 25;
/** A verb is any text that somebody typed; a key of the store has to stay short. */
const VERB_CHARACTERS = 64;

const IS_OVER: Readonly<Record<RunRecord["status"], boolean>> = {
  waiting: false,
  sending: false,
  done: true,
  failed: true,
  unknown: true,
  cancelled: true,
  expired: true,
  denied: true,
};

/** The audit on the documents of a store. Its calls reject when the store does. */
export function createAuditLog(parts: AuditParts): AuditLog {
  return new StoredAudit(parts);
}

/**
 * Durable rows, and the lists by guild, person, verb and server that find them. The order of writing is mark, lists,
 * row: after a crash at any point each stored row can be found, and a list entry without a row is skipped. A stored
 * row is in its lists already, so a change of it writes only the row.
 */
class StoredAudit implements AuditLog {
  readonly #parts: AuditParts;
  readonly #lists: RowLists;
  readonly #turns = new KeyedMutex();
  readonly #scans = new ScanQueue();
  /**
   * By key: rows that are not over, as this process wrote them last. An outcome is then asked of the store without a read
   * before it: people press a button of an answer that names the outcome, and the store answers in the order of asking.
   */
  readonly #unended = new Map<string, RunRecord>();

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#lists = new RowLists(parts.lists, parts.pages);
  }

  /** A row's changes stay in order: an outcome must not be overwritten by a slower, earlier write. */
  put(record: RunRecord): Promise<void> {
    return this.#turns.take(`run/${record.id}`, async () => {
      const key = `${record.guildId}/${record.id}`;
      const before = this.#unended.get(key) ?? (await this.#parts.runs.get(key));
      // What is stored after a write that fails is not known.
      this.#unended.delete(key);
      await this.#put(key, before, record);
      if (!IS_OVER[record.status]) this.#unended.set(key, record);
    });
  }

  async #put(key: string, before: RunRecord | undefined, record: RunRecord): Promise<void> {
    const { runs, open } = this.#parts;
    const { id, guildId, askedAtMs, status } = record;
    if (!IS_OVER[status] && (before === undefined || IS_OVER[before.status])) await open.set(id, { guildId });
    if (before === undefined)
      await this.#addToLists(`${guildId}/runs`, { id, atMs: askedAtMs, also: listsBelow(record) });
    if (mayHaveBeenSent(record) && !standsAmongSent(before, record)) await this.#addToSent(record);
    await runs.set(key, record);
    if (IS_OVER[status]) await open.delete(id);
  }

  get(guildId: string, runId: string): Promise<RunRecord | undefined> {
    return this.#parts.runs.get(`${guildId}/${runId}`);
  }

  async event(event: AuditEvent): Promise<void> {
    const { id, guildId, actorId, atMs } = event;
    const key = `${guildId}/${id}`;
    const before = await this.#parts.events.get(key);
    const also = actorId === "" ? [] : [`actor/${actorId}`];
    if (before === undefined) await this.#addToLists(`${guildId}/events`, { id, atMs, also });
    await this.#parts.events.set(key, event);
  }

  async search(guildId: string, filter: AuditFilter): ReturnType<AuditLog["search"]> {
    const all = `${guildId}/runs`;
    const { runs: rows, pause } = this.#parts;
    const scan = { guildId, list: listFor(all, filter), rows, filter, pause };
    const found = await this.#scans.run(guildId, () =>
      findRows(this.#lists, { ...scan, matches: runMatcher(filter) }),
    );
    // The lists have the order of writing: a run that waited for its confirmation stands behind younger ones.
    return { ...found, rows: found.rows.toSorted((a, b) => b.askedAtMs - a.askedAtMs) };
  }

  async events(guildId: string, filter: Parameters<AuditLog["events"]>[1]): ReturnType<AuditLog["events"]> {
    const { actorId, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter;
    const { events: rows, pause } = this.#parts;
    const all = `${guildId}/events`;
    const list = actorId === undefined || actorId === "" ? all : `${all}/actor/${actorId}`;
    const matches = (event: AuditEvent) =>
      (actorId === undefined || event.actorId === actorId) && fromMs <= event.atMs && event.atMs <= toMs;
    const found = await this.#scans.run(guildId, () =>
      findRows(this.#lists, { guildId, list, rows, filter, matches, pause }),
    );
    return { ...found, rows: found.rows.toSorted((a, b) => b.atMs - a.atMs) };
  }

  async recentRuns(source: SourceId, sinceMs: number): Promise<readonly RecentRun[]> {
    const found = new Map<string, SentRow>();
    for await (const page of this.#sentSince(source, sinceMs - HELD_BY_GATE_MS)) {
      const rows = await Promise.all(page.map(({ id }) => this.#parts.runs.get(id)));
      // A run that was refused and sent again stands in the list twice.
      for (const row of rows) {
        if (row !== undefined && mayHaveBeenSent(row) && row.sentAtMs >= sinceMs) found.set(row.id, row);
      }
      if (found.size >= MOST_SENT_RUNS) break;
      await setImmediate();
    }
    return [...found.values()].sort((a, b) => a.sentAtMs - b.sentAtMs);
  }

  async *unfinished(): AsyncGenerator<RunRecord> {
    for await (const [id, { guildId }] of this.#parts.open.entries()) {
      const record = await this.get(guildId, id);
      // The mark is written first: without a row nothing was promised and nothing was sent.
      if (record === undefined || IS_OVER[record.status]) await this.#parts.open.delete(id);
      else yield record;
    }
  }

  async prune(guildId: string, beforeMs: number): Promise<number> {
    return (await this.#prune(guildId, "runs", beforeMs)) + (await this.#prune(guildId, "events", beforeMs));
  }

  async #addToLists(list: string, { id, atMs, also = [] }: ListEntry): Promise<void> {
    // The full list is written first, because removal finds the other lists by its entries.
    await this.#lists.append(list, { id, atMs, ...(also.length === 0 ? {} : { also }) });
    await Promise.all(also.map((below) => this.#lists.append(`${list}/${below}`, { id, atMs })));
  }

  /** Lists a sent run under its server. Only the latest days are ever asked for, so older ones are removed. */
  async #addToSent(record: SentRow): Promise<void> {
    const list = sentList(record.source);
    await this.#lists.append(list, { id: `${record.guildId}/${record.id}`, atMs: record.sentAtMs });
    for (const day of (await this.#lists.days(list)).slice(0, -SENT_DAYS)) {
      await this.#lists.removeDay(list, day);
    }
  }

  /** Pages newest first, ending at the first page without an entry of the time asked for. */
  async *#sentSince(source: SourceId, sinceMs: number): AsyncGenerator<readonly ListEntry[]> {
    const list = sentList(source);
    for (const day of [...(await this.#lists.days(list))].reverse()) {
      if (day < dayOf(sinceMs)) return;
      for await (const page of this.#lists.pagesOf(list, day)) {
        const wanted = page.filter(({ atMs }) => atMs >= sinceMs);
        if (wanted.length === 0) return;
        yield wanted;
      }
    }
  }

  /** Removes whole days only: the day of the bound itself stays until it is over. */
  async #prune(guildId: string, kind: Kind, beforeMs: number): Promise<number> {
    const list = `${guildId}/${kind}`;
    const isOld = (day: string) => day < dayOf(beforeMs);
    let removed = 0;
    for (const day of (await this.#lists.days(list)).filter(isOld)) {
      for await (const page of this.#lists.pagesOf(list, day)) {
        removed += await this.#removeRows(guildId, kind, page);
        const also = new Set(page.flatMap((entry) => entry.also ?? []));
        for (const below of also) await this.#lists.removeDay(`${list}/${below}`, day);
      }
      // The day is removed last, so that after a crash the next prune finds what is left of it.
      await this.#lists.removeDay(list, day);
    }
    return removed;
  }

  async #removeRows(
    guildId: string,
    kind: Kind,
    entries: readonly { readonly id: string }[],
  ): Promise<number> {
    const rows: Documents<unknown> = kind === "runs" ? this.#parts.runs : this.#parts.events;
    for (const [index, { id }] of entries.entries()) {
      await rows.delete(`${guildId}/${id}`);
      if (index % YIELD_EVERY_ROWS === YIELD_EVERY_ROWS - 1) await setImmediate();
    }
    return entries.length;
  }
}

function sentList(source: SourceId): string {
  return `sent/${source}`;
}

function listsBelow({ actorId, verb, bindingId }: RunRecord): readonly string[] {
  return [`actor/${actorId}`, ...(verb === undefined ? [] : [verbList(verb)]), `server/${bindingId}`];
}

/** Encoded and cut, because a typed verb may hold half a surrogate, a slash or a thousand characters. */
function verbList(verb: string): string {
  return `verb/${Buffer.from(verb).toString("base64url").slice(0, VERB_CHARACTERS)}`;
}

/** Of the lists that hold every match of the filter, the one that is likely to be the shortest. */
function listFor(all: string, { actorId, verb, bindingId }: AuditFilter): string {
  if (actorId !== undefined) return `${all}/actor/${actorId}`;
  if (verb !== undefined) return `${all}/${verbList(verb)}`;
  return bindingId === undefined ? all : `${all}/server/${bindingId}`;
}

function mayHaveBeenSent(record: RunRecord): record is SentRow {
  return record.sentAtMs !== undefined && (record.status === "sending" || record.ran !== "no");
}

/** Whether an earlier state of the row was already added to the list of sent runs. */
function standsAmongSent(before: RunRecord | undefined, { source, sentAtMs }: SentRow): boolean {
  if (before === undefined || !mayHaveBeenSent(before) || before.source !== source) return false;
  return dayOf(before.sentAtMs) === dayOf(sentAtMs);
}

/** People read these in the place of an id. */
function namesOf({ hit = [], byId = [] }: RunRecord): readonly string[] {
  return [...hit, ...byId.map(({ name }) => name)];
}

function runMatcher(filter: AuditFilter): (record: RunRecord) => boolean {
  const { actorId, bindingId, verb, text, status, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter;
  const part = text?.toLowerCase();
  return (record) =>
    (actorId === undefined || record.actorId === actorId) &&
    (bindingId === undefined || record.bindingId === bindingId) &&
    (verb === undefined || record.verb === verb) &&
    (status === undefined || record.status === status) &&
    !(filter.withoutDenied === true && record.status === "denied") &&
    (part === undefined ||
      [record.text, ...namesOf(record)].some((one) => one.toLowerCase().includes(part))) &&
    fromMs <= record.askedAtMs &&
    record.askedAtMs <= toMs;
}
