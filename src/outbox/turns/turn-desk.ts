import { AbortWatch } from "../../domain/abort-watch.ts";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type {
  Turn,
  TurnClass,
  TurnOutcome,
  Turns,
  TurnWaiter,
  TurnWanted,
} from "../../domain/ports/turns.ts";
import { Away } from "./away.ts";
import { ChannelRoom } from "./channel-room.ts";
import { CLASSES } from "./class-shares.ts";
import { RequestRate } from "./request-rate.ts";
import { type Waiting, WaitingLine } from "./waiting-line.ts";

/** Discord allows 50 a second; two are left for what leaves unasked, such as the registration of commands. */
const REQUESTS_PER_S = 48;
const COUNTED_ALONE = 30;
/** Roles that are changed, and members that are looked through, leave the posts their turns. */
const ROUNDS_PER_S = 4;
/**
 * A read that goes before posts counts so many times. After an unclean end each channel is read once, and as long as that goes
 * on a message takes two turns: the sooner all are read, the sooner the backlog is gone.
 */
const WEIGHT_OF_READ = 4;

export interface TurnDeskPorts {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "count">;
  /** Processes that share Discord's limit. @default 1 */
  readonly blocks?: number | undefined;
  /** Whose channel it is; undefined: nobody's that we know, such as one for direct messages. */
  guildOf(channelId: string): string | undefined;
}

/** Turns by class, for metrics. */
export interface TurnFigures {
  readonly used: Readonly<Record<TurnClass, number>>;
  readonly waiting: Readonly<Record<TurnClass, number>>;
  readonly oldestWaitMs: number;
  readonly isAway: boolean;
}

/** Gives the turns of all that speaks to Discord unasked: none before its time, so that nothing waits further down. */
export class TurnDesk implements Turns {
  readonly #ports: TurnDeskPorts;
  readonly #rate: RequestRate;
  readonly #room = new ChannelRoom();
  readonly #away = new Away();
  readonly #line = new WaitingLine();
  /** All that wait, in the order in which they asked. */
  readonly #asked = new Map<Waiting, TurnWaiter>();
  readonly #aborts = new AbortWatch<Waiting>((waiting, signal) => this.#withdraw(waiting, signal.reason));
  readonly #used = noneOfEach();
  #stopped: Failure | undefined;
  #underWay = 0;
  #nextRoundMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #isWoken = false;

  constructor(ports: TurnDeskPorts) {
    this.#ports = ports;
    this.#rate = new RequestRate(REQUESTS_PER_S / (ports.blocks ?? 1));
  }

  take(wanted: TurnWanted, signal?: AbortSignal): Promise<Turn> {
    return new Promise((resolve, reject) => this.ask(wanted, { signal, resolve, reject }));
  }

  ask(wanted: TurnWanted, waiter: TurnWaiter): void {
    const { signal } = waiter;
    if (this.#stopped !== undefined || signal?.aborted === true) {
      const reason: unknown = this.#stopped ?? signal?.reason;
      queueMicrotask(() => waiter.reject(reason));
      return;
    }
    const sinceMs = this.#ports.clock.monotonicMs();
    const waiting: Waiting = {
      wanted,
      guild: wanted.guildId ?? this.#ports.guildOf(wanted.channelId) ?? wanted.channelId,
      sinceMs,
      weight: wanted.request === "read" ? WEIGHT_OF_READ : 1,
      // What holds no entries, such as a notice, counts like a full message.
      waiting: () => wanted.waiting?.() ?? Array.from({ length: COUNTED_ALONE }, () => sinceMs),
    };
    this.#line.add(waiting);
    this.#asked.set(waiting, waiter);
    if (signal !== undefined) this.#aborts.add(signal, waiting);
    this.#wake();
  }

  /** Discord says that the bot made too many requests over all channels. */
  onTooMany(retryAfterMs: number): void {
    this.#rate.onRefused(this.#ports.clock.monotonicMs(), retryAfterMs);
  }

  /** Discord says that a channel takes nothing more of this kind for now. */
  onChannelSpent(place: Pick<TurnWanted, "channelId" | "request">, waitMs: number): void {
    this.#room.close(place, this.#ports.clock.monotonicMs() + waitMs);
  }

