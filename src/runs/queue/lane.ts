import PQueue from "p-queue";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";

/** How many may wait for one linked server: at one per 5 s the last would expire unsent otherwise (600 s / 5 s). */
const maxWaiting = 50;

/** What waits in a lane. */
export interface LaneEntry {
  readonly id: string;
  /** "on-join" and the like: people waiting go first (issue 6, The queue). */
  readonly automatic: boolean;
  /** Epoch milliseconds before which it cannot be sent; Infinity: until the lane is woken. */
  readyAtMs(): number;
  /** Tries to send it. Never rejects. A time: not yet, it stays at the front until then. */
  attempt(): Promise<number | undefined>;
}

interface Place {
  readonly entry: LaneEntry;
  readonly rank: number;
  readonly leave: AbortController;
}

/**
 * The runs of one guild and linked server, one at a time and in order. p-queue's `timeout` and its interval settings
 * are not used: the first starts the next job while the last still runs, the others draw 429s (design 4 and 6).
 * While nothing can be sent the queue is paused, so what waits can still be overtaken by people or cancelled.
 */
export class Lane {
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #queue = new PQueue({ concurrency: 1 });
  /** In the order in which p-queue will start them. */
  #places: Place[] = [];
  #running: LaneEntry | undefined;
  #cancelHold: () => void = () => undefined;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get waiting(): readonly LaneEntry[] {
    return this.#places.map(({ entry }) => entry);
  }

  get running(): LaneEntry | undefined {
    return this.#running;
  }

  get full(): boolean {
    return this.#places.length >= maxWaiting;
  }

  /** @throws Failure "queue-full" */
  add(entry: LaneEntry): void {
    if (this.full) throw new Failure("queue-full", `${maxWaiting} commands wait for this server already.`);
    this.#enter(entry, entry.automatic ? 0 : 1);
    this.#changed();
  }

  /** Takes out what waits; false: it is not waiting (any more). */
  remove(id: string): boolean {
    const place = this.#places.find(({ entry }) => entry.id === id);
    if (place === undefined) return false;
    this.#places = this.#places.filter((other) => other !== place);
    place.leave.abort();
    this.#changed();
    return true;
  }

  /** Whatever held it may be over. */
  wake(): void {
    this.#cancelHold();
    this.#queue.start();
  }

  /** Drops timers; what waits has been removed before. */
  close(): void {
    this.#cancelHold();
    this.#queue.pause();
    this.#queue.clear();
  }

  #enter(entry: LaneEntry, rank: number): void {
    const place: Place = { entry, rank, leave: new AbortController() };
    const behind = this.#places.findIndex((other) => other.rank < rank);
    this.#places.splice(behind === -1 ? this.#places.length : behind, 0, place);
    const options = { id: entry.id, priority: rank, signal: place.leave.signal };
    // Rejects only when it left while waiting, which whoever removed it knows.
    this.#queue.add(() => this.#turn(place), options).catch(() => undefined);
  }

  async #turn(place: Place): Promise<void> {
    const { entry } = place;
    this.#places = this.#places.filter((other) => other !== place);
    const readyAtMs = entry.readyAtMs();
    if (readyAtMs > this.#clock.nowMs()) {
      this.#backToFront(entry, readyAtMs);
      this.#changed();
      return;
    }
    this.#running = entry;
    this.#changed();
    const againAtMs = await entry.attempt();
    this.#running = undefined;
    if (againAtMs !== undefined) this.#backToFront(entry, againAtMs);
    this.#changed();
  }

  /** Before everyone of its own kind, but an automatic one still behind people. */
  #backToFront(entry: LaneEntry, wantedMs: number): void {
    // What it waits for may have come about while its attempt ended; nobody would wake the lane again.
    const untilMs = Number.isFinite(wantedMs) ? wantedMs : entry.readyAtMs();
    this.#queue.pause();
    this.#cancelHold();
    this.#cancelHold =
      untilMs === Number.POSITIVE_INFINITY
        ? () => undefined
        : this.#clock.after(untilMs - this.#clock.nowMs(), () => this.#queue.start());
    this.#enter(entry, entry.automatic ? 0.5 : 1.5);
  }
}
