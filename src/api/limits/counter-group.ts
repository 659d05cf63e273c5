import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import { Bucket } from "./bucket.ts";
import { FarResets } from "./far-resets.ts";
import { type KeyedAnswer, SeparateCounters } from "./separate-counters.ts";
import { type ServerClock, WOBBLE_MS } from "./server-clock.ts";

/** A bucket under its hashed name, for /state and the log. */
export interface CounterState {
  readonly hash: string;
  readonly bucket: Bucket;
}

/** An answer that named this bucket. */
export interface CounterAnswer extends KeyedAnswer {
  /** By a 429, which shows nothing of where a key is counted. */
  readonly refused: boolean;
}

/** One counter of the service's, and the keys that are known to be counted there. */
interface Group {
  readonly named: { hash: string; readonly bucket: Bucket };
  members: number;
  last: KeyedAnswer | undefined;
  /** Every limit that answers have named for it. */
  readonly limits: Set<number>;
}

/** So many sure contradictions give a key a counter of its own: a single one may be a service that just restarted. */
const SURE_CHARGES_TO_SPLIT = 2;
/** A limit that was told longer ago may have changed and changed back since. */
const SAME_LIMIT_MS = 120_000;
/** Resets that wobble look like contradictions, but rarely three times in a row. */
const DOUBTS_TO_SPLIT = 3;

/** One name of the service's. Usually one counter; where keys show what one counter cannot, several. */
export class CounterGroup {
  #hash: string;
  readonly #clock: ServerClock;
  #groups: Group[] = [];
  #made = 0;
  readonly #groupOf = new Map<SourceId, Group>();
  /** The limit that the latest answer to each key named. */
  readonly #limitOf = new Map<SourceId, { readonly limit: number; readonly readMs: number }>();
  /** Contradictions that a key has shown. */
  readonly #charges = new Map<SourceId, number>();
  /** Contradictions in a row that a wobble of the resets would explain as well. */
  readonly #doubts = new Map<SourceId, number>();
  readonly #separateKeys: SeparateCounters;
  readonly #farResets = new FarResets();
  /** Keys that were taken for counters of their own and turned out to share one. */
  readonly #joined = new Set<SourceId>();
  /** Servers with different limits were met under this name: from then on its limit says where a key is counted. */
  #isMixed = false;

  constructor(hash: string, clock: ServerClock) {
    this.#hash = hash;
    this.#clock = clock;
    this.#separateKeys = new SeparateCounters(clock);
    this.#add();
  }

  get hash(): string {
    return this.#hash;
  }

