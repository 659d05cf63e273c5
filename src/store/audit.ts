import { setImmediate } from "node:timers/promises";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { SourceId } from "../domain/model.ts";
import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { AuditEvent, AuditFilter, RecentRun, RunRecord } from "../domain/run.ts";

/** Which ids a guild has on one day (UTC): the store has no queries, so days are the index. */
export interface DayIndex {
  readonly ids: readonly string[];
}

/** The days on which a guild has anything, ascending. */
export interface DayList {
  readonly days: readonly string[];
}

export interface AuditParts {
  readonly runs: Documents<RunRecord>;
  readonly events: Documents<AuditEvent>;
  /** By `guild/kind` the list of days, by `guild/kind/day` the ids of that day. */
  readonly days: Documents<DayList>;
  readonly index: Documents<DayIndex>;
  /** A mark for each run that is not over, by its id: what a crash left behind is found without reading all. */
  readonly open: Documents<{ readonly guildId: string }>;
}

type Kind = "runs" | "events";

/** The end of the year 9999: beyond it days would no longer sort as text. */
const lastDateMs = Date.UTC(9999, 11, 31);
/** How many rows are read before other work has its turn: sqlite answers without ever waiting. */
const breathRows = 100;

/** Days with sent runs that are kept by server: the latest, and the one before for what spans midnight. */
const SENT_DAYS = 2;

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

const over: Readonly<Record<RunRecord["status"], boolean>> = {
  waiting: false,
  sending: false,
  done: true,
  failed: true,
  unknown: true,
  cancelled: true,
  expired: true,
  denied: true,
};

/**
 * The audit (design 6): durable rows, an index by day. The order of writing is mark, index, row: whatever a crash
 * leaves out, a row that is there can be found, and an index entry without a row is skipped.
 */
