import type { SourceId } from "../../domain/model.ts";
import { BareRefusals } from "./bare-refusals.ts";
import { type RejectedKey, RejectedKeys } from "./rejected-keys.ts";

/** When the service last took a key, coarsely, as kept over a restart. */
export interface TakenKey {
  readonly takenAtMs: number;
  /** The wave that was open then. */
  readonly wave?: string | undefined;
}

const HOUR_MS = 60 * 60_000;
const FRESH_MS = 10 * 60_000;
/** A key is fresh for this many of its polls, where polls are rare. */
const FRESH_POLLS = 2;
const LONGEST_GAP_MS = 3 * HOUR_MS;
const PACE_GAIN = 0.02;
const STRIKES_TO_PARK = 2;

interface Standing {
  /** When the service last took the key, monotonic; undefined: never, as far as is known. */
  takenMs: number | undefined;
  /** By this process. */
  isTakenNow: boolean;
  /** The wave that was open when it was last taken. */
  wave: string | undefined;
  /** Refusals without a code on reads. */
  strikes: number;
  refusedMs: number;
  /** A bare 403 on a command: it counts only once a GET gets one too. */
  doubted: boolean;
}

/** What a refusal without a code means. */
export type BareRefusal =
  /** Hold the key's other requests and ask once more with a GET. */
  | "confirm"
  /** Two opinions, and the service takes other keys. */
  | "park"
  /** It may be us: ask with another key before anything is believed. */
  | "suspect-us"
  /** The service has taken nothing yet since the start: wait before another key is risked. */
  | "nothing-known";

/**
 * Which keys are good, doubtful, parked or remembered as wrong. Pure: time comes in by arguments, monotonic (`nowMs`)
 * but where a record's wall time is named `wallMs`.
 */
export class KeyGuard {
  /** Keys that are not used, or not asked again for a day. */
  readonly rejectedKeys = new RejectedKeys();
  readonly #standings = new Map<SourceId, Standing>();
  readonly #bare = new BareRefusals();
  /** When the service last took a key of this process, and which. */
  #lastTaken: { readonly source: SourceId; readonly atMs: number } | undefined;
  /** Smoothed time from one acceptance of a key to its next. */
  #paceMs: number | undefined;

  /** Whether the service took any key since this process began. */
  get hasTakenAny(): boolean {
    return this.#lastTaken !== undefined;
  }

  restoreRejected(source: SourceId, rejected: RejectedKey, nowMs: number): void {
    if (rejected.doubted) {
      const standing = this.#standing(source);
      if (rejected.undecided) standing.strikes = STRIKES_TO_PARK;
      else standing.doubted = true;
      standing.refusedMs = nowMs;
      return;
    }
    this.rejectedKeys.set(source, rejected);
  }

  /** A time from the future says only that the key was taken once. */
  restoreTaken(
    source: SourceId,
    taken: TakenKey,
    now: { readonly ms: number; readonly wallMs: number },
  ): void {
    const ageMs = now.wallMs - taken.takenAtMs;
    const standing = this.#standing(source);
    standing.takenMs = now.ms - (ageMs < 0 ? LONGEST_GAP_MS : ageMs);
    standing.wave = taken.wave;
  }

  /** The service took the key in a request sent at `sentMs`: whatever spoke against it before that is gone. */
  taken(
    source: SourceId,
    {
      sentMs,
      nowMs,
      wave,
    }: { readonly sentMs: number; readonly nowMs: number; readonly wave: string | undefined },
  ): void {
    const standing = this.#standing(source);
    // A late answer speaks of a time before the key was refused.
    if (sentMs < standing.refusedMs) return;
    if (standing.isTakenNow && standing.takenMs !== undefined) this.#learnPace(nowMs - standing.takenMs);
    standing.takenMs = nowMs;
    standing.isTakenNow = true;
    standing.wave = wave;
    standing.strikes = 0;
    standing.doubted = false;
    this.#lastTaken = { source, atMs: nowMs };
  }

