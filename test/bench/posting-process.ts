import type { TurnWanted } from "../../src/domain/ports/turns.ts";
import { TurnDesk } from "../../src/outbox/turns/turn-desk.ts";
import type { VirtualClock } from "../support/clock.ts";
import type { Came, LimitedDiscord, Message } from "./posting-discord.ts";

/** Until a post in doubt is tried again. */
const AGAIN_MS = 30_000;
/** After a longer doubt only the channel can tell: Discord forgets nonces. */
const NONCE_TRUSTED_MS = 100_000;

interface ProcessPorts {
  readonly clock: VirtualClock;
  readonly discord: LimitedDiscord;
  /** From 0 to 1. */
  random(): number;
}

/** What is known of the attempts to post one message. */
export class Attempts {
  /** The channel has to tell: an earlier process may have posted it. */
  mustRead: boolean;
  isInDoubt = false;
  waitMs = 1_000;
  #sinceMs: number | undefined;

  constructor(mustRead: boolean) {
    this.mustRead = mustRead;
  }

  onUnanswered(nowMs: number): void {
    this.isInDoubt = true;
    this.#sinceMs ??= nowMs;
    if (this.isTooOld(nowMs)) this.mustRead = true;
  }

  /** Discord may have forgotten the nonce by now. */
  isTooOld(nowMs: number): boolean {
    return this.#sinceMs !== undefined && nowMs - this.#sinceMs >= NONCE_TRUSTED_MS;
  }

  onAnswered(): void {
    this.isInDoubt = false;
    this.#sinceMs = undefined;
    this.waitMs = 1_000;
  }
}

/** A process that posts: its turns are the real ones. After `kill` it hears no answer and does nothing more. */
export class PostingProcess {
  isAlive = true;
  readonly #ports: ProcessPorts;
  readonly #desk: TurnDesk;

  constructor(ports: ProcessPorts) {
    this.#ports = ports;
    const guildOf = (channel: string) => channel.split(".")[0];
    this.#desk = new TurnDesk({ clock: ports.clock, metrics: { count: () => undefined }, guildOf });
  }

  kill(): void {
    this.isAlive = false;
    this.#desk.stop();
  }

  /** One attempt in its turn, and the wait after one that failed; undefined: the process was killed. */
  async attempt(
    wanted: Omit<TurnWanted, "isInDoubt">,
    attempts: Attempts,
    message: () => Message | undefined = () => undefined,
  ): Promise<Came | undefined> {
    const { clock, discord, random } = this.#ports;
    const { channelId: channel, request: kind } = wanted;
    const isInDoubt = attempts.isInDoubt || kind === "read";
    const turn = await this.#desk.take({ ...wanted, isInDoubt }).catch(() => undefined);
    if (turn === undefined || !this.isAlive) return undefined;

    const startedMs = clock.monotonicMs();
    if (kind === "send" && attempts.isTooOld(startedMs)) {
      turn.done("unused");
      attempts.mustRead = true;
      return { outcome: "unanswered", standing: [] };
    }
    const came = await discord.ask({ channel, kind, message: kind === "send" ? message() : undefined });
    if (!this.isAlive) return undefined;

    turn.done(came.outcome === "unanswered" ? "unanswered" : "taken");
    if (came.outcome === "taken") attempts.onAnswered();
    else {
      if (came.outcome === "unanswered") attempts.onUnanswered(startedMs);
      else if (discord.global429 > 0) this.#desk.onTooMany(1_000);
      await clock.sleep(attempts.waitMs * (0.5 + random() / 2));
      attempts.waitMs = Math.min(AGAIN_MS, attempts.waitMs * 2);
      if (came.outcome === "unanswered") attempts.onUnanswered(clock.monotonicMs());
    }
    return this.isAlive ? came : undefined;
  }
}
