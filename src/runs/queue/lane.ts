import PQueue from "p-queue";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { Line } from "./line.ts";
import type { Again, Attempt } from "./next-attempt.ts";

/** How many may wait for one linked server: at one per 5 s the last would expire unsent otherwise (600 s / 5 s). */
const MOST_WAITING = 50;

/** Automatic runs behind people; what was tried already before its own kind. */
const RANKS = { automatic: 0, automaticAgain: 0.5, person: 1, personAgain: 1.5 } as const;

export type Readiness = { readonly kind: "ready" } | Again;

/** What waits in a lane. */
export interface LaneEntry {
  readonly id: string;
  /** Nobody waits for it ("run when someone joins"): people go first. */
  readonly automatic: boolean;
  /** Whether it could be sent now. "when-woken": only `wake` of the lane tells. */
  readiness(): Readiness;
  /** Tries to send it. Never rejects. Unless it is over it stays at the front. */
  attempt(): Promise<Attempt>;
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
  readonly #changed: () => void;
  readonly #queue: PQueue;
  /** The places, as p-queue has them. */
  readonly #line: Line;
  readonly #waiting = new Map<string, Waiting>();
  #running: LaneEntry | undefined;
  #cancelHold: () => void = () => undefined;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    let line = new Line();
    const queueClass = lineClass((made) => {
      line = made;
    });
    this.#queue = new PQueue({ concurrency: 1, queueClass });
    this.#line = line;
  }

  get waiting(): readonly LaneEntry[] {
    return this.#line.ids.flatMap((id) => this.#waiting.get(id)?.entry ?? []);
  }

  get running(): LaneEntry | undefined {
    return this.#running;
  }

  get full(): boolean {
    return this.#line.size >= MOST_WAITING;
  }

  /** @throws Failure "queue-full" */
  add(entry: LaneEntry): void {
    if (this.full) throw new Failure("queue-full", `${MOST_WAITING} commands wait for this server already.`);
    this.#enter(entry, entry.automatic ? RANKS.automatic : RANKS.person);
    this.#changed();
  }

  /** Takes out what waits; false: it is not waiting (any more). */
  remove(id: string): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    waiting.leave.abort();
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
  }

  #enter(entry: LaneEntry, priority: number): void {
    const leave = new AbortController();
    this.#waiting.set(entry.id, { entry, leave });
    const options = { id: entry.id, priority, signal: leave.signal };
    // Rejects only when it left while waiting, which whoever removed it knows.
    this.#queue.add(() => this.#turn(entry), options).catch(() => undefined);
  }

  async #turn(entry: LaneEntry): Promise<void> {
    this.#waiting.delete(entry.id);
    const readiness = entry.readiness();
    if (readiness.kind !== "ready") {
      this.#holdAtFront(entry, readiness);
      this.#changed();
      return;
    }

    this.#running = entry;
    this.#changed();
    const attempt = await entry.attempt();
    this.#running = undefined;

    if (attempt.kind !== "over") this.#holdAtFront(entry, attempt);
    this.#changed();
  }

  /** Before everyone of its own kind, but an automatic one still behind people. */
  #holdAtFront(entry: LaneEntry, wanted: Again): void {
    // What it waits for may have come about while its attempt ended; nobody would wake the lane again.
    const until = wanted.kind === "when-woken" ? entry.readiness() : wanted;
    this.#queue.pause();
    this.#cancelHold();
    this.#cancelHold =
      until.kind === "when-woken"
        ? () => undefined
        : this.#clock.after(until.kind === "ready" ? 0 : until.inMs, () => this.#queue.start());
    this.#enter(entry, entry.automatic ? RANKS.automaticAgain : RANKS.personAgain);
  }
}

/** p-queue makes its queue itself, by `new`: this tells which it made, so that its order can be read. */
function lineClass(onMade: (line: Line) => void): typeof Line {
  return class extends Line {
    constructor() {
      super();
      onMade(this);
    }
  };
}