  /** The service does not show this server any more, and does not say whether that is for its key. */
  noLongerFresh(source: SourceId): void {
    this.#standing(source).takenMs = undefined;
  }

  /** Taken lately; in a wave: taken since it opened. */
  isFresh(source: SourceId, nowMs: number, wave: string | undefined): boolean {
    const standing = this.#standings.get(source);
    if (standing?.takenMs === undefined || standing.strikes > 0 || standing.doubted) return false;
    if (wave !== undefined) return standing.wave === wave;
    return nowMs - standing.takenMs <= Math.max(FRESH_MS, FRESH_POLLS * (this.#paceMs ?? 0));
  }

  /** Whether this process saw the service take the key. */
  isProven(source: SourceId): boolean {
    return this.#standings.get(source)?.isTakenNow === true;
  }

  /** When the service last took the key, monotonic; long ago when it never did. */
  takenMs(source: SourceId): number {
    return this.#standings.get(source)?.takenMs ?? Number.NEGATIVE_INFINITY;
  }

  /** The key that this process saw the service take last, leaving out `except`: what a probe is made with. */
  lastTaken(except: ReadonlySet<SourceId>): SourceId | undefined {
    const takenMs = (source: SourceId, standing: Standing) => {
      const isGood = standing.isTakenNow && standing.strikes === 0 && !standing.doubted;
      const isLeftOut = !isGood || this.rejectedKeys.has(source) || except.has(source);
      return isLeftOut ? Number.NEGATIVE_INFINITY : (standing.takenMs ?? Number.NEGATIVE_INFINITY);
    };
    // Asked at every turn of the gate while some key is silent: looking through thousands took 8 % of a process's time.
    const newest = this.#lastTaken?.source;
    const standing = newest === undefined ? undefined : this.#standings.get(newest);
    let found: SourceId | undefined;
    let atMs = Number.NEGATIVE_INFINITY;
    if (newest !== undefined && standing !== undefined && takenMs(newest, standing) > atMs) return newest;
    for (const [source, one] of this.#standings) {
      if (takenMs(source, one) <= atMs) continue;
      found = source;
      atMs = takenMs(source, one);
    }
    return found;
  }

  /** Another key that was taken: by this process, else lately by an earlier one. */
  takenBeside(except: ReadonlySet<SourceId>, nowMs: number): SourceId | undefined {
    const isGood = (source: SourceId) =>
      !except.has(source) && !this.rejectedKeys.has(source) && this.isFresh(source, nowMs, undefined);
    return this.lastTaken(except) ?? this.#standings.keys().find(isGood);
  }

  /** A doubtful key is asked with a GET before anything else is sent with it. */
  isDoubtful(source: SourceId): boolean {
    const standing = this.#standings.get(source);
    return standing !== undefined && (standing.strikes > 0 || standing.doubted);
  }

  /** Whether the service spoke against this key before. */
  isRefused(source: SourceId): boolean {
    return this.rejectedKeys.has(source) || this.isDoubtful(source);
  }

  /** A refusal without a code. On a command it says little: the owner may not have allowed commands. */
  refusedBare(source: SourceId, onRead: boolean, nowMs: number): BareRefusal {
    const standing = this.#standing(source);
    standing.refusedMs = nowMs;
    if (!onRead) {
      standing.doubted = true;
      return "confirm";
    }
    const wasStruck = standing.strikes > 0;
    // A bare 403 of the command before now counts as well.
    standing.strikes += standing.doubted ? STRIKES_TO_PARK : 1;
    standing.doubted = false;
    if (!wasStruck) this.#bare.note(source, nowMs);
    if (!this.hasTakenAny) return "nothing-known";

    if (!wasStruck && this.#bare.hasOther(source, nowMs)) return "suspect-us";
    if (standing.strikes < STRIKES_TO_PARK) return "confirm";
    return this.#othersAreTaken(source, nowMs) ? "park" : "suspect-us";
  }

  /** A typed key was refused without a code. True: so was another key within the minute. */
  noteTypedBare(source: SourceId, nowMs: number): boolean {
    this.#bare.note(source, nowMs);
    return this.#bare.hasOther(source, nowMs);
  }

  /** Whether two opinions without a code speak against the key, so that it is parked unless it is us. */
  isConvicted(source: SourceId): boolean {
    return (this.#standings.get(source)?.strikes ?? 0) >= STRIKES_TO_PARK;
  }

  /** Keys that two opinions speak against, and that are not parked since it may be us. */
  *undecided(): Iterable<SourceId> {
    for (const source of this.#standings.keys()) if (this.isConvicted(source)) yield source;
  }

  /** It is us, not these keys: nothing speaks against them any more. */
  absolve(sources: Iterable<SourceId>): void {
    for (const source of sources) {
      const standing = this.#standing(source);
      standing.strikes = 0;
      standing.doubted = false;
    }
    this.#bare.clear();
  }

  park(
    source: SourceId,
    record: { readonly why: string; readonly serviceCode?: number | undefined },
    wallMs: number,
  ) {
    const standing = this.#standing(source);
    // Refused before, too: the service does not err twice.
    const confirmed = standing.strikes > 0 || standing.doubted || undefined;
    this.rejectedKeys.set(source, { ...record, atMs: wallMs, parked: true, confirmed });
    standing.strikes = 0;
    standing.doubted = false;
    standing.takenMs = undefined;
    standing.isTakenNow = false;
  }

  /** A typed key was refused. A parked one stays parked: that it was typed again changes nothing for its guilds. */
  rejectTyped(
    source: SourceId,
    record: { readonly why: string; readonly serviceCode?: number | undefined },
    wallMs: number,
  ): void {
    if (this.parked(source) !== undefined) return;
    this.rejectedKeys.set(source, { ...record, atMs: wallMs, parked: false });
  }

  parked(source: SourceId): RejectedKey | undefined {
    const rejected = this.rejectedKeys.get(source);
    return rejected?.parked ? rejected : undefined;
  }

  /** What is to be kept of this key over a restart. */
  record(source: SourceId, wallMs: number): RejectedKey | undefined {
    const rejected = this.rejectedKeys.get(source);
    if (rejected !== undefined || !this.isDoubtful(source)) return rejected;
    const undecided = this.isConvicted(source) || undefined;
    return { atMs: wallMs, why: "refused without a reason", parked: false, doubted: true, undecided };
  }

  /** Linked again, or taken again: the key is used as if it were new. */
  unpark(source: SourceId): void {
    this.rejectedKeys.set(source, undefined);
    const standing = this.#standings.get(source);
    if (standing === undefined) return;
    standing.strikes = 0;
    standing.refusedMs = Number.NEGATIVE_INFINITY;
    standing.doubted = false;
  }

  /** Nobody has this key linked any more. That it was refused is remembered for its day. */
  forget(source: SourceId): void {
    this.#standings.delete(source);
    const known = this.rejectedKeys.get(source);
    if (known?.parked) this.rejectedKeys.set(source, { ...known, parked: false, confirmed: undefined });
  }

  /** Whether another key was taken since this one was first refused, or there is none to compare it with. */
  #othersAreTaken(source: SourceId, nowMs: number): boolean {
    const sinceMs = this.#bare.sinceMs(source, nowMs);
    const last = this.#lastTaken;
    if (last !== undefined && last.source !== source && last.atMs >= sinceMs) return true;
    return this.lastTaken(new Set([source])) === undefined;
  }

  #learnPace(gapMs: number): void {
    const clippedMs = Math.min(LONGEST_GAP_MS, gapMs);
    this.#paceMs =
      this.#paceMs === undefined ? clippedMs : this.#paceMs + PACE_GAIN * (clippedMs - this.#paceMs);
  }

  #standing(source: SourceId): Standing {
    let standing = this.#standings.get(source);
    if (standing === undefined) {
      standing = {
        takenMs: undefined,
        isTakenNow: false,
        wave: undefined,
        strikes: 0,
        refusedMs: Number.NEGATIVE_INFINITY,
        doubted: false,
      };
      this.#standings.set(source, standing);
    }
    return standing;
  }
}