  /** Gives no turn any more: what waits is rejected, what is on its way ends. */
  stop(): void {
    this.#cancel?.();
    this.#stopped = new Failure("expired", "No more turns are given: the process stops.");
    for (const waiting of this.#asked.keys()) this.#withdraw(waiting, this.#stopped);
  }

  figures(): TurnFigures {
    const nowMs = this.#ports.clock.monotonicMs();
    const [oldest] = this.#asked.keys();
    const waiting = Object.fromEntries(CLASSES.map((name) => [name, this.#line.sizeOf(name)]));
    return {
      used: { ...this.#used },
      waiting: { ...noneOfEach(), ...waiting },
      oldestWaitMs: oldest === undefined ? 0 : nowMs - oldest.sinceMs,
      isAway: this.#away.isAway,
    };
  }

  /** What waits of a guild; `oldestMs`: how long the first of it has waited. */
  ofGuild(guildId: string): { readonly waiting: number; readonly oldestMs: number } {
    const { waiting, sinceMs } = this.#line.ofGuild(guildId);
    const nowMs = this.#ports.clock.monotonicMs();
    return { waiting, oldestMs: nowMs - (sinceMs ?? nowMs) };
  }

  #withdraw(waiting: Waiting, reason: unknown): void {
    this.#line.remove(waiting);
    const waiter = this.#ended(waiting);
    if (waiter !== undefined) queueMicrotask(() => waiter.reject(reason));
  }

  /** Who asked for it; it is told once. */
  #ended(waiting: Waiting): TurnWaiter | undefined {
    const waiter = this.#asked.get(waiting);
    this.#asked.delete(waiting);
    if (waiter?.signal !== undefined) this.#aborts.delete(waiter.signal, waiting);
    return waiter;
  }

  /** After what runs now, so that all that is asked for together is weighed together. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      this.#give();
    });
  }

  #give(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#stopped !== undefined) return;
    const nowMs = this.#ports.clock.monotonicMs();
    while (this.#rate.mayLeaveAtMs(nowMs) <= nowMs) {
      const next = this.#line.next((one) => this.#mayGoAtMs(one) <= nowMs, nowMs);
      if (next === undefined) break;
      this.#begin(next, nowMs);
    }
    this.#giveLater(nowMs);
  }

  /** Infinity: not before something else has ended. */
  #mayGoAtMs({ wanted }: Waiting): number {
    const roundMs = wanted.class === "round" ? this.#nextRoundMs : Number.NEGATIVE_INFINITY;
    if (!this.#away.isAway) return Math.max(this.#room.opensAtMs(wanted), roundMs);
    if (this.#underWay > 0) return Number.POSITIVE_INFINITY;
    const isItsTurn = wanted.isInDoubt === true;
    return Math.max(this.#room.opensAtMs(wanted), isItsTurn ? 0 : this.#away.othersFromMs);
  }

  #giveLater(nowMs: number): void {
    if (this.#line.size === 0) return;
    let atMs = this.#rate.mayLeaveAtMs(nowMs);
    if (atMs <= nowMs) {
      atMs = Number.POSITIVE_INFINITY;
      for (const one of this.#line) atMs = Math.min(atMs, this.#mayGoAtMs(one));
    }
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#ports.clock.after(Math.max(1, Math.ceil(atMs - nowMs)), () => this.#give());
  }

  #begin(one: Waiting, nowMs: number): void {
    const { wanted } = one;
    this.#rate.onLeft(nowMs);
    this.#room.begin(wanted, nowMs);
    this.#underWay += 1;
    if (wanted.class === "round")
      this.#nextRoundMs = nowMs + (1_000 / ROUNDS_PER_S) * (this.#ports.blocks ?? 1);
    this.#used[wanted.class] += 1;
    let isOpen = true;
    const done = (outcome: TurnOutcome) => {
      if (!isOpen) return;
      isOpen = false;
      this.#end(wanted, nowMs, outcome);
    };
    const waiter = this.#ended(one);
    if (waiter !== undefined) queueMicrotask(() => waiter.resolve({ done }));
  }

  #end(wanted: TurnWanted, leftMs: number, outcome: TurnOutcome): void {
    const nowMs = this.#ports.clock.monotonicMs();
    this.#underWay -= 1;
    const isCounted = outcome !== "unused";
    this.#rate.onEnded(leftMs, nowMs, { isCounted });
    this.#room.end(wanted, nowMs, { isCounted });
    if (outcome === "taken") this.#away.onAnswered();
    if (outcome === "unanswered") this.#away.onUnanswered(wanted.channelId, nowMs);
    if (isCounted) this.#ports.metrics.count("marshal_turns_total", { class: wanted.class });
    else this.#used[wanted.class] -= 1;
    this.#wake();
  }
}

function noneOfEach(): Record<TurnClass, number> {
  return { run: 0, round: 0, first: 0, batch: 0, change: 0, refresh: 0 };
}
