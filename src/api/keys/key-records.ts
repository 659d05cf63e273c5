import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { SharedLimits, SharedUnits } from "../../domain/ports/shared-limits.ts";
import type { Log } from "../../log.ts";
import type { AskedAgain, StoredAgain } from "./asked-again.ts";
import type { KeyBudget } from "./budget.ts";
import type { KeyGuard, TakenKey } from "./key-guard.ts";
import { LatestWrite } from "./latest-write.ts";
import type { RejectedKey } from "./rejected-keys.ts";
import type { StoredTyped } from "./typed-share.ts";
import type { StoredUnits, Unit } from "./unit.ts";
import type { StoredWave, Wave } from "./wave.ts";

/** What an identity has spent of its budget of bad keys, and whether a wave is open. */
export interface StoredBudget extends StoredUnits {
  readonly wave?: StoredWave | undefined;
  /** Parked keys that are to be asked once more. */
  readonly again?: readonly StoredAgain[] | undefined;
  /** Wrong keys that were typed in the last day. */
  readonly typed?: readonly StoredTyped[] | undefined;
  /** Which process's requests with good keys are among the open requests already: killed again, they are not counted twice. */
  readonly flightsOf?: number | undefined;
  /** Written last of all by a process that stops in order: nothing that it learned is missing here. */
  readonly endedInOrder?: boolean | undefined;
}

/** Requests on their way with keys that are known to be good. */
export interface StoredOpenRequests extends StoredUnits {
  /** The process that wrote them, counted from the first on this store. */
  readonly process?: number | undefined;
}

/** Where the standing of keys is kept. */
export interface KeyDocuments {
  /** Parked and refused keys by their HMAC. */
  readonly rejected: Documents<RejectedKey>;
  /** Refusals, and requests on their way with keys of which nothing is known: written before those leave. */
  readonly budget: Documents<StoredBudget>;
  /** Requests on their way with keys that are known to be good: written before they leave, too, but not to the disk. */
  readonly openRequests: Documents<StoredOpenRequests>;
  /** When each key was last taken, to within a few minutes. */
  readonly taken: Documents<TakenKey>;
}

interface Parts {
  readonly documents: KeyDocuments;
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log | undefined;
  readonly guard: KeyGuard;
  readonly budget: KeyBudget;
  readonly wave: Wave;
  readonly again: AskedAgain;
  /** Where several processes ask from one address: what they share is known to all before a request leaves. */
  readonly shared?: Pick<SharedLimits, "takeOver" | "keep"> | undefined;
  /** Whether somebody whom this process serves has this server linked. */
  readonly isOurs: (source: SourceId) => boolean;
}

/** Ages grow while nothing is written: a restart holds what it finds at most this much longer than it has to. */
const WRITE_EVERY_MS = 60_000;
const TAKEN_EVERY_MS = 5 * 60_000;
const TAKEN_KEPT_MS = 7 * 24 * 60 * 60_000;
/** A store that fails is logged by its own users; here once in a while. */
const COMPLAIN_EVERY_MS = 60_000;

