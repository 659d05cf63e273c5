import type { Clock } from "../../domain/ports/clock.ts";
import type { Sink } from "../../domain/ports/sink.ts";

const DISCORD_EPOCH_MS = 1_420_070_400_000;

/**
 * What time it is for Discord, by which its messages are found again: the clock of the machine may be wrong by hours when
 * something becomes owed, and right when it is looked for.
 */
export class DiscordTime {
  readonly #clock: Clock;
  #aheadOfMonotonicMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same sink, from whose new messages the time is told. */
  toldBy<S extends Pick<Sink, "send">>(sink: S): S {
    const send: Sink["send"] = async (...given) => {
      const sent = await sink.send(...given);
      this.#learn(DISCORD_EPOCH_MS + Number(BigInt(sent.messageId) >> 22n));
      return sent;
    };
    return { ...sink, send };
  }

  /** Epoch milliseconds; by the machine's clock where Discord has not answered yet. */
  nowMs(): number {
    return this.#aheadOfMonotonicMs === undefined
      ? this.#clock.nowMs()
      : this.#clock.monotonicMs() + this.#aheadOfMonotonicMs;
  }

  /** A message is from the past, be it of a moment ago or found again by its nonce. */
  #learn(ms: number): void {
    const aheadMs = ms - this.#clock.monotonicMs();
    this.#aheadOfMonotonicMs = Math.max(this.#aheadOfMonotonicMs ?? aheadMs, aheadMs);
  }
}