export function createAuditLog(parts: AuditParts): AuditLog {
  const turns = new KeyedMutex();

  async function addToIndex(guildId: string, kind: Kind, atMs: number, id: string): Promise<void> {
    const day = dayOf(atMs);
    const list = `${guildId}/${kind}`;
    await turns.take(list, async () => {
      const { days } = (await parts.days.get(list)) ?? { days: [] };
      if (!days.includes(day)) await parts.days.set(list, { days: [...days, day].sort() });
      const { ids } = (await parts.index.get(`${list}/${day}`)) ?? { ids: [] };
      if (!ids.includes(id)) await parts.index.set(`${list}/${day}`, { ids: [...ids, id] });
    });
  }

  /** Ids of a guild, newest day first, within the days that the bounds touch. */
  async function* idsOf(guildId: string, kind: Kind, fromMs: number, toMs: number): AsyncGenerator<string> {
    const list = `${guildId}/${kind}`;
    const { days } = (await parts.days.get(list)) ?? { days: [] };
    // Days are text that sorts like time; the bounds may lie outside of what a date can hold.
    const from = fromMs <= 0 ? "" : dayOf(Math.min(fromMs, lastDateMs));
    const to = dayOf(Math.max(0, Math.min(toMs, lastDateMs)));
    for (const day of days.filter((one) => from <= one && one <= to).reverse()) {
      const { ids } = (await parts.index.get(`${list}/${day}`)) ?? { ids: [] };
      yield* [...ids].reverse();
    }
  }

  async function searched<T>(
    documents: Documents<T>,
    ids: AsyncIterable<string>,
    guildId: string,
    matches: (row: T) => boolean,
    limit: number,
  ): Promise<T[]> {
    const found: T[] = [];
    let read = 0;
    for await (const id of ids) {
      if (found.length >= limit) break;
      const row = await documents.get(`${guildId}/${id}`);
      if (row !== undefined && matches(row)) found.push(row);
      if (++read % breathRows === 0) await setImmediate();
    }
    return found;
  }

  /** Sent runs by server, found apart from all others. Only the last days are ever asked for: older ones go. */
  async function noteSent(record: RunRecord): Promise<void> {
    if (!mayHaveBeenSent(record)) return;
    const list = `sent/${record.source}`;
    const day = dayOf(record.sentAtMs);
    const id = `${record.guildId}/${record.id}`;
    await turns.take(list, async () => {
      const { days } = (await parts.days.get(list)) ?? { days: [] };
      if (!days.includes(day)) {
        const kept = [...days, day].sort();
        for (const old of kept.slice(0, -SENT_DAYS)) await parts.index.delete(`${list}/${old}`);
        await parts.days.set(list, { days: kept.slice(-SENT_DAYS) });
      }
      const { ids } = (await parts.index.get(`${list}/${day}`)) ?? { ids: [] };
      if (!ids.includes(id)) await parts.index.set(`${list}/${day}`, { ids: [...ids, id] });
    });
  }

  async function recentRuns(source: SourceId, sinceMs: number): Promise<readonly RecentRun[]> {
    const list = `sent/${source}`;
    const { days } = (await parts.days.get(list)) ?? { days: [] };
    const found: RecentRun[] = [];
    for (const day of days.filter((one) => one >= dayOf(Math.max(0, sinceMs)))) {
      const { ids } = (await parts.index.get(`${list}/${day}`)) ?? { ids: [] };
      for (const id of ids) {
        const row = await parts.runs.get(id);
        if (row !== undefined && mayHaveBeenSent(row) && row.sentAtMs >= sinceMs) found.push(row);
      }
    }
    return found.sort((a, b) => a.sentAtMs - b.sentAtMs);
  }

  async function removeDay(guildId: string, kind: Kind, day: string): Promise<number> {
    const list = `${guildId}/${kind}`;
    const { ids } = (await parts.index.get(`${list}/${day}`)) ?? { ids: [] };
    const documents: Documents<unknown> = kind === "runs" ? parts.runs : parts.events;
    for (const id of ids) await documents.delete(`${guildId}/${id}`);
    await parts.index.delete(`${list}/${day}`);
    return ids.length;
  }

  async function pruneKind(guildId: string, kind: Kind, beforeMs: number): Promise<number> {
    const list = `${guildId}/${kind}`;
    return turns.take(list, async () => {
      const { days } = (await parts.days.get(list)) ?? { days: [] };
      // Whole days only: the day that the bound falls into is kept until it is over.
      const gone = days.filter((day) => day < dayOf(beforeMs));
      let removed = 0;
      for (const day of gone) removed += await removeDay(guildId, kind, day);
      if (gone.length > 0) await parts.days.set(list, { days: days.filter((day) => !gone.includes(day)) });
      return removed;
    });
  }

  return {
    async put(record) {
      const { id, guildId, askedAtMs, status } = record;
      // A row's changes stay in order: an outcome must not be overwritten by a slower, earlier write.
      await turns.take(`run/${id}`, async () => {
        if (!over[status]) await parts.open.set(id, { guildId });
        await addToIndex(guildId, "runs", askedAtMs, id);
        await noteSent(record);
        await parts.runs.set(`${guildId}/${id}`, record);
        if (over[status]) await parts.open.delete(id);
      });
    },
    get: (guildId, runId) => parts.runs.get(`${guildId}/${runId}`),
    async event(event) {
      await addToIndex(event.guildId, "events", event.atMs, event.id);
      await parts.events.set(`${event.guildId}/${event.id}`, event);
    },
    async search(guildId, filter) {
      const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, limit = 50 } = filter;
      const ids = idsOf(guildId, "runs", fromMs, toMs);
      const found = await searched(parts.runs, ids, guildId, runMatcher(filter), limit);
      // The index has the order of writing: a run that waited for its confirmation stands behind younger ones.
      return found.sort((a, b) => b.askedAtMs - a.askedAtMs);
    },
    async events(guildId, { actorId, fromMs = 0, toMs = Number.POSITIVE_INFINITY, limit = 50 }) {
      const matches = (event: AuditEvent) =>
        (actorId === undefined || event.actorId === actorId) && fromMs <= event.atMs && event.atMs <= toMs;
      const ids = idsOf(guildId, "events", fromMs, toMs);
      const found = await searched(parts.events, ids, guildId, matches, limit);
      return found.sort((a, b) => b.atMs - a.atMs);
    },
    recentRuns,
    async *unfinished() {
      for await (const [id, { guildId }] of parts.open.entries()) {
        const record = await parts.runs.get(`${guildId}/${id}`);
        // The mark is written first: without a row nothing was promised and nothing was sent.
        if (record === undefined || over[record.status]) await parts.open.delete(id);
        else yield record;
      }
    },
    async prune(guildId, beforeMs) {
      return (await pruneKind(guildId, "runs", beforeMs)) + (await pruneKind(guildId, "events", beforeMs));
    },
  };
}

function mayHaveBeenSent(record: RunRecord): record is RunRecord & { readonly sentAtMs: number } {
  return record.sentAtMs !== undefined && (record.status === "sending" || record.ran !== "no");
}

function runMatcher(filter: AuditFilter): (record: RunRecord) => boolean {
  const { actorId, bindingId, verb, text, status, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter;
  const part = text?.toLowerCase();
  return (record) =>
    (actorId === undefined || record.actorId === actorId) &&
    (bindingId === undefined || record.bindingId === bindingId) &&
    (verb === undefined || record.verb === verb) &&
    (status === undefined || record.status === status) &&
    (part === undefined || record.text.toLowerCase().includes(part)) &&
    fromMs <= record.askedAtMs &&
    record.askedAtMs <= toMs;
}
