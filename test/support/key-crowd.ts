import { createWatch, type Watch } from "../../src/watch/watch.ts";
import { seededRandom } from "./clock.ts";
import { World, type WorldOptions } from "./limit-run.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Many linked servers that the real schedule polls through the real gate, against the emulated service. */
export class KeyCrowd {
  readonly world: World;
  #watch: Watch;
  /** When each key was answered with data, epoch milliseconds. */
  readonly answersMs = new Map<number, number[]>();
  readonly #seed: number;

  constructor(options: WorldOptions) {
    this.world = new World(options);
    this.#seed = options.seed;
    this.#watch = this.#poll();
  }

  /** Lets time pass. */
  async run(forMs: number): Promise<void> {
    await this.world.clock.advance(forMs);
  }

  /** kill -9 and a new start on the same store. */
  async kill(): Promise<void> {
    await this.#stopPolling();
    await this.world.kill();
    this.#watch = this.#poll();
  }

  /** A stop as it should be and a new start. `standingMs`: how long nobody runs. */
  async restart(standingMs = 0): Promise<void> {
    await this.#stopPolling();
    await this.world.close();
    await this.world.clock.advance(standingMs);
    await this.world.restart();
    this.#watch = this.#poll();
  }

  async close(): Promise<void> {
    await this.#stopPolling();
    await this.world.close();
  }

  /** The owners of these servers make new keys. */
  regenerate(keys: Iterable<number>): void {
    for (const n of keys) this.world.service.regenerateKey(this.world.key(n));
  }

  /** Nobody asks for these servers any more. */
  release(keys: Iterable<number>): void {
    for (const n of keys) this.#watch.demands.put(`feeds-${this.world.source(n)}`, []);
  }

  /** The most refused requests in any hour. */
  get mostRefusedInAnHour(): number {
    return mostWithin(this.world.service.counts.badKeysAtMs, HOUR_MS);
  }

  /** Keys that were answered with data from then on. */
  answeredSince(sinceMs: number): readonly number[] {
    return [...this.answersMs].flatMap(([n, times]) => (times.some((atMs) => atMs >= sinceMs) ? [n] : []));
  }

  /** The longest that a key waited for data from its first answer after `sinceMs` on, until now. */
  longestSilenceMs(n: number, sinceMs: number): number {
    const times = (this.answersMs.get(n) ?? []).filter((atMs) => atMs >= sinceMs);
    const all = [...times, this.world.clock.nowMs()];
    return Math.max(0, ...all.slice(1).map((atMs, at) => atMs - (all[at] ?? atMs)));
  }

  get parkedEvents(): readonly string[] {
    return this.world.events.flatMap((event) => (event.kind === "key-parked" ? [event.source] : []));
  }

  #poll(): Watch {
    const { world } = this;
    const watch = createWatch({
      client: world.client,
      health: world.client,
      clock: world.clock,
      random: seededRandom(this.#seed + 1),
      metrics: world.metrics,
      onDefect: (error) => {
        throw error;
      },
    });
    watch.listen({
      take: async ({ source }) => {
        const n = world.sources.indexOf(source);
        const times = this.answersMs.get(n) ?? [];
        times.push(world.clock.nowMs());
        this.answersMs.set(n, times);
      },
    });
    for (const source of world.sources)
      watch.demands.put(`feeds-${source}`, [{ source, lists: [], maxAgeMs: 30_000 }]);
    watch.start();
    return watch;
  }

  async #stopPolling(): Promise<void> {
    let isStopped = false;
    const stopping = this.#watch.stop().then(() => {
      isStopped = true;
    });
    await this.world.clock.until(() => isStopped);
    await stopping;
  }
}

/** The most of these times that lie within one window. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (let to = 0; to < sorted.length; to++) {
    while ((sorted[to] ?? 0) - (sorted[from] ?? 0) >= windowMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
