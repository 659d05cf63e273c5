import type { SourceId } from "../../domain/model.ts";
import type { RateHeaders } from "../http/headers.ts";
import { Bucket } from "./bucket.ts";
import type { Observation, ServerClock } from "./server-clock.ts";

/** A bucket under its hashed name, for /state and the log. */
export interface CounterState {
  readonly hash: string;
  readonly bucket: Bucket;
}

interface Told extends Observation {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly source: SourceId;
}

/** One counter of the service's, and the keys that are known to be counted there. */
interface Group {
  readonly named: CounterState;
  members: number;
  last: Told | undefined;
  /** Every limit that was told of it. */
  readonly limits: Set<number>;
}

/** So many contradictions make a key a counter of its own: one alone may be a service that just restarted. */
const CHARGES_TO_SPLIT = 2;

/** One name of the service's. Usually one counter; where keys show what one counter cannot, several (design 4). */
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
  /** Servers with different limits were met under this name: from then on its limit says where a key is counted. */
  #isMixed = false;

  constructor(hash: string, clock: ServerClock) {
    this.#hash = hash;
    this.#clock = clock;
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
  }

  /**
   * Which counter told this. `odd`: its key's own cannot have, and it is not known yet whose it is. `regrouped`: for
   * other keys too it became known that they are counted elsewhere than was thought.
   */
  heard(
    source: SourceId,
    told: RateHeaders,
    sighting: Observation,
  ): { readonly named: CounterState; readonly odd: boolean; readonly regrouped: boolean } {
    this.#limitOf.set(source, told.limit);
    const regrouped = !this.#isMixed && this.#showsMixture(source, told, sighting);
    if (regrouped) this.#sortByLimit();
    const own = this.#expected(source, told.limit);
    const group = contradicts(own.last, source, told, sighting) ? this.#elsewhere(source, own, told) : own;
    if (group === undefined) return { named: own.named, odd: true, regrouped };
    this.#move(source, group);
    const { limit, remaining, resetMs } = told;
    const { sentMs, readMs } = sighting;
    group.last = { limit, remaining, resetMs, sentMs, readMs, source };
    group.limits.add(limit);
    return { named: group.named, odd: false, regrouped };
  }

  /**
   * A limit that comes back after another key was told another one: it did not change for all, each server has its own.
   */
  #showsMixture(source: SourceId, told: RateHeaders, sighting: Observation): boolean {
    const group = this.#groupOf.get(source) ?? this.#largest();
    const { last, limits } = group;
    if (last === undefined || last.source === source || sighting.sentMs < last.readMs) return false;
    return last.limit !== told.limit && limits.has(told.limit);
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
    if (other === undefined && charges < CHARGES_TO_SPLIT) return undefined;
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
 * Whether one counter cannot have answered both: the later request (sent after the other's answer was read) came from
 * another key and shows an earlier reset, more left of the same window, or another limit for it.
 */
function contradicts(
  last: Told | undefined,
  source: SourceId,
  told: RateHeaders,
  sighting: Observation,
): boolean {
  if (last === undefined || last.source === source || sighting.sentMs < last.readMs) return false;
  if (told.resetMs < last.resetMs) return true;
  return told.resetMs === last.resetMs && (told.remaining > last.remaining || told.limit !== last.limit);
}

function agrees(last: Told | undefined, told: RateHeaders): boolean {
  return last !== undefined && last.limit === told.limit && told.resetMs >= last.resetMs;
}
