// Over 200 lines: one case from its outcome to its number; the steps share what is remembered of unfinished ones.
import type { CaseDraft, CaseTarget } from "../../domain/case.ts";
import type { Binding } from "../../domain/guild.ts";
import type { PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { GameAccounts } from "../../domain/ports/game-accounts.ts";
import type { RunRecord } from "../../domain/run.ts";
import type { CaseBook } from "./case-book.ts";
import {
  caseOfRow,
  caseOfRun,
  humanRows,
  type LoggedCommand,
  originOfRow,
  punishmentIn,
  type ReadCommand,
} from "./case-of-command.ts";
import { PossibleTargets } from "./possible-targets.ts";
import { leavesIn } from "./receipt.ts";

/** A case of a run that could not be stored is tried again after these waits, and then no more. */
const AGAIN_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
/** Runs that wait for their case, and runs under way whose targets are kept in mind. */
const MOST_WAITING = 1_000;

export interface CaseMakerPorts {
  readonly book: Pick<CaseBook, "record" | "complete" | "openOn">;
  readonly bindings: Pick<Bindings, "bySource">;
  readonly accounts: Pick<GameAccounts, "ofPlayer">;
  readonly read: ReadCommand;
  readonly clock: Clock;
  /** Players of that whole name whom the history knows. */
  findPlayers(guildId: string, name: string): Promise<readonly CaseTarget[]>;
  /** Whether this guild keeps a history at all. */
  keeps(guildId: string): Promise<boolean>;
  report(what: string, error: unknown): void;
}

/**
 * Makes cases automatically: from our own runs as their rows in the audit change, and from commands that people typed in
 * the game. Nothing waits for it; what cannot be stored is tried again while a later window still shows it.
 */
export class CaseMaker {
  readonly #ports: CaseMakerPorts;
  readonly #possible = new PossibleTargets();
  /** Of runs under way: who was there when they were sent. */
  readonly #hit = new Map<string, readonly PlayerRef[]>();
  /** By binding: rows of the window whose case is stored. */
  readonly #made = new Map<string, ReadonlySet<string>>();
  readonly #reading = new Map<SourceId, { next: Snapshot | undefined; work: Promise<void> }>();
  readonly #runs = new Map<string, Promise<void>>();
  readonly #cancels = new Set<() => void>();
  #isStopped = false;

  constructor(ports: CaseMakerPorts) {
    this.#ports = ports;
  }

  /** A row of the audit was written. Never throws and takes no time. */
  onRun(record: RunRecord): void {
    if (this.#isStopped || punishmentIn(record.text, this.#ports.read) === undefined) return;
    if (record.status === "sending") {
      const atS = Math.floor(this.#ports.clock.nowMs() / 1_000);
      if (this.#hit.size < MOST_WAITING) this.#hit.set(record.id, this.#possible.at(record.source, atS));
      return;
    }
    if (record.status !== "done" && record.status !== "unknown") {
      this.#hit.delete(record.id);
      return;
    }
    const present = this.#hit.get(record.id) ?? this.#possible.at(record.source, sentS(record));
    this.#hit.delete(record.id);
    this.#take(record, present, 0);
  }

  /** Takes in a window of the logs. Never rejects, and the caller need not wait for it. */
  take(snapshot: Snapshot): void {
    this.#possible.see(snapshot);
    if (this.#isStopped) return;
    const { source } = snapshot;
    const reading = this.#reading.get(source);
    if (reading !== undefined) {
      // A later window shows what this one does; what matters is the newest.
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

  onUnlinked({ id }: Pick<Binding, "id">): void {
    this.#made.delete(id);
  }

  /** No guild has this server linked any more. */
  forgetServer(source: SourceId): void {
    this.#possible.forget(source);
  }

  /** Nothing is begun any more; resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#cancels) cancel();
    await Promise.all([...this.#runs.values(), ...[...this.#reading.values()].map(({ work }) => work)]);
  }

  #take(record: RunRecord, present: readonly PlayerRef[], tries: number): void {
    if (this.#runs.size >= MOST_WAITING) {
      this.#ports.report("a run has no case, because too many wait", new Error(`${MOST_WAITING} wait`));
      return;
    }
    const before = this.#runs.get(record.id) ?? Promise.resolve();
    const work = before
      .then(() => this.#caseOfRun(record, present))
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
    const waitMs = AGAIN_AFTER_MS[tries];
    if (waitMs === undefined || this.#isStopped) {
      this.#ports.report("the case of a run could not be stored", error);
      return;
    }
    const cancel = this.#ports.clock.after(waitMs, () => {
      this.#cancels.delete(cancel);
      this.#take(record, present, tries + 1);
    });
    this.#cancels.add(cancel);
  }

  async #caseOfRun(record: RunRecord, present: readonly PlayerRef[]): Promise<void> {
    const { book, read } = this.#ports;
    if (!(await this.#ports.keeps(record.guildId))) return;
    const made = caseOfRun(record, present, read);
    if (made?.receipt === undefined) return;
    const draft = await this.#withAbsent(made, record.source, present);
    const { one, isNew } = await book.record(draft);
    if (!isNew) await book.complete(one.guildId, one.number, made.receipt);
  }

  /** A ban reaches somebody who is not there: a whole name that exactly one player has is that player's. */
  async #withAbsent(draft: CaseDraft, source: SourceId, present: readonly PlayerRef[]): Promise<CaseDraft> {
    const targets = await Promise.all(
      draft.targets.map(async (target) => {
        const name = target.name.toLowerCase();
        const fitsSeveral = present.some((player) => player.name.toLowerCase().startsWith(name));
        if (target.playerId !== undefined || draft.mass || fitsSeveral) return target;
        const logged = this.#possible
          .named(source, target.name)
          .map(({ name: own, id }) => ({ name: own, playerId: id }));
        const found = logged.length > 0 ? logged : await this.#ports.findPlayers(draft.guildId, target.name);
        const [only] = found;
        return only !== undefined && found.length === 1 ? only : target;
      }),
    );
    return { ...draft, targets };
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

  async #read({ source, lists }: Snapshot): Promise<void> {
    const { bindings, read, book } = this.#ports;
    const rows = humanRows(lists.commandLogs ?? []).filter(
      ({ row }) => punishmentIn(row.text, read) !== undefined,
    );
    for (const binding of await bindings.bySource(source)) {
      if (lists.commandLogs !== undefined) await this.#makeCases(binding, rows);
      for (const one of book.openOn(binding.id)) {
        const left = leavesIn(one, lists.joinLogs ?? []);
        if (left.length > 0) await book.complete(one.guildId, one.number, { left });
      }
    }
  }

  async #makeCases(binding: Binding, rows: readonly LoggedCommand[]): Promise<void> {
    const known = this.#made.get(binding.id);
    const made = new Set<string>();
    // Rows stay known as long as the window shows them, so that the next one asks for none of them again.
    this.#made.set(binding.id, made);
    const origins = rows.map((logged) => ({ logged, origin: originOfRow(binding.id, logged) }));
    for (const { origin } of origins) if (known?.has(origin) === true) made.add(origin);
    const fresh = origins.filter(({ origin }) => !made.has(origin));
    if (fresh.length === 0 || !(await this.#ports.keeps(binding.guildId))) return;
    for (const { logged, origin } of fresh) {
      await this.#makeCase(binding, logged);
      made.add(origin);
    }
  }

  async #makeCase(binding: Binding, logged: LoggedCommand): Promise<void> {
    const { accounts, book, read } = this.#ports;
    const { row } = logged;
    // What happened before the guild linked the server belongs to others.
    if (row.atS * 1_000 < binding.linkedAtMs || row.player.id === undefined) return;
    const account = await accounts.ofPlayer(binding.guildId, row.player.id);
    const present = this.#possible.at(binding.source, row.atS);
    const draft = caseOfRow(logged, { binding, present, userId: account?.userId, read });
    if (draft !== undefined) await book.record(await this.#withAbsent(draft, binding.source, present));
  }
}

function sentS({ sentAtMs, askedAtMs }: RunRecord): number {
  return Math.floor((sentAtMs ?? askedAtMs) / 1_000);
}
