import { PeopleShares } from "./people-shares.ts";

/** Who waits: our own checks of a key or of a halt, people (commands, status), and polls. */
export type WaitingClass = "internal" | "person" | "poll";

/** What the order needs to know of a request. */
export interface Waiter {
  readonly waitingClass: WaitingClass;
  /** Whose turn it takes: a guild's, or one that all requests share for which no person waits. */
  readonly turn: string;
  /** A read that a guild's people wait for: those have a share, so that one guild's do not displace everybody's polls. */
  readonly isShared?: boolean | undefined;
}

/** The share that polls keep while people wait too. */
const POLL_SHARE = 0.3;
/** Polls catch up what they were owed, but not for ever. */
const MOST_OWED = 5;
/** A limit for which polls waited so lately is short: what people of one guild ask for beyond their share waits. */
const SHORT_FOR_MS = 10_000;

/** The requests of one class, in turn over guilds, first come first served within one. */
class TurnQueue<W extends Waiter> {
  /** By guild, the one that was served longest ago first. */
  readonly #turns = new Map<string, Set<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many of one guild wait. */
  countOf(turn: string): number {
    return this.#turns.get(turn)?.size ?? 0;
  }

  add(waiter: W): void {
    const own = this.#turns.get(waiter.turn);
    if (own === undefined) this.#turns.set(waiter.turn, new Set([waiter]));
    else own.add(waiter);
    this.#size += 1;
  }