/** Keeps over a restart what the guard, the budget and the wave know. A store that fails does not stop the gate. */
export class KeyRecords {
  readonly #parts: Parts;
  readonly #budget: LatestWrite;
  readonly #openRequests: LatestWrite;
  /** How many requests with each fresh key the stored document names. */
  #listed: ReadonlyMap<SourceId, number> = new Map();
  /** The process whose open requests were taken up at the start. */
  #processBefore = 0;
  #isClosing = false;
  #mayLackHalt = false;
  /** When the time of each key was last written, monotonic, and in which wave. */
  readonly #takenWritten = new Map<SourceId, { readonly atMs: number; readonly wave: string | undefined }>();
  /** Writes of single keys, in the order in which they were asked for. */
  #writes: Promise<void> = Promise.resolve();
  #cancelBeat: (() => void) | undefined;
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { documents, identity, budget, clock } = parts;
    this.#budget = new LatestWrite(() =>
      this.#try(() => {
        const nowMs = clock.monotonicMs();
        const flightsOf = this.#processBefore;
        const kept = documents.budget.set(identity, {
          ...together(budget.stored(nowMs), budget.others.last),
          wave: parts.wave.stored(nowMs),
          again: parts.again.stored(nowMs),
          typed: budget.typed.stored(nowMs),
          flightsOf,
          endedInOrder: this.#isClosing || undefined,
        });
        return parts.shared === undefined ? kept : settleBoth(parts.shared.keep(this.own()), kept);
      }),
    );
    this.#openRequests = new LatestWrite(() =>
      this.#try(async () => {
        const stored = budget.storedFresh(clock.monotonicMs());
        this.#listed = new Map();
        await documents.openRequests.set(identity, { ...stored, process: this.#processBefore + 1 });
        this.#listed = countBySource(stored);
      }),
    );
  }

  /**
   * Whether an earlier process, which asked alone, may have been told to wait without the store knowing of it: it ended out of
   * order. Known after `restore`.
   */
  get mayLackHalt(): boolean {
    return this.#mayLackHalt;
  }

  /** Takes up what an earlier process knew; to be awaited before the first request. */
  async restore(): Promise<void> {
    const { documents, identity, guard, budget, wave, again, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const taken = await this.#parts.shared?.takeOver(this.#parts.isOurs);
    if (taken !== undefined) budget.restore(taken.units, nowMs);
    // The documents are a copy of what is shared: of use where a store was moved.
    const stored = taken?.isNew === false ? undefined : await documents.budget.get(identity);
    if (stored !== undefined) budget.restore(stored, nowMs);
    this.#mayLackHalt = taken === undefined && stored?.endedInOrder === undefined && stored !== undefined;
    budget.typed.restore(stored?.typed ?? [], nowMs);
    if (stored?.wave !== undefined) wave.restore(stored.wave, nowMs);
    const openRequests = taken?.isNew === false ? undefined : await documents.openRequests.get(identity);
    this.#processBefore = openRequests?.process ?? 0;
    const isKnown = this.#processBefore === stored?.flightsOf;
    if (openRequests !== undefined && !isKnown) budget.restore(openRequests, nowMs);

    for await (const [source, rejected] of documents.rejected.entries()) {
      guard.restoreRejected(source as SourceId, rejected, nowMs);
      if (rejected.parked) budget.settleRefused(source as SourceId, nowMs);
    }
    again.restore(guard.rejectedKeys.unconfirmed(), stored?.again ?? [], nowMs);
    const wallMs = clock.nowMs();
    for (const source of guard.rejectedKeys.dated(wallMs)) this.keepRejected(source);
    for (const source of guard.rejectedKeys.forgotten(wallMs)) this.keepRejected(source);
    for await (const [key, taken] of documents.taken.entries()) {
      const source = key as SourceId;
      if (wallMs - taken.takenAtMs > TAKEN_KEPT_MS) this.#delete(source);
      else guard.restoreTaken(source, taken, { ms: nowMs, wallMs });
    }
    // Before a request of this process replaces the open requests of the last one.
    await this.#keep();
  }

  /**
   * Resolves when a killed process would be known to have had this request on its way; undefined when it would be
   * already: what has landed stays in the document until the next write, which a host of few servers seldom needs.
   */
  beforeLeaving(unit: Unit): Promise<void> | undefined {
    if (this.#parts.shared !== undefined) return undefined;
    if (unit.risk !== "fresh") return this.#keep();
    const isListed = (this.#listed.get(unit.source) ?? 0) >= this.#parts.budget.freshInFlight(unit.source);
    return isListed ? undefined : this.#openRequests.ask();
  }

  /** What this process has spent, for the others. */
  own(): SharedUnits {
    const { budget, wave, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    return { ...budget.own(nowMs), firstsAgeMs: wave.firstsAgeMs(nowMs), wave: wave.stored(nowMs) };
  }

  /** Refusals, held units or the wave changed. */
  keepBudget(): void {
    void this.#keep();
  }

  /** A request with a fresh key was refused, or went unanswered: it is no longer on its way, but counted. */
  keepEndedFresh(): void {
    void this.#keep();
    this.#keepOpenRequests();
  }

  keepRejected(source: SourceId): void {
    const { documents, guard, clock } = this.#parts;
    this.#write(() => {
      const known = guard.record(source, clock.nowMs());
      return known === undefined ? documents.rejected.delete(source) : documents.rejected.set(source, known);
    });
  }

  /** The service took this key; written now and then, and at once the first time in a wave. */
  keepTaken(source: SourceId, wave: string | undefined): void {
    const { documents, clock } = this.#parts;
    const atMs = clock.monotonicMs();
    const written = this.#takenWritten.get(source);
    if (written !== undefined && written.wave === wave && atMs - written.atMs < TAKEN_EVERY_MS) return;
    this.#takenWritten.set(source, { atMs, wave });
    const taken: TakenKey = { takenAtMs: clock.nowMs(), wave };
    this.#write(() => documents.taken.set(source, taken));
  }

  /** Nobody uses this key any more, or it was refused. */
  forgetTaken(source: SourceId): void {
    this.#takenWritten.delete(source);
    this.#delete(source);
  }

  /** Resolves when all that was asked for is written. */
  async settled(): Promise<void> {
    await this.#writes;
    await this.#budget.settled();
    await this.#openRequests.settled();
  }

  /** Writes a last time what is spent; nothing is written by itself any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelBeat?.();
    this.#cancelBeat = () => {};
    void this.#budget.ask();
    this.#keepOpenRequests();
    await this.settled();
  }

  #keepOpenRequests(): void {
    if (this.#parts.shared === undefined) void this.#openRequests.ask();
  }

  #keep(): Promise<void> {
    this.#beat();
    return this.#budget.ask();
  }

  /** While anything is spent its age is written each minute. */
  #beat(): void {
    if (this.#cancelBeat !== undefined) return;
    const { clock, budget, wave } = this.#parts;
    this.#cancelBeat = clock.after(WRITE_EVERY_MS, () => {
      this.#cancelBeat = undefined;
      const nowMs = clock.monotonicMs();
      const isSpent = budget.bound(nowMs) > 0 || wave.current(nowMs) !== undefined;
      if (isSpent) void this.#keep();
      else void this.#budget.ask();
    });
  }

  #delete(source: SourceId): void {
    this.#write(() => this.#parts.documents.taken.delete(source));
  }

  #write(work: () => Promise<void>): void {
    this.#writes = this.#writes.then(() => this.#try(work));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const nowMs = this.#parts.clock.monotonicMs();
      if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
      this.#complainedMs = nowMs;
      this.#parts.log?.error({ err: error }, "the standing of server keys could not be kept");
    }
  }
}

/** What this process and the others have spent, as one. */
function together(own: StoredUnits, { refusals, open }: SharedUnits): StoredUnits {
  const held = open.flatMap(({ isHeld, source, ageMs, guildId }) =>
    isHeld ? { source, ageMs, guildId } : [],
  );
  return { refusals: [...own.refusals, ...refusals], open: [...own.open, ...held] };
}

/** Both are tried; rejects with the first failure. */
async function settleBoth(...works: readonly Promise<void>[]): Promise<void> {
  for (const work of await Promise.allSettled(works)) if (work.status === "rejected") throw work.reason;
}

function countBySource({ open }: StoredUnits): ReadonlyMap<SourceId, number> {
  const counts = new Map<SourceId, number>();
  for (const { source } of open) counts.set(source, (counts.get(source) ?? 0) + 1);
  return counts;
}
