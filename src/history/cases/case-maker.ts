import { serviceAheadS } from "../../domain/clocks-apart.ts";
import type { Binding } from "../../domain/guild.ts";
import { guildOf } from "../../domain/journal-id.ts";
import type { PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { GameAccounts } from "../../domain/ports/game-accounts.ts";
import type { JournalLooks, JournalReader } from "../../domain/ports/journal.ts";
import { provenPlayer } from "../../domain/proven-account.ts";
import type { RunRecord } from "../../domain/run.ts";
import type { WhoWasThere } from "../who-was-there.ts";
import type { CaseBook } from "./case-book.ts";
import {
  caseOfRow,
  caseOfRun,
  humanCommand,
  humanRows,
  type LoggedCommand,
  originOfRow,
  punishmentIn,
  type ReadCommand,
  undoOfRun,
} from "./case-of-command.ts";
import { type NamedAwayPorts, namedAway } from "./named-away.ts";
import { leavesIn } from "./receipt.ts";
import { SetAside } from "./set-aside.ts";
import type { UnstoredCase } from "./unstored-case.ts";

/** A case of a run that could not be stored is tried again after these waits, then after the last of them each time. */
const AGAIN_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
const AGAIN_AT_LAST_MS = 600_000;
/** A run so old gets no case any more. */
const OLDEST_MS = 7 * 24 * 60 * 60_000;
/** Runs that wait for their case, and runs under way whose targets are kept in mind. */
const MOST_WAITING = 1_000;

export interface CaseMakerPorts extends NamedAwayPorts {
  readonly book: Pick<CaseBook, "record" | "complete" | "undo" | "tell" | "openOn">;
  readonly bindings: Pick<Bindings, "bySource">;
  readonly accounts: Pick<GameAccounts, "of" | "ofPlayer">;
  readonly read: ReadCommand;
  readonly clock: Clock;
  readonly journal: Pick<JournalLooks, "reader">;
  readonly audit: Pick<AuditLog, "get">;
  /** Runs whose case is not stored: they get it although the process ends meanwhile. */
  readonly unstored: Documents<UnstoredCase>;
  /** Who was in the servers: hears of each answer before this does. */
  readonly there: Pick<WhoWasThere, "at" | "atOurs" | "named" | "forget">;
  /** Whether this guild keeps a history at all. */
  keeps(guildId: string): Promise<boolean>;
  report(what: string, error: unknown): void;
}

/**
 * Makes cases automatically: from our own runs as their rows in the audit change, and from commands that people typed in
 * the game. Nothing waits for it; what cannot be stored is tried again with each later answer.
 */
export class CaseMaker {
  readonly #ports: CaseMakerPorts;
  /** Of runs under way: who was there when they were sent. */
  readonly #hit = new Map<string, readonly PlayerRef[]>();
  readonly #log: JournalReader;
  readonly #setAside: SetAside;
  readonly #reading = new Map<SourceId, { next: Snapshot | undefined; work: Promise<void> }>();
  readonly #runs = new Map<string, Promise<void>>();
  /** Runs that stand among the unstored. */
  readonly #noted = new Set<string>();
  readonly #cancels = new Set<() => void>();
  #isStopped = false;

  constructor(ports: CaseMakerPorts) {
    this.#ports = ports;
    this.#log = ports.journal.reader("cases", "window", { logs: ["commandLogs"] });
    this.#setAside = new SetAside(ports);
  }

  /** A row of the audit was written. Never throws and takes no time. */
  onRun(record: RunRecord): void {
    const { undoes, tells = undoes, text } = record;
    const isOne = tells !== undefined || punishmentIn(text, this.#ports.read) !== undefined;
    if (this.#isStopped || !isOne) return;
    if (record.status === "sending") {
      const atS = Math.floor(this.#ports.clock.nowMs() / 1_000);
      const present = this.#ports.there.atOurs(record.source, atS);
      if (this.#hit.size < MOST_WAITING) this.#hit.set(record.id, present);
      this.#note(record, present);
      return;
    }
    if (record.status !== "done" && record.status !== "unknown") {
      this.#hit.delete(record.id);
      this.#forget(record.id);
      return;
    }
    const present = this.#hit.get(record.id) ?? this.#ports.there.atOurs(record.source, sentS(record));
    this.#hit.delete(record.id);
    this.#take(record, present, 0);
  }

  /** Takes in what an answer brought. Never rejects, and the caller need not wait for it. */
  take(snapshot: Snapshot): void {
    if (this.#isStopped) return;
    const { source } = snapshot;
    const reading = this.#reading.get(source);
    if (reading !== undefined) {
      // What this one brought comes with it.
      reading.next = snapshot;
      return;
    }
    const entry: { next: Snapshot | undefined; work: Promise<void> } = {
      next: undefined,
      work: Promise.resolve(),
    };
    this.#reading.set(source, entry);
    entry.work = this.#readAll(entry, snapshot).finally(() => this.#reading.delete(source));
  }

  /** No guild has this server linked any more. */
  forgetServer(source: SourceId): void {
    this.#ports.there.forget(source);
  }

  /** Takes up runs that an earlier process left without a case. Rejects when the store fails. */
  async recover(): Promise<void> {
    const { unstored, audit, clock } = this.#ports;
    for await (const [id, { guildId, present }] of unstored.entries()) {
      if (this.#noted.has(id)) continue;
      this.#noted.add(id);
      const record = await audit.get(guildId, id);
      const isOld = record !== undefined && clock.nowMs() - sentS(record) * 1_000 > OLDEST_MS;
      if (record === undefined || isOld) this.#forget(id);
      else if (record.status === "sending") this.#hit.set(id, present.map(refOf));
      else if (record.status === "done" || record.status === "unknown")
        this.#take(record, present.map(refOf), 0);
      else this.#forget(id);
    }
  }

  /** Nothing is begun any more; resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all([...this.#runs.values(), ...[...this.#reading.values()].map(({ work }) => work)]);
  }

  #take(record: RunRecord, present: readonly PlayerRef[], tries: number): void {
    if (this.#runs.size >= MOST_WAITING) {
      this.#ports.report("a run got no case: too many are waiting", new Error(`${MOST_WAITING} wait`));
      return;
    }
    const before = this.#runs.get(record.id) ?? Promise.resolve();
    const work = before
      .then(() => this.#caseOfRun(record, present))
      .then(() => this.#undo(record))
      .then(() => this.#ports.book.tell(record))
      .then(() => this.#forget(record.id))
      .catch((error: unknown) => this.#again(record, present, { tries, error }))
      .finally(() => {
        if (this.#runs.get(record.id) === work) this.#runs.delete(record.id);
      });
    this.#runs.set(record.id, work);
  }

  #again(
    record: RunRecord,
    present: readonly PlayerRef[],
    { tries, error }: { readonly tries: number; readonly error: unknown },
  ): void {
    if (!this.#noted.has(record.id)) this.#note(record, present);
    // Where it is not tried again here, the next start does: the run stands among the unstored.
    const isTooMany = this.#cancels.size >= MOST_WAITING;
    if (tries === AGAIN_AFTER_MS.length || isTooMany || this.#isStopped)
      this.#ports.report("the case of a run could not be stored", error);
    if (isTooMany || this.#isStopped) return;
    const waitMs = AGAIN_AFTER_MS[tries] ?? AGAIN_AT_LAST_MS;
    const cancel = this.#ports.clock.after(waitMs, () => {
      this.#cancels.delete(cancel);
      this.#take(record, present, tries + 1);
    });
    this.#cancels.add(cancel);
  }

  #note({ id, guildId }: RunRecord, present: readonly PlayerRef[]): void {
    this.#noted.add(id);
    this.#ports.unstored
      .set(id, { guildId, present: [...present] })
      .catch((error: unknown) => this.#ports.report("a run could not be noted until it has its case", error));
  }

  /** Its case is stored, or it gets none. */
  #forget(id: string): void {
    if (!this.#noted.delete(id)) return;
    this.#ports.unstored
      .delete(id)
      .catch((error: unknown) => this.#ports.report("a run is still noted although it has its case", error));
  }

  async #caseOfRun(record: RunRecord, present: readonly PlayerRef[]): Promise<void> {
    const { book, read, accounts } = this.#ports;
    const { guildId, source, text, actorId } = record;
    const punishment = punishmentIn(text, read);
    if (punishment === undefined || !(await this.#ports.keeps(guildId))) return;
    const absent = await namedAway(this.#ports, { guildId, source }, { aim: punishment.aim, present });
    const self = provenPlayer(await accounts.of(guildId, actorId));
    const made = caseOfRun(record, { present, absent, self }, read);
    if (made?.receipt === undefined) return;
    const { one, isNew } = await book.record(made);
    if (!isNew) await book.complete(one.guildId, one.number, made.receipt);
  }

  /** The case that it took back may wait for the database itself. */
  async #undo(record: RunRecord): Promise<void> {
    const undo = undoOfRun(record);
    if (undo === undefined) return;
    const { book, unstored } = this.#ports;
    const { undoneId, ...of } = undo;
    await this.#runs.get(undoneId);
    if (await book.undo(record.guildId, undoneId, of)) return;
    if ((await unstored.get(undoneId)) !== undefined) throw new Error("the case of what was undone waits");
  }

  async #readAll(entry: { next: Snapshot | undefined }, first: Snapshot): Promise<void> {
    for (let snapshot: Snapshot | undefined = first; snapshot !== undefined; ) {
      entry.next = undefined;
      try {
        await this.#read(snapshot);
      } catch (error) {
        this.#ports.report("cases of the game's log could not be stored", error);
      }
      snapshot = this.#isStopped ? undefined : entry.next;
    }
  }

  async #read(look: Snapshot): Promise<void> {
    const { bindings, book } = this.#ports;
    const { lists } = look;
    const linked = await bindings.bySource(look.source);
    const failures: unknown[] = [];
    for (const { log, isFirst, items, done, failed } of await this.#log.unread(look)) {
      const ofLog: unknown[] = [];
      const guildId = guildOf(log.source);
      const readers = linked.filter((one) => guildId === undefined || one.guildId === guildId);
      const rows = isFirst ? humanRows(lists.commandLogs ?? []) : items.flatMap(humanCommand);
      for (const binding of readers) ofLog.push(...(await this.#makeCases(binding, rows)));
      if (ofLog.length === 0) done();
      else failed(ofLog[0]);
      failures.push(...ofLog);
    }
    for (const one of linked.flatMap(({ id }) => book.openOn(id))) {
      const left = leavesIn(one, lists.joinLogs ?? [], serviceAheadS(look));
      if (left.length > 0) await book.complete(one.guildId, one.number, { left });
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Answers what failed and has to be tried again: the same row is the same case. */
  async #makeCases(binding: Binding, logged: readonly LoggedCommand[]): Promise<readonly unknown[]> {
    const rows = logged.filter(({ row }) => punishmentIn(row.text, this.#ports.read) !== undefined);
    if (rows.length === 0 || !(await this.#ports.keeps(binding.guildId))) return [];
    const failures: unknown[] = [];
    // The order of the log is not known; numbers follow time.
    for (const one of rows.toSorted((a, b) => a.row.atS - b.row.atS)) {
      const origin = originOfRow(binding.id, one);
      if (this.#setAside.has(origin)) continue;
      await this.#makeCase(binding, one).catch((error: unknown) => {
        this.#setAside.onFailed(origin, error);
        failures.push(error);
      });
    }
    return failures;
  }

  async #makeCase(binding: Binding, logged: LoggedCommand): Promise<void> {
    const { accounts, book, read } = this.#ports;
    const { row } = logged;
    // What happened before the guild linked the server belongs to others.
    if (row.atS * 1_000 < binding.linkedAtMs || row.player.id === undefined) return;
    const punishment = punishmentIn(row.text, read);
    if (punishment === undefined) return;
    const account = await accounts.ofPlayer(binding.guildId, row.player.id);
    const present = this.#ports.there.at(binding.source, row.atS);
    const absent = await namedAway(this.#ports, binding, { aim: punishment.aim, present });
    const draft = caseOfRow(logged, { binding, around: { present, absent }, userId: account?.userId, read });
    if (draft !== undefined) await book.record(draft);
  }
}

function refOf({ name, id }: UnstoredCase["present"][number]): PlayerRef {
  return id === undefined ? { name } : { name, id };
}

function sentS({ sentAtMs, askedAtMs }: RunRecord): number {
  return Math.floor((sentAtMs ?? askedAtMs) / 1_000);
}
