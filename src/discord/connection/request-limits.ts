import type { Clock } from "../../domain/ports/clock.ts";

type Time = Pick<Clock, "monotonicMs" | "sleep">;

/** What Discord counts a request by. */
export interface RequestPlace {
  readonly method: string;
  /** With `:id` for each id, such as `/channels/:id/messages`. */
  readonly route: string;
  /** The channel, guild or webhook that has a counter of its own. */
  readonly major: string;
  /** Answers to people do not count among the requests a second that Discord allows a bot. */
  readonly isAnswer: boolean;
}

/** A wait that Discord asks for. */
export interface LimitWait {
  readonly untilMs: number;
  /** It holds for all requests of the bot. */
  readonly isGlobal: boolean;
}

/** A request that Discord refused with 429. */
export interface Refused {
  readonly isGlobal: boolean;
  readonly waitMs: number;
}

/** What listens to Discord's limits. */
export interface LimitsListener {
  /** Discord refused a request with 429. */
  onRefused(refused: Refused): void;
  /** The counter of this request is used up for so long. */
  onSpent(place: RequestPlace, waitMs: number): void;
}

interface Bucket {
  remaining: number;
  resetAtMs: number;
}

const SECOND_MS = 1_000;
/** Beyond what Discord states: it rounds. */
const MARGIN_MS = 50;
/** A refusal that names no wait. */
const UNNAMED_WAIT_MS = 5_000;
/** Beyond so many, counters whose windows are over are forgotten. */
const MOST_BUCKETS = 1_000;

/**
 * Discord's limits as its answers tell them, and how many requests a second it allows the bot. All times are monotonic:
 * @discordjs/rest counts by the wall clock, and a clock that is set back by an hour keeps it silent for that hour.
 */
export class RequestLimits {
  readonly #time: Time;
  readonly #perSecond: number;
  readonly #hashes = new Map<string, string>();
  readonly #buckets = new Map<string, Bucket>();
  #globalUntilMs = Number.NEGATIVE_INFINITY;
  #second = { endsAtMs: Number.NEGATIVE_INFINITY, used: 0 };
  #listener: LimitsListener = { onRefused: () => undefined, onSpent: () => undefined };

  constructor(time: Time, perSecond: number) {
    this.#time = time;
    this.#perSecond = perSecond;
  }

  /** From now on this one hears of what Discord's answers say, and nobody else does. */
  attach(listener: LimitsListener): void {
    this.#listener = listener;
  }

  /** Takes the place of a request that is made now; why it has to wait, where it has to. */
  take(place: RequestPlace): LimitWait | undefined {
    const nowMs = this.#time.monotonicMs();
    const bucket = this.#buckets.get(this.#keyOf(place));
    const wait = this.#waitFor(place, bucket, nowMs);
    if (wait !== undefined) return wait;

    if (bucket !== undefined) bucket.remaining -= 1;
    if (place.isAnswer) return undefined;
    if (nowMs >= this.#second.endsAtMs) this.#second = { endsAtMs: nowMs + SECOND_MS, used: 0 };
    this.#second.used += 1;
    return undefined;
  }

  #waitFor(place: RequestPlace, bucket: Bucket | undefined, nowMs: number): LimitWait | undefined {
    if (bucket !== undefined && bucket.remaining <= 0 && bucket.resetAtMs > nowMs)
      return { untilMs: bucket.resetAtMs, isGlobal: false };
    if (place.isAnswer) return undefined;
    const { endsAtMs, used } = this.#second;
    const isSecondFull = endsAtMs > nowMs && used >= this.#perSecond;
    const untilMs = Math.max(this.#globalUntilMs, isSecondFull ? endsAtMs : Number.NEGATIVE_INFINITY);
    return untilMs > nowMs ? { untilMs, isGlobal: true } : undefined;
  }

  /** Takes in an answer; gives the wait that a refusal (429) asks for. */
  learn(place: RequestPlace, status: number, headers: Pick<Headers, "get" | "has">): LimitWait | undefined {
    const nowMs = this.#time.monotonicMs();
    const hash = headers.get("x-ratelimit-bucket");
    if (hash !== null) this.#hashes.set(`${place.method} ${place.route}`, hash);
    const resetAfterMs = millisecondsOf(headers.get("x-ratelimit-reset-after"));
    if (resetAfterMs !== undefined) {
      this.#forgetOld(nowMs);
      const remaining = Number(headers.get("x-ratelimit-remaining") ?? "1");
      const resetAtMs = nowMs + resetAfterMs + MARGIN_MS;
      if (remaining <= 0) this.#listener.onSpent(place, resetAfterMs + MARGIN_MS);
      this.#buckets.set(this.#keyOf(place), {
        remaining: Number.isNaN(remaining) ? 1 : remaining,
        resetAtMs,
      });
    }
    if (status !== 429) return undefined;

    const waitMs = millisecondsOf(headers.get("retry-after")) ?? UNNAMED_WAIT_MS;
    const untilMs = nowMs + waitMs + MARGIN_MS;
    const isGlobal = headers.has("x-ratelimit-global") || isPage(headers);
    if (isGlobal) this.#globalUntilMs = Math.max(this.#globalUntilMs, untilMs);
    this.#listener.onRefused({ isGlobal, waitMs });
    return { untilMs, isGlobal };
  }

  /** Resolves at that moment; rejects with the signal's reason. */
  async sleepUntil(untilMs: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#time.sleep(Math.max(0, untilMs - this.#time.monotonicMs()), signal);
  }

  /** How long until then. */
  leftMs({ untilMs }: LimitWait): number {
    return Math.max(0, untilMs - this.#time.monotonicMs());
  }

  #keyOf({ method, route, major }: RequestPlace): string {
    const name = `${method} ${route}`;
    return `${this.#hashes.get(name) ?? name} ${major}`;
  }

  #forgetOld(nowMs: number): void {
    if (this.#buckets.size < MOST_BUCKETS) return;
    for (const [key, { resetAtMs }] of this.#buckets) if (resetAtMs <= nowMs) this.#buckets.delete(key);
  }
}

/** The network in front of Discord refuses this host, whatever it asks for: each further request may make that longer. */
function isPage(headers: Pick<Headers, "get">): boolean {
  const type = headers.get("content-type") ?? "";
  return type !== "" && !/\bjson\b/i.test(type);
}

/** Discord states seconds, perhaps with a fraction. */
function millisecondsOf(seconds: string | null): number | undefined {
  const ms = seconds === null || seconds.trim() === "" ? Number.NaN : Number(seconds) * 1_000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
