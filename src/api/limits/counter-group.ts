// Over 200 lines: one group of counters under a bucket name; telling them apart needs all of their observations.
import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import { Bucket } from "./bucket.ts";
import { type Observation, type ServerClock, WOBBLE_MS } from "./server-clock.ts";
import { type ToldKey, Twins } from "./twins.ts";

/** A bucket under its hashed name, for /state and the log. */
export interface CounterState {
  readonly hash: string;
  readonly bucket: Bucket;
}

/** One counter of the service's, and the keys that are known to be counted there. */
interface Group {
  readonly named: CounterState;
  members: number;
  last: ToldKey | undefined;
  /** Every limit that was told of it. */
  readonly limits: Set<number>;
}

/** What makes a key a counter of its own: one sure contradiction may be a service that just restarted. */
const SURE_CHARGES_TO_SPLIT = 2;
/** Resets that wobble look like contradictions, but seldom thrice in a row. */
const DOUBTS_TO_SPLIT = 3;

/** One name of the service's. Usually one counter; where keys show what one counter cannot, several. */
export class CounterGroup {
  readonly #hash: string;
  readonly #clock: ServerClock;
  #groups: Group[] = [];
  #made = 0;
  readonly #groupOf = new Map<SourceId, Group>();
  /** The limit that each key was told last. */
  readonly #limitOf = new Map<SourceId, number>();
  /** Contradictions that a key has shown. */
  readonly #charges = new Map<SourceId, number>();
  /** Contradictions in a row that a wobble of the resets would explain as well. */
  readonly #doubts = new Map<SourceId, number>();
  readonly #twins: Twins;
  /** Keys that were taken for counters of their own and turned out to share one. */
  readonly #joined = new Set<SourceId>();
  /** Servers with different limits were met under this name: from then on its limit says where a key is counted. */
  #isMixed = false;

  constructor(hash: string, clock: ServerClock) {
    this.#hash = hash;
    this.#clock = clock;
    this.#twins = new Twins(clock);
    this.#add();
  }

  get hash(): string {
    return this.#hash;
  }

  get buckets(): readonly CounterState[] {
    return this.#groups.map(({ named }) => named);
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
    this.#twins.forget(source);
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
   * Which counter told this. `refused`: by a 429, which tells nothing about who is counted where. `odd`: its key's own cannot have, and it is not known yet whose it is. `regrouped`: for
   * other keys too it became known that they are counted elsewhere than was thought.
   */
  heard(
    source: SourceId,
    told: RateHeaders,
    sighting: Observation,
    refused: boolean,
  ): { readonly named: CounterState; readonly odd: boolean; readonly regrouped: boolean } {
    this.#limitOf.set(source, told.limit);
    const answer: ToldKey = { source, told, ...sighting };
    const isMixed = !this.#isMixed && this.#showsMixture(source, told, sighting);
    if (isMixed) this.#sortByLimit();
    const areApart = !refused && this.#partTwins(answer);

    const own = this.#expected(source, told.limit);
    const group = refused ? own : this.#counterOf(own, answer);
    const regrouped = isMixed || areApart;
    if (group === undefined) return { named: own.named, odd: true, regrouped };
    this.#move(source, group);
    group.last = answer;
    group.limits.add(told.limit);
    return { named: group.named, odd: false, regrouped };
  }

  /** Keys that one counter cannot have answered get one each. */
  #partTwins(answer: ToldKey): boolean {
    let areApart = false;
    for (const twin of this.#twins.find(answer)) {
      const group = this.#expected(twin.source, twin.told.limit);
      const isAlone = group.members === 1 && this.#groupOf.get(twin.source) === group;
      if (this.#joined.has(twin.source) || isAlone) continue;
      const own = this.#add();
      own.limits.add(twin.told.limit);
      this.#move(twin.source, own);
      areApart = true;
      // What this answer says is heard by whoever asked.
      if (twin.source === answer.source) continue;
      own.named.bucket.told(twin.told, twin, { counted: false, refused: false });
      own.last = twin;
    }
    return areApart;
  }

  /** The group that an answer came from; undefined while a contradiction is not explained yet. */
  #counterOf(own: Group, answer: ToldKey): Group | undefined {
    const { source, told } = answer;
    const verdict = compare(own.last, answer);
    if (verdict === "sure") return this.#elsewhere(source, own, told);
    if (verdict === "fits") this.#doubts.delete(source);
    if (verdict !== "doubtful" || own.named.bucket.wobbles || this.#joined.has(source)) return own;
    const doubts = (this.#doubts.get(source) ?? 0) + 1;
    this.#doubts.set(source, doubts);
    if (doubts < DOUBTS_TO_SPLIT) return own;
    this.#doubts.delete(source);
    return this.#groups.find((group) => group !== own && agrees(group.last, told)) ?? this.#add();
  }

  /**
   * A limit that comes back after another key was told another one: it did not change for all, each server has its own.
   */
  #showsMixture(source: SourceId, told: RateHeaders, sighting: Observation): boolean {
    const group = this.#groupOf.get(source) ?? this.#largest();
    const { last, limits } = group;
    if (last === undefined || last.source === source || sighting.sentMs < last.readMs) return false;
    return last.told.limit !== told.limit && limits.has(told.limit);
  }

  /** Anew for each limit: what was learned of several counters as if they were one is true of none. */
  #sortByLimit(): void {
    this.#isMixed = true;
    this.#groups = [];
    this.#groupOf.clear();
    for (const [source, limit] of this.#limitOf) this.#move(source, this.#ofLimit(limit));
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
  #elsewhere(source: SourceId, own: Group, told: RateHeaders): Group | undefined {
    const other = this.#groups.find((group) => group !== own && agrees(group.last, told));
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
function compare(last: ToldKey | undefined, answer: ToldKey): "fits" | "doubtful" | "sure" | "unknown" {
  if (last === undefined || last.source === answer.source || answer.sentMs < last.readMs) return "unknown";
  const { limit, remaining, resetMs } = answer.told;
  if (resetMs < last.told.resetMs - 2 * WOBBLE_MS) return "sure";
  if (resetMs < last.told.resetMs) return "doubtful";
  const isSame = resetMs === last.told.resetMs;
  return isSame && (remaining > last.told.remaining || limit !== last.told.limit) ? "doubtful" : "fits";
}

function agrees(last: ToldKey | undefined, told: RateHeaders): boolean {
  return last !== undefined && last.told.limit === told.limit && told.resetMs >= last.told.resetMs;
}