  /** The service changed the name: processes that share find each other by the present one. */
  rename(hash: string): void {
    for (const { named } of this.#groups) named.hash = named.hash.replace(this.#hash, hash);
    this.#hash = hash;
  }

  get buckets(): readonly CounterState[] {
    return this.#groups.map(({ named }) => named);
  }

  /** Whether its keys are counted by more than one counter. */
  get isSplit(): boolean {
    return this.#groups.length > 1;
  }

  /** Where most keys are counted. */
  get largest(): CounterState {
    return this.#largest().named;
  }

  /** Where a key is counted, once that is known. */
  of(source: SourceId): CounterState | undefined {
    return this.#groupOf.get(source)?.named;
  }

  /** A key that will not be used again. */
  forget(source: SourceId): void {
    const group = this.#groupOf.get(source);
    if (group !== undefined) group.members -= 1;
    this.#groupOf.delete(source);
    this.#limitOf.delete(source);
    this.#charges.delete(source);
    this.#doubts.delete(source);
    this.#joined.delete(source);
    this.#separateKeys.forget(source);
    this.#farResets.forget(source);
  }

  /** Others spend from what was taken for this key's own counter: it goes back to most keys. False: it shared before. */
  join(source: SourceId): boolean {
    const group = this.#groupOf.get(source);
    const largest = this.#largest();
    if (group === undefined || group.members > 1 || group === largest || this.#isMixed) return false;
    this.#joined.add(source);
    this.#move(source, largest);
    return true;
  }

  /**
   * Finds the counter that an answer speaks of. `odd`: its key's own counter cannot have said this, and it is not known
   * yet which did. `regrouped`: other keys turned out to be counted elsewhere than was thought, too.
   */
  assign(answer: CounterAnswer): {
    readonly named: CounterState;
    readonly odd: boolean;
    readonly regrouped: boolean;
  } {
    const { source, quota, refused } = answer;
    const expected = this.#expected(source, quota.limit);
    if (this.#farResets.doubts(answer, expected.named.bucket))
      return { named: expected.named, odd: true, regrouped: false };
    const isMixed = !this.#isMixed && this.#showsMixture(answer);
    this.#limitOf.set(source, { limit: quota.limit, readMs: answer.readMs });
    if (isMixed) this.#sortByLimit();
    const areApart = !refused && this.#separateCounters(answer);

    const own = this.#expected(source, quota.limit);
    const group = refused ? own : this.#counterOf(own, answer);
    const regrouped = isMixed || areApart;
    if (group === undefined) return { named: own.named, odd: true, regrouped };
    this.#move(source, group);
    group.last = answer;
    group.limits.add(quota.limit);
    return { named: group.named, odd: false, regrouped };
  }

  /** Keys that one counter cannot have answered get one each. */
  #separateCounters(answer: KeyedAnswer): boolean {
    let areApart = false;
    for (const other of this.#separateKeys.find(answer)) {
      const group = this.#expected(other.source, other.quota.limit);
      const isAlone = group.members === 1 && this.#groupOf.get(other.source) === group;
      if (this.#joined.has(other.source) || isAlone) continue;
      const own = this.#add();
      own.limits.add(other.quota.limit);
      this.#move(other.source, own);
      areApart = true;
      // The caller takes in this answer itself.
      if (other.source === answer.source) continue;
      own.named.bucket.learn(other.quota, other, { counted: false, refused: false });
      own.last = other;
    }
    return areApart;
  }

  /** The group that an answer came from; undefined while a contradiction is not explained yet. */
  #counterOf(own: Group, answer: KeyedAnswer): Group | undefined {
    const { source, quota } = answer;
    const fit = compare(own.last, answer);
    if (fit === "sure") return this.#elsewhere(source, own, quota);
    if (fit === "fits") this.#doubts.delete(source);
    if (fit !== "doubtful" || own.named.bucket.wobbles || this.#joined.has(source)) return own;
    const doubts = (this.#doubts.get(source) ?? 0) + 1;
    this.#doubts.set(source, doubts);
    if (doubts < DOUBTS_TO_SPLIT) return own;
    this.#doubts.delete(source);
    return this.#groups.find((group) => group !== own && agrees(group.last, quota)) ?? this.#add();
  }

  /**
   * A key that is told the limit that it was told before, after another key got another one in between: it did not change
   * for all, each server has its own.
   */
  #showsMixture({ source, quota, sentMs }: KeyedAnswer): boolean {
    const { last } = this.#groupOf.get(source) ?? this.#largest();
    const own = this.#limitOf.get(source);
    if (last === undefined || own === undefined || last.source === source || sentMs < last.readMs)
      return false;
    const isLate = sentMs - own.readMs > SAME_LIMIT_MS;
    return (
      !isLate && last.sentMs >= own.readMs && own.limit === quota.limit && last.quota.limit !== own.limit
    );
  }

  /** Starts anew for each limit: what was learned of several counters as if they were one holds for none of them. */
  #sortByLimit(): void {
    this.#isMixed = true;
    this.#groups = [];
    this.#groupOf.clear();
    for (const [source, { limit }] of this.#limitOf) this.#move(source, this.#ofLimit(limit));
  }

  #expected(source: SourceId, limit: number): Group {
    const own = this.#groupOf.get(source);
    if (!this.#isMixed) return own ?? this.#largest();
    return own?.limits.has(limit) ? own : this.#ofLimit(limit);
  }

  #ofLimit(limit: number): Group {
    const known = this.#groups.find(({ limits }) => limits.has(limit));
    if (known !== undefined) return known;
    const group = this.#add();
    group.limits.add(limit);
    return group;
  }

  /** Where a key belongs that contradicts its group; undefined while the service may just have restarted. */
  #elsewhere(source: SourceId, own: Group, quota: RateHeaders): Group | undefined {
    const other = this.#groups.find((group) => group !== own && agrees(group.last, quota));
    const charges = (this.#charges.get(source) ?? 0) + 1;
    this.#charges.set(source, charges);
    if (other === undefined && charges < SURE_CHARGES_TO_SPLIT) return undefined;
    this.#charges.delete(source);
    return other ?? this.#add();
  }

  #move(source: SourceId, group: Group): void {
    const before = this.#groupOf.get(source);
    if (before === group) return;
    if (before !== undefined) before.members -= 1;
    group.members += 1;
    this.#groupOf.set(source, group);
  }

  #add(): Group {
    const hash = this.#made === 0 ? this.#hash : `${this.#hash}.${this.#made}`;
    this.#made += 1;
    const named = { hash, bucket: new Bucket(this.#clock) };
    const group: Group = { named, members: 0, last: undefined, limits: new Set() };
    this.#groups.push(group);
    return group;
  }

  #largest(): Group {
    let found = this.#groups[0];
    for (const group of this.#groups) if (found === undefined || group.members > found.members) found = group;
    if (found === undefined) throw new Error("a bucket's name always has a group");
    return found;
  }
}

/**
 * Whether one counter can have answered both: the later request (sent after the other's answer was read) came from
 * another key. "sure": it shows a reset that is earlier by more than a wobble. "doubtful": it shows an earlier reset,
 * more left of the same window, or another limit for it. "unknown": nobody can tell which came first.
 */
function compare(
  last: KeyedAnswer | undefined,
  answer: KeyedAnswer,
): "fits" | "doubtful" | "sure" | "unknown" {
  if (last === undefined || last.source === answer.source || answer.sentMs < last.readMs) return "unknown";
  const { limit, remaining, resetMs } = answer.quota;
  if (resetMs < last.quota.resetMs - 2 * WOBBLE_MS) return "sure";
  if (resetMs < last.quota.resetMs) return "doubtful";
  const isSame = resetMs === last.quota.resetMs;
  return isSame && (remaining > last.quota.remaining || limit !== last.quota.limit) ? "doubtful" : "fits";
}

function agrees(last: KeyedAnswer | undefined, quota: RateHeaders): boolean {
  return last !== undefined && last.quota.limit === quota.limit && quota.resetMs >= last.quota.resetMs;
}
