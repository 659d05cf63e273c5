import type { Random } from "../../src/domain/ports/clock.ts";
import type { TurnWanted } from "../../src/domain/ports/turns.ts";
import type { VirtualClock } from "../support/clock.ts";

const GLOBAL_PER_S = 50;
const CHANNEL_LIMIT = 5;
const CHANNEL_WINDOW_MS = 5_000;
const FIRST_MS = 40;
const SPREAD_MS = 160;
/** While Discord is away a request is given up after this time; */
const AWAY_MS = 3_000;
/** of these it has taken so many all the same. */
const TAKEN_UNANSWERED = 0.1;
/** Discord answers a message whose nonce it knows with the one that stands. */
const KNOWS_NONCES_MS = 120_000;

/** What a message of ours brings. */
export interface Message {
  readonly nonce: number;
  /** Numbers of the entries, or of the one thing that it tells. */
  readonly brings: readonly number[];
}

export interface Asked {
  readonly channel: string;
  readonly kind: TurnWanted["request"];
  /** Of a new message. */
  readonly message?: Message | undefined;
}

/** What came of a request; `standing`: of a read, what stands in the channel of what was not acknowledged. */
export interface Came {
  readonly outcome: "taken" | "unanswered" | "refused";
  readonly standing: readonly number[];
}

interface Posted extends Message {
  readonly atMs: number;
}

/** Discord's limits on a virtual clock: what each request met, and what stands in which channel. */
export class LimitedDiscord {
  isAway = false;
  global429 = 0;
  channel429 = 0;
  /** How often each entry stands. */
  readonly standing = new Map<number, number>();
  readonly #clock: VirtualClock;
  readonly #random: Random;
  #second = { endsAtMs: 0, used: 0 };
  readonly #windows = new Map<string, { endsAtMs: number; used: number }>();
  /** Latest messages of each channel, as far back as a read looks. */
  readonly #latest = new Map<string, Posted[]>();

  constructor(clock: VirtualClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** One request; the way there and back takes time. */
  async ask(asked: Asked): Promise<Came> {
    const there = FIRST_MS + this.#random.next() * SPREAD_MS;
    if (this.isAway) {
      if (this.#random.next() < TAKEN_UNANSWERED) this.#post(asked);
      await this.#clock.sleep(AWAY_MS);
      return { outcome: "unanswered", standing: [] };
    }
    await this.#clock.sleep(there / 2);
    const outcome = this.#take(`${asked.kind} ${asked.channel}`);
    if (outcome === "taken") this.#post(asked);
    const latest = asked.kind === "read" ? (this.#latest.get(asked.channel) ?? []) : [];
    const standing = latest.flatMap(({ brings }) => brings);
    await this.#clock.sleep(there / 2);
    return { outcome, standing };
  }

  /** Our record says that these stand: no later read looks for them. */
  acknowledge(channel: string, ids: readonly number[]): void {
    const known = new Set(ids);
    const isOver = ({ atMs, brings }: Posted) =>
      this.#isForgotten(atMs) && brings.every((id) => known.has(id));
    const latest = this.#latest.get(channel)?.filter((message) => !isOver(message)) ?? [];
    if (latest.length > 0) this.#latest.set(channel, latest);
    else this.#latest.delete(channel);
  }

  #post({ channel, message }: Asked): void {
    if (message === undefined) return;
    const latest = this.#latest.get(channel) ?? [];
    if (latest.some(({ nonce, atMs }) => nonce === message.nonce && !this.#isForgotten(atMs))) return;
    latest.push({ ...message, atMs: this.#clock.monotonicMs() });
    this.#latest.set(channel, latest);
    for (const one of message.brings) this.standing.set(one, (this.standing.get(one) ?? 0) + 1);
  }

  #isForgotten(atMs: number): boolean {
    return this.#clock.monotonicMs() - atMs >= KNOWS_NONCES_MS;
  }

  #take(bucket: string): "taken" | "refused" {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#second.endsAtMs) this.#second = { endsAtMs: nowMs + 1_000, used: 0 };
    this.#second.used += 1;
    if (this.#second.used > GLOBAL_PER_S) {
      this.global429 += 1;
      return "refused";
    }
    let window = this.#windows.get(bucket);
    if (window === undefined || nowMs >= window.endsAtMs) {
      window = { endsAtMs: nowMs + CHANNEL_WINDOW_MS, used: 0 };
      this.#windows.set(bucket, window);
    }
    window.used += 1;
    if (window.used <= CHANNEL_LIMIT) return "taken";
    this.channel429 += 1;
    return "refused";
  }
}
