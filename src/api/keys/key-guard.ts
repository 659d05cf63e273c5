import type { SourceId } from "../../domain/model.ts";

/** A key that the service refused, as kept over a restart, by the HMAC of the key. */
export interface RejectedKey {
  readonly atMs: number;
  readonly why: string;
  /** Parked: used until it was refused, and not used again until it is linked again. Else: typed and refused. */
  readonly parked: boolean;
  /** Refused once, second opinion outstanding: a restart must not forget the first. */
  readonly doubted?: boolean;
  readonly serviceCode?: number;
  /** Who typed it, for the guild's share of the budget. */
  readonly guildId?: string;
}

/** How often keys may be wrong before linking stops (design 4: the ban is by address). */
export interface BadKeyBudget {
  readonly perHour: number;
  /** What one guild may spend of it: a quarter. */
  readonly perGuild: number;
}

export const BAD_KEY_BUDGET: BadKeyBudget = { perHour: 8, perGuild: 2 };

const HOUR_MS = 3_600_000;
const REMEMBERED_MS = 24 * HOUR_MS;
const SUSPICION_MS = 60_000;
const STRIKES_TO_PARK = 2;

interface Standing {
  /** When the service last took the key. */
  provenAtMs: number | undefined;
  strikes: number;
  refusedAtMs: number;
  /** A bare 403 on a command: it counts only once a GET gets one too. */
  doubted: boolean;
}

/** What a refusal of a key means. */
export type Refusal =
  /** Hold the key's other requests and ask once more with a GET. */
  | "confirm"
  | "parked"
  /** Two proven keys within a minute: it may be us. Ask with a third before anything else is believed. */
  | "suspect-us";

/**
 * Which keys are good, doubtful, parked or remembered as wrong (design 4, "403 and the body"). Pure: time comes in by
 * arguments; whoever uses it keeps `RejectedKey`s.
 */
export class KeyGuard {
  readonly #budget: BadKeyBudget;
  readonly #standings = new Map<SourceId, Standing>();
  readonly #rejected = new Map<SourceId, RejectedKey>();
  /** Distinct bad keys of the last hour, and every request that was answered so. */
  readonly #badKeys = new Map<SourceId, { atMs: number; guildId: string | undefined }>();
  #badRequestsMs: number[] = [];
  #recentProven: { readonly source: SourceId; readonly atMs: number }[] = [];
  /** Keys being proved for a guild: each may turn out bad, so each holds a part of the budget. */
  readonly #proving = new Map<SourceId, string>();

  constructor(budget: BadKeyBudget = BAD_KEY_BUDGET) {
    this.#budget = budget;
  }

  restore(source: SourceId, rejected: RejectedKey): void {
    if (rejected.doubted) {
      this.#standing(source).doubted = true;
      this.#standing(source).refusedAtMs = rejected.atMs;
      this.#badRequestsMs.push(rejected.atMs);
      return;
    }
    this.#rejected.set(source, rejected);
    this.#badKeys.set(source, { atMs: rejected.atMs, guildId: rejected.guildId });
    this.#badRequestsMs.push(rejected.atMs);
  }

  /** The service took the key in a request sent at `sentMs`: whatever spoke against it before that is gone. */
  proven(source: SourceId, sentMs: number, nowMs: number): void {
    const standing = this.#standing(source);
    // A late answer tells of a time before the key was refused.
    if (sentMs < standing.refusedAtMs) return;
    standing.provenAtMs = nowMs;
    standing.strikes = 0;
    standing.doubted = false;
  }

  isProven(source: SourceId): boolean {
    return this.#standings.get(source)?.provenAtMs !== undefined;
  }