  /** To the front of its guild, whose turn it is again. */
  addFirst(waiter: W): void {
    const others = [...this.#turns].filter(([turn]) => turn !== waiter.turn);
    const own = new Set([waiter, ...(this.#turns.get(waiter.turn) ?? [])]);
    this.#turns.clear();
    for (const [turn, waiters] of [[waiter.turn, own] as const, ...others]) this.#turns.set(turn, waiters);
    this.#size += 1;
  }

  has(waiter: W): boolean {
    return this.#turns.get(waiter.turn)?.has(waiter) === true;
  }

  delete(waiter: W): boolean {
    const own = this.#turns.get(waiter.turn);
    if (own?.delete(waiter) !== true) return false;
    this.#size -= 1;
    if (own.size === 0) this.#turns.delete(waiter.turn);
    return true;
  }

  /** Takes it out as served: its guild's next turn comes after everybody else's. */
  serve(waiter: W): void {
    if (!this.delete(waiter)) return;
    const rest = this.#turns.get(waiter.turn);
    if (rest === undefined) return;
    this.#turns.delete(waiter.turn);
    this.#turns.set(waiter.turn, rest);
  }

  *[Symbol.iterator](): Iterator<W> {
    for (const waiters of this.#turns.values()) yield* waiters;
  }
}

/**
 * Who is next: people before polls, polls keep 30 % while both wait; within a class in turn over guilds among those that
 * may start, so that one busy guild starves no other. People of a guild that has used up its share wait for it where polls
 * have to wait as well.
 * Pure: `readyAtMs` says of each when it may.
 */
export class TurnOrder<W extends Waiter> {
  readonly #classes: Record<WaitingClass, TurnQueue<W>> = {
    internal: new TurnQueue(),
    person: new TurnQueue(),
    poll: new TurnQueue(),
  };
  readonly #shares = new PeopleShares();
  #owedToPolls = 0;
  /** When a poll had to wait last. */
  #pollWaitedMs = Number.NEGATIVE_INFINITY;

  add(waiter: W): void {
    this.#classes[waiter.waitingClass].add(waiter);
  }

  /** Back to the front: it had its turn and could not use it. */
  addFirst(waiter: W): void {
    this.#classes[waiter.waitingClass].addFirst(waiter);
  }

  delete(waiter: W): boolean {
    return this.#classes[waiter.waitingClass].delete(waiter);
  }

  has(waiter: W): boolean {
    return this.#classes[waiter.waitingClass].has(waiter);
  }

  count(waitingClass: WaitingClass): number {
    return this.#classes[waitingClass].size;
  }

  /** How many people of one guild wait. */
  countOfGuild(turn: string): number {
    return this.#classes.person.countOf(turn);
  }

  get isEmpty(): boolean {
    const { internal, person, poll } = this.#classes;
    return internal.size + person.size + poll.size === 0;
  }

  *[Symbol.iterator](): Iterator<W> {
    for (const set of Object.values(this.#classes)) yield* set;
  }

  /**
   * Takes out the next one at `nowMs`, or says when there may be one. `hopeless(class)`: nothing of the class can start
   * before the returned moment, so there is no need to ask each.
   */
  take(
    nowMs: number,
    readyAtMs: (waiter: W) => number,
    hopeless: (waitingClass: WaitingClass) => number | undefined,
  ): { readonly next: W } | { readonly wakeAtMs: number } {
    const internal = this.#first({ waitingClass: "internal", nowMs, readyAtMs, hopeless });
    if (internal.next !== undefined) return this.#leave(internal.next, nowMs);
    const poll = this.#first({ waitingClass: "poll", nowMs, readyAtMs, hopeless });
    if (this.#classes.poll.size > 0 && poll.next === undefined) this.#pollWaitedMs = nowMs;
    const person = this.#first({
      waitingClass: "person",
      nowMs,
      hopeless,
      readyAtMs: (waiter) => Math.max(this.#shareAtMs(waiter, nowMs), readyAtMs(waiter)),
    });
    if (poll.next !== undefined && (person.next === undefined || this.#owedToPolls >= 1 - POLL_SHARE)) {
      if (this.#classes.person.size > 0)
        this.#owedToPolls = Math.max(0, this.#owedToPolls - (1 - POLL_SHARE));
      return this.#leave(poll.next, nowMs);
    }
    if (person.next !== undefined) {
      const owed = this.#classes.poll.size > 0 ? this.#owedToPolls + POLL_SHARE : 0;
      this.#owedToPolls = Math.min(MOST_OWED, owed);
      return this.#leave(person.next, nowMs);
    }
    return { wakeAtMs: Math.min(internal.wakeAtMs, person.wakeAtMs, poll.wakeAtMs) };
  }

  #leave(next: W, nowMs: number): { readonly next: W } {
    this.#classes[next.waitingClass].serve(next);
    if (next.isShared === true) this.#shares.spend(next.turn, nowMs);
    return { next };
  }

  /** When the share of its guild lets it go. */
  #shareAtMs({ turn, isShared }: W, nowMs: number): number {
    const isShort = nowMs - this.#pollWaitedMs <= SHORT_FOR_MS;
    return isShared === true && isShort ? this.#shares.readyAtMs(turn, nowMs) : nowMs;
  }

  /** The first that may start, or when one may. */
  #first({ waitingClass, nowMs, readyAtMs, hopeless }: Search<W>): {
    readonly next?: W | undefined;
    readonly wakeAtMs: number;
  } {
    const set = this.#classes[waitingClass];
    if (set.size === 0) return { wakeAtMs: Number.POSITIVE_INFINITY };
    const untilMs = hopeless(waitingClass);
    if (untilMs !== undefined && untilMs > nowMs) return { wakeAtMs: untilMs };
    let wakeAtMs = Number.POSITIVE_INFINITY;
    for (const waiter of set) {
      const atMs = readyAtMs(waiter);
      if (atMs <= nowMs) return { next: waiter, wakeAtMs };
      wakeAtMs = Math.min(wakeAtMs, atMs);
    }
    return { wakeAtMs };
  }
}

interface Search<W extends Waiter> {
  readonly waitingClass: WaitingClass;
  readonly nowMs: number;
  readonly readyAtMs: (waiter: W) => number;
  readonly hopeless: (waitingClass: WaitingClass) => number | undefined;
}
