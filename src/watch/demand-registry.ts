import type { Demand, ListName, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";

/** The sum of all demands on one source. */
export interface Wanted {
  readonly lists: readonly ListName[];
  /** The tightest age that is demanded at present; undefined: none. */
  readonly maxAgeMs: number | undefined;
  /** How close together looks are wanted where the guild's share allows it; undefined: nobody wants that. */
  readonly finerMs: number | undefined;
  /** The first guild that demands it; the polls count as this guild's. */
  readonly guildId: string | undefined;
}

/** A demand by the monotonic clock: a step of the wall clock neither ends nor prolongs it. */
interface Held {
  readonly demand: Demand;
  readonly untilMs: number;
  readonly ageUntilMs: number;
}

/** A sum holds until the first of its demands, or of their ages, ends. */
interface Summed {
  readonly wanted: Wanted;
  readonly untilMs: number;
}

/** A demanded age lasts this long, because nobody waits longer for one answer; then the schedule sets the pace. */
const LONGEST_AGE_MS = 15 * 60_000;

/**
 * Knows who reads which lists of which source. One poll serves all of them with exactly the lists that are demanded; a
 * source without a demand is not polled.
 */
export class DemandRegistry implements Demands {
  readonly #clock: Clock;
  #onChanged: (source: SourceId) => void = () => undefined;
  readonly #byOwner = new Map<string, readonly Demand[]>();
  readonly #bySource = new Map<SourceId, Map<string, readonly Held[]>>();
  readonly #summed = new Map<SourceId, Summed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onChanged` for each source whose demands are put, withdrawn or expired from now on. */
  listen(onChanged: (source: SourceId) => void): void {
    this.#onChanged = onChanged;
  }

  put(owner: string, demands: readonly Demand[]): void {
    const touched = new Set<SourceId>();
    for (const { source } of this.#byOwner.get(owner) ?? []) {
      touched.add(source);
      this.#drop(owner, source);
    }
    const bySource = Map.groupBy(demands, (demand) => demand.source);
    for (const [source, its] of bySource) {
      touched.add(source);
      const owners = this.#bySource.get(source) ?? new Map<string, readonly Held[]>();
      const held = its.map((demand) => this.#hold(demand));
      this.#bySource.set(source, owners.set(owner, held));
      this.#summed.delete(source);
    }
    if (demands.length > 0) this.#byOwner.set(owner, demands);
    else this.#byOwner.delete(owner);
    for (const source of touched) this.#onChanged(source);
  }

  /** The sum of the live demands, undefined when there are none. Removes expired demands. */
  wanted(source: SourceId): Wanted | undefined {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#summed.get(source);
    if (known !== undefined && nowMs < known.untilMs) return known.wanted;
    const owners = this.#bySource.get(source);
    if (owners === undefined) return undefined;

    const live: Held[] = [];
    for (const [owner, held] of owners) {
      const its = held.filter(({ untilMs }) => untilMs > nowMs);
      live.push(...its);
      if (its.length === 0) this.#expire(owner, source);
    }
    if (live.length === 0) return undefined;

    const summed = sum(live, nowMs);
    this.#summed.set(source, summed);
    return summed.wanted;
  }

  #hold(demand: Demand): Held {
    const nowMs = this.#clock.monotonicMs();
    const leftMs = (demand.untilMs ?? Number.POSITIVE_INFINITY) - this.#clock.nowMs();
    return { demand, untilMs: nowMs + leftMs, ageUntilMs: nowMs + Math.min(leftMs, LONGEST_AGE_MS) };
  }

  #expire(owner: string, source: SourceId): void {
    this.#drop(owner, source);
    const left = (this.#byOwner.get(owner) ?? []).filter((demand) => demand.source !== source);
    if (left.length > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
    this.#onChanged(source);
  }

  #drop(owner: string, source: SourceId): void {
    const owners = this.#bySource.get(source);
    this.#summed.delete(source);
    owners?.delete(owner);
    if (owners?.size === 0) this.#bySource.delete(source);
  }
}

function sum(held: readonly Held[], nowMs: number): Summed {
  const lists = new Set(held.flatMap(({ demand }) => demand.lists));
  const aged = held.filter(({ demand, ageUntilMs }) => demand.maxAgeMs !== undefined && ageUntilMs > nowMs);
  const ages = aged.map(({ demand }) => demand.maxAgeMs ?? Number.POSITIVE_INFINITY);
  const finer = held.flatMap(({ demand }) => demand.finerMs ?? []);
  const guildId = held.find(({ demand }) => demand.guildId !== undefined)?.demand.guildId;
  const ends = [...held.map(({ untilMs }) => untilMs), ...aged.map(({ ageUntilMs }) => ageUntilMs)];
  return {
    wanted: {
      lists: [...lists].sort(),
      maxAgeMs: ages.length === 0 ? undefined : Math.min(...ages),
      finerMs: finer.length === 0 ? undefined : Math.min(...finer),
      guildId,
    },
    untilMs: Math.min(...ends),
  };
}
