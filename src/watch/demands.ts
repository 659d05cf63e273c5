import type { Demand, ListName, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";

/** What all demands on one source come to. */
export interface Wanted {
  readonly lists: readonly ListName[];
  readonly maxAgeMs: number;
}

/** A sum holds until the first of its demands expires. */
interface Summed {
  readonly wanted: Wanted;
  readonly untilMs: number;
}

/**
 * Who needs what of which source (design 5, Demand): one poll serves everybody, with exactly the lists that
 * somebody reads. Without a demand there is no poll.
 */
export class DemandRegistry implements Demands {
  readonly #clock: Clock;
  readonly #changed: (source: SourceId) => void;
  readonly #byOwner = new Map<string, readonly Demand[]>();
  readonly #bySource = new Map<SourceId, Map<string, readonly Demand[]>>();
  readonly #summed = new Map<SourceId, Summed>();

  /** `changed` is called for each source whose demands were put, withdrawn or expired. */
  constructor(clock: Clock, changed: (source: SourceId) => void) {
    this.#clock = clock;
    this.#changed = changed;
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
      const owners = this.#bySource.get(source) ?? new Map<string, readonly Demand[]>();
      this.#bySource.set(source, owners.set(owner, its));
      this.#summed.delete(source);
    }
    if (demands.length > 0) this.#byOwner.set(owner, demands);
    else this.#byOwner.delete(owner);
    for (const source of touched) this.#changed(source);
  }

  /** undefined when nobody wants anything of it any more; expired demands are forgotten on the way. */
  wanted(source: SourceId): Wanted | undefined {
    const nowMs = this.#clock.nowMs();
    // The schedule asks this of every source before every poll.
    const known = this.#summed.get(source);
    if (known !== undefined && nowMs < known.untilMs) return known.wanted;
    const owners = this.#bySource.get(source);
    if (owners === undefined) return undefined;
    const live: Demand[] = [];
    for (const [owner, demands] of owners) {
      const its = demands.filter((demand) => (demand.untilMs ?? Number.POSITIVE_INFINITY) > nowMs);
      live.push(...its);
      if (its.length === 0) this.#expire(owner, source);
    }
    if (live.length === 0) return undefined;
    const summed = sum(live);
    this.#summed.set(source, summed);
    return summed.wanted;
  }

  sources(): Iterable<SourceId> {
    return this.#bySource.keys();
  }

  #expire(owner: string, source: SourceId): void {
    this.#drop(owner, source);
    const left = (this.#byOwner.get(owner) ?? []).filter((demand) => demand.source !== source);
    if (left.length > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
    this.#changed(source);
  }

  #drop(owner: string, source: SourceId): void {
    const owners = this.#bySource.get(source);
    this.#summed.delete(source);
    owners?.delete(owner);
    if (owners?.size === 0) this.#bySource.delete(source);
  }
}

function sum(demands: readonly Demand[]): Summed {
  const lists = new Set(demands.flatMap((demand) => demand.lists));
  const maxAgeMs = Math.min(...demands.map((demand) => demand.maxAgeMs));
  const untilMs = Math.min(...demands.map((demand) => demand.untilMs ?? Number.POSITIVE_INFINITY));
  return { wanted: { lists: [...lists].sort(), maxAgeMs }, untilMs };
}
