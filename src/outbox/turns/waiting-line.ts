import type { TurnClass, TurnWanted } from "../../domain/ports/turns.ts";
import { BatchQueue } from "./batch-queue.ts";
import { CLASSES, ClassShares } from "./class-shares.ts";
import { FairQueue } from "./fair-queue.ts";
import { GuildTurns } from "./guild-turns.ts";

/** A first post that has waited for so long goes before what is kept for edits. */
const FIRST_IS_LATE_MS = 10_000;
/** Entries wait for so long only where an outage or a kill has left a backlog: it goes before panels are renewed. */
const BACKLOG_MS = 300_000;

/** One that waits for its turn. */
export interface Waiting {
  readonly wanted: TurnWanted;
  readonly guild: string;
  readonly sinceMs: number;
  /** How many times the ages of its entries count. */
  readonly weight: number;
  /** When its entries arrived; empty for what is no batch. */
  waiting(): readonly number[];
}

type Line = BatchQueue<Waiting> | FairQueue<Waiting>;

/** All that wait, and who of them goes next. Pure: time and what may go are told. */
export class WaitingLine {
  readonly #shares = new ClassShares();
  readonly #guilds = new GuildTurns();
  readonly #batches = new BatchQueue<Waiting>();
  readonly #others = {
    run: new FairQueue<Waiting>(),
    round: new FairQueue<Waiting>(),
    first: new FairQueue<Waiting>(),
    change: new FairQueue<Waiting>(),
    refresh: new FairQueue<Waiting>(),
  };

  get size(): number {
    return CLASSES.reduce((sum, name) => sum + this.sizeOf(name), 0);
  }

  sizeOf(name: TurnClass): number {
    return this.#of(name).size;
  }

  add(one: Waiting): void {
    if (one.wanted.class === "batch") this.#batches.add(one);
    else this.#others[one.wanted.class].add(one.guild, one);
  }

  remove(one: Waiting): void {
    if (one.wanted.class === "batch") this.#batches.remove(one);
    else this.#others[one.wanted.class].remove(one.guild, one);
  }

  /** Takes out who goes next of those that may; undefined: nobody may. A guild that had its part goes after all others. */
  next(mayGo: (one: Waiting) => boolean, nowMs: number): Waiting | undefined {
    const isWithin = ({ guild }: Waiting) => this.#guilds.isWithin(guild, nowMs);
    const next = this.#take((one) => isWithin(one) && mayGo(one), nowMs) ?? this.#take(mayGo, nowMs);
    if (next !== undefined) this.#guilds.onTurn(next.guild, nowMs);
    return next;
  }

  /** How many of a guild wait, and since when the first of them. */
  ofGuild(guild: string): { readonly waiting: number; readonly sinceMs: number | undefined } {
    let waiting = 0;
    let sinceMs: number | undefined;
    for (const one of this) {
      if (one.guild !== guild) continue;
      waiting += 1;
      sinceMs = Math.min(sinceMs ?? one.sinceMs, one.sinceMs);
    }
    return { waiting, sinceMs };
  }

  #take(mayGo: (one: Waiting) => boolean, nowMs: number): Waiting | undefined {
    for (const name of this.#order(mayGo, nowMs)) {
      const found =
        name === "batch" ? this.#batches.find(mayGo, nowMs) : this.#others[name].find(mayGo, isMinor);
      if (found === undefined) continue;
      this.#shares.given(name, (other) => this.sizeOf(other) > 0);
      if (name === "batch") this.#batches.onTurn(found, nowMs);
      else this.#others[name].onTurn(found.guild, found);
      return found;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Waiting, void> {
    for (const name of CLASSES) yield* this.#of(name);
  }

  /** Edits keep no turns from a first post that is late, as hundreds are when Discord is back, nor panels from a backlog. */
  #order(mayGo: (one: Waiting) => boolean, nowMs: number): readonly TurnClass[] {
    const order = this.#shares.order();
    const first = this.#others.first.find(mayGo, () => false);
    if (first !== undefined && nowMs - first.sinceMs >= FIRST_IS_LATE_MS) {
      return withLast(order, (name) => name === "change" || name === "refresh");
    }
    const isBacklog = nowMs - this.#batches.oldestMs >= BACKLOG_MS;
    return isBacklog ? withLast(order, (name) => name === "refresh") : order;
  }

  #of(name: TurnClass): Line {
    return name === "batch" ? this.#batches : this.#others[name];
  }
}

function isMinor({ wanted }: Waiting): boolean {
  return wanted.isMinor?.() === true;
}

function withLast(order: readonly TurnClass[], isLast: (name: TurnClass) => boolean): readonly TurnClass[] {
  return [...order.filter((name) => !isLast(name)), ...order.filter(isLast)];
}
