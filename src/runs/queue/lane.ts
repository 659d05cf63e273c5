import PQueue from "p-queue";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { keepingRequest } from "../../domain/request-scope.ts";
import { LaneOrder } from "./lane-order.ts";
import type { AttemptResult, NextTry } from "./next-attempt.ts";

/** Runs that may wait for one linked server; at one per 5 s they are sent before they expire (600 s / 5 s = 120). */
const MOST_WAITING = 50;

/** Automatic runs come after people's; a run that was tried already comes first of its kind. */
const RANKS = { automatic: 0, automaticAgain: 0.5, person: 1, personAgain: 1.5 } as const;

export type Readiness = { readonly kind: "ready" } | NextTry;

/** An entry that waits in a lane. */
export interface LaneEntry {
  readonly id: string;
  /** A run without a waiting person ("run when someone joins"); people go first. */
  readonly automatic: boolean;
  /** Whether it could be sent now. "when-woken": not before somebody calls `wake` of the lane. */
  readiness(): Readiness;
  /** Tries to send it. Never rejects. It stays at the front unless it is over. */
  attempt(): Promise<AttemptResult>;
}

interface Waiting {
  readonly entry: LaneEntry;
  readonly leave: AbortController;
}

/**
 * The runs of one guild and linked server, one at a time and in order. p-queue's `timeout` and its interval settings
 * are not used: the first starts the next job while the last still runs, the others draw 429s.
 * While nothing can be sent the queue is paused, so what waits can still be overtaken by people or cancelled.
 */
export class Lane {
  readonly #clock: Clock;
  readonly #onChanged: () => void;
  readonly #queue: PQueue;
  /** The order of p-queue, read from its own queue class. */
  readonly #order: LaneOrder;
  readonly #waiting = new Map<string, Waiting>();
  #running: LaneEntry | undefined;
  #cancelHold: () => void = () => undefined;
  /** Whether what holds the lane is nobody's wait. */
  #isHeldByAutomatic = false;

  constructor(clock: Clock, onChanged: () => void) {
    this.#clock = clock;
    this.#onChanged = onChanged;
    let order = new LaneOrder();
    const queueClass = laneOrderClass((made) => {
      order = made;
    });
    this.#queue = new PQueue({ concurrency: 1, queueClass });
    this.#order = order;
  }

  get waiting(): readonly LaneEntry[] {
    return this.#order.ids.flatMap((id) => this.#waiting.get(id)?.entry ?? []);
  }

  get running(): LaneEntry | undefined {
    return this.#running;
  }

  get full(): boolean {
    return this.#order.size >= MOST_WAITING;
  }

  /** @throws Failure "queue-full" */
  add(entry: LaneEntry): void {
    if (this.full)
      throw new Failure("queue-full", `${MOST_WAITING} commands are already waiting for this server.`);
    this.#enter(entry, entry.automatic ? RANKS.automatic : RANKS.person);
    // What holds an automatic one, such as its share, need not hold a person's.
    if (!entry.automatic && this.#isHeldByAutomatic) this.wake();
    this.#onChanged();
  }

  /** Removes a waiting entry; false: it does not wait. */
  remove(id: string): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    waiting.leave.abort();
    this.#onChanged();
    return true;
  }

  /** Tries the first entry again, because what held it may be over. */
  wake(): void {
    this.#cancelHold();
    this.#isHeldByAutomatic = false;
    this.#queue.start();
  }

  /** Cancels timers. To be called when nothing waits. */
  close(): void {
    this.#cancelHold();
    this.#queue.pause();
  }

  #enter(entry: LaneEntry, priority: number): void {
    const leave = new AbortController();
    this.#waiting.set(entry.id, { entry, leave });
    const options = { id: entry.id, priority, signal: leave.signal };
    // Rejects only when `remove` aborts it.
    this.#queue
      .add(
        keepingRequest(() => this.#turn(entry)),
        options,
      )
      .catch(() => undefined);
  }

  async #turn(entry: LaneEntry): Promise<void> {
    this.#waiting.delete(entry.id);
    const readiness = entry.readiness();
    if (readiness.kind !== "ready") {
      this.#holdAtFront(entry, readiness);
      this.#onChanged();
      return;
    }

    this.#running = entry;
    this.#onChanged();
    const attempt = await entry.attempt();
    this.#running = undefined;

    if (attempt.kind !== "over") this.#holdAtFront(entry, attempt);
    this.#onChanged();
  }

  /** Puts an entry before its own kind; an automatic one stays behind people. */
  #holdAtFront(entry: LaneEntry, wanted: NextTry): void {
    // What it waits for may have happened while its attempt ended, and then nobody would wake the lane again.
    const until = wanted.kind === "when-woken" ? entry.readiness() : wanted;
    this.#queue.pause();
    this.#cancelHold();
    this.#isHeldByAutomatic = entry.automatic;
    this.#cancelHold =
      until.kind === "when-woken"
        ? () => undefined
        : this.#clock.after(until.kind === "ready" ? 0 : until.inMs, () => this.wake());
    this.#enter(entry, entry.automatic ? RANKS.automaticAgain : RANKS.personAgain);
  }
}

/** A queue class that hands out its instance, because p-queue constructs it itself. */
function laneOrderClass(onMade: (order: LaneOrder) => void): typeof LaneOrder {
  return class extends LaneOrder {
    constructor() {
      super();
      onMade(this);
    }
  };
}