  /** The key that the service took last, leaving out `except`: what a probe is made with. */
  lastProven(except: readonly SourceId[] = []): SourceId | undefined {
    let found: SourceId | undefined;
    let atMs = Number.NEGATIVE_INFINITY;
    for (const [source, standing] of this.#standings) {
      if (standing.provenAtMs === undefined || standing.provenAtMs <= atMs) continue;
      if (standing.strikes > 0 || standing.doubted || this.#rejected.has(source) || except.includes(source))
        continue;
      found = source;
      atMs = standing.provenAtMs;
    }
    return found;
  }

  /** A doubtful key is asked with a GET before anything else is sent with it. */
  isDoubtful(source: SourceId): boolean {
    const standing = this.#standings.get(source);
    return standing !== undefined && (standing.strikes > 0 || standing.doubted);
  }

  /** `coded`: by 2001 or 2002. `onRead`: a GET was refused. `final`: by 2004. */
  refused(
    source: SourceId,
    refusal: {
      readonly coded: boolean;
      readonly final: boolean;
      readonly onRead: boolean;
      readonly why: string;
      readonly serviceCode: number | undefined;
    },
    nowMs: number,
  ): Refusal {
    const standing = this.#standing(source);
    const wasProven = standing.provenAtMs !== undefined && standing.strikes === 0 && !standing.doubted;
    standing.refusedAtMs = nowMs;
    this.#noteBad(source, nowMs, undefined);
    if (!refusal.coded && !refusal.onRead) {
      standing.doubted = true;
      return "confirm";
    }
    // A bare 403 of the command before now counts as well.
    standing.strikes += standing.doubted ? 2 : 1;
    standing.doubted = false;
    const isSettled = refusal.final || standing.strikes >= STRIKES_TO_PARK;
    if (!isSettled && wasProven && this.#suspectsUs(source, nowMs)) return "suspect-us";
    if (isSettled || !this.#affordsOpinions(nowMs)) {
      this.#park(source, refusal.why, refusal.serviceCode, nowMs);
      return "parked";
    }
    return "confirm";
  }

  /** Whether a refused key shows that it is us: what was believed of the keys of the last minute is taken back. */
  absolve(nowMs: number): readonly SourceId[] {
    const sources = this.#recentProven
      .filter(({ atMs }) => nowMs - atMs <= SUSPICION_MS)
      .map(({ source }) => source);
    for (const source of sources) {
      this.#rejected.delete(source);
      this.#standing(source).strikes = 0;
    }
    this.#recentProven = [];
    return sources;
  }

  /** The keys whose refusal within a minute raised suspicion. */
  suspects(): readonly SourceId[] {
    return this.#recentProven.map(({ source }) => source);
  }

  parked(source: SourceId): RejectedKey | undefined {
    const rejected = this.#rejected.get(source);
    return rejected?.parked ? rejected : undefined;
  }

  get parkedCount(): number {
    let count = 0;
    for (const rejected of this.#rejected.values()) if (rejected.parked) count += 1;
    return count;
  }

  rejected(source: SourceId): RejectedKey | undefined {
    return this.#rejected.get(source);
  }

  /** What is to be kept of this key over a restart. */
  record(source: SourceId): RejectedKey | undefined {
    const rejected = this.#rejected.get(source);
    if (rejected !== undefined || !this.isDoubtful(source)) return rejected;
    const atMs = this.#standing(source).refusedAtMs;
    return { atMs, why: "refused once", parked: false, doubted: true };
  }

  /** Linked again: the key is used as if it were new. */
  unpark(source: SourceId): void {
    this.#rejected.delete(source);
    const standing = this.#standings.get(source);
    if (standing === undefined) return;
    standing.strikes = 0;
    standing.refusedAtMs = 0;
    standing.doubted = false;
  }

  /**
   * Whether a typed key may be tried: "remembered" as wrong, no part of the budget left ("guild" or "host"), or go.
   * `retryAtMs`: when asking again can have another answer.
   */
  mayProve(
    source: SourceId,
    guildId: string,
    nowMs: number,
  ):
    | { readonly go: true }
    | { readonly go: false; readonly why: "remembered" | "guild" | "host"; readonly retryAtMs: number } {
    this.#prune(nowMs);
    const known = this.#rejected.get(source);
    if (known !== undefined && nowMs < known.atMs + REMEMBERED_MS)
      return { go: false, why: "remembered", retryAtMs: known.atMs + REMEMBERED_MS };
    if (this.isProven(source)) return { go: true };
    const ofGuild = [...this.#badKeys.values()].filter((bad) => bad.guildId === guildId);
    const provingGuild = [...this.#proving.values()].filter((proving) => proving === guildId).length;
    if (ofGuild.length + provingGuild >= this.#budget.perGuild)
      return { go: false, why: "guild", retryAtMs: oldest(ofGuild, nowMs) + HOUR_MS };
    const bad = Math.max(this.#badKeys.size, this.#badRequestsMs.length);
    if (bad + this.#proving.size >= this.#budget.perHour)
      return { go: false, why: "host", retryAtMs: oldest([...this.#badKeys.values()], nowMs) + HOUR_MS };
    return { go: true };
  }

  /** A typed key is being tried; `proveEnded` gives its part of the budget back or spends it. */
  proveStarted(source: SourceId, guildId: string): void {
    this.#proving.set(source, guildId);
  }

  proveEnded(
    source: SourceId,
    guildId: string,
    rejected: { readonly why: string; readonly serviceCode: number | undefined } | undefined,
    nowMs: number,
  ): void {
    this.#proving.delete(source);
    if (rejected === undefined) return;
    this.#noteBad(source, nowMs, guildId);
    this.#rejected.set(source, {
      atMs: nowMs,
      why: rejected.why,
      parked: false,
      guildId,
      ...(rejected.serviceCode === undefined ? {} : { serviceCode: rejected.serviceCode }),
    });
  }

  /** What was kept longer than it is remembered for. Parked keys stay until they are linked again. */
  *forgotten(nowMs: number): Iterable<SourceId> {
    for (const [source, rejected] of this.#rejected) {
      if (rejected.parked || nowMs < rejected.atMs + REMEMBERED_MS) continue;
      this.#rejected.delete(source);
      yield source;
    }
  }

  #park(source: SourceId, why: string, serviceCode: number | undefined, nowMs: number): void {
    const code = serviceCode === undefined ? {} : { serviceCode };
    this.#rejected.set(source, { atMs: nowMs, why, parked: true, ...code });
    const standing = this.#standing(source);
    standing.strikes = 0;
    standing.doubted = false;
    standing.provenAtMs = undefined;
  }

  #suspectsUs(source: SourceId, nowMs: number): boolean {
    this.#recentProven = this.#recentProven.filter(
      (one) => one.source !== source && nowMs - one.atMs <= SUSPICION_MS,
    );
    this.#recentProven.push({ source, atMs: nowMs });
    return this.#recentProven.length >= 2;
  }

  #noteBad(source: SourceId, nowMs: number, guildId: string | undefined): void {
    const known = this.#badKeys.get(source);
    this.#badKeys.set(source, { atMs: nowMs, guildId: guildId ?? known?.guildId });
    this.#badRequestsMs.push(nowMs);
  }

  /** A second opinion is itself a request with a bad key: past half the budget the address matters more. */
  #affordsOpinions(nowMs: number): boolean {
    this.#prune(nowMs);
    // The refusal being judged has been noted already.
    return this.#badRequestsMs.length <= this.#budget.perHour / 2;
  }

  #prune(nowMs: number): void {
    this.#badRequestsMs = this.#badRequestsMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    for (const [source, bad] of this.#badKeys) if (nowMs - bad.atMs >= HOUR_MS) this.#badKeys.delete(source);
  }

  #standing(source: SourceId): Standing {
    let standing = this.#standings.get(source);
    if (standing === undefined) {
      standing = { provenAtMs: undefined, strikes: 0, refusedAtMs: 0, doubted: false };
      this.#standings.set(source, standing);
    }
    return standing;
  }
}

function oldest(bad: readonly { readonly atMs: number }[], nowMs: number): number {
  return bad.length === 0 ? nowMs : Math.min(...bad.map(({ atMs }) => atMs));
}
