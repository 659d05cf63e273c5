import type { VirtualClock } from "../support/clock.ts";
import type { LimitedDiscord, Message } from "./posting-discord.ts";
import { Attempts, type PostingProcess } from "./posting-process.ts";

const QUIET_MS = 2_000;
const FLUSH_MS = 5_000;
const LINES = 30;
/** Past this many a feed gets one message with all of them in a file. */
const DIGEST_FROM = 2_000;

/** An entry of a log: its number and when it was read. */
export interface Entry {
  readonly id: number;
  readonly atMs: number;
}

export interface FeedOptions {
  readonly channel: string;
  readonly perS: number;
  readonly isFlood: boolean;
}

export interface FeedPorts {
  readonly clock: VirtualClock;
  readonly discord: LimitedDiscord;
  /** A nonce that was never used. */
  nonce(): number;
  /** These stand, and our record says so. */
  onPosted(entries: readonly Entry[], feed: Feed): void;
}

/** One log channel. What waits and what is frozen is stored, so it outlives the process that posts. */
export class Feed {
  readonly channel: string;
  readonly perS: number;
  readonly isFlood: boolean;
  readonly #ports: FeedPorts;
  #waiting: Entry[] = [];
  #frozen: { readonly message: Message; readonly entries: readonly Entry[] } | undefined;
  #attempts = new Attempts(false);
  #runs: PostingProcess | undefined;

  constructor({ channel, perS, isFlood }: FeedOptions, ports: FeedPorts) {
    this.channel = channel;
    this.perS = perS;
    this.isFlood = isFlood;
    this.#ports = ports;
  }

  /** What is not known to stand. */
  get owed(): readonly Entry[] {
    return [...(this.#frozen?.entries ?? []), ...this.#waiting];
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
  }

  /** Another process than before has to read the channel first. */
  run(process: PostingProcess): void {
    if (this.#runs === process || (this.#frozen === undefined && this.#waiting.length === 0)) return;
    this.#runs = process;
    void this.#post(process);
  }

  onKilled(): void {
    this.#runs = undefined;
    this.#attempts = new Attempts(true);
  }

  async #post(process: PostingProcess): Promise<void> {
    while (process.isAlive && (this.#frozen !== undefined || this.#waiting.length > 0)) {
      if (this.#frozen === undefined) await this.#flushes();
      if (process.isAlive) await (this.#attempts.mustRead ? this.#read(process) : this.#send(process));
    }
    if (process.isAlive) this.#runs = undefined;
  }

  async #read(process: PostingProcess): Promise<void> {
    const came = await process.attempt(this.#wanted("read"), this.#attempts);
    if (came?.outcome !== "taken") return;

    this.#attempts.mustRead = false;
    const standing = new Set(came.standing);
    const found = this.owed.filter(({ id }) => standing.has(id));
    this.#waiting = this.owed.filter(({ id }) => !standing.has(id));
    this.#frozen = undefined;
    this.#onPosted(found);
  }

  async #send(process: PostingProcess): Promise<void> {
    const came = await process.attempt(this.#wanted("send"), this.#attempts, () => this.#freeze());
    if (came?.outcome !== "taken" || this.#frozen === undefined) return;

    const { entries } = this.#frozen;
    this.#frozen = undefined;
    this.#onPosted(entries);
  }

  #freeze(): Message {
    if (this.#frozen === undefined) {
      const isDigest = this.#waiting.length > DIGEST_FROM;
      const entries = this.#waiting.splice(0, isDigest ? this.#waiting.length : LINES);
      const brings = entries.map(({ id }) => id);
      this.#frozen = { message: { nonce: this.#ports.nonce(), brings }, entries };
    }
    return this.#frozen.message;
  }

  #onPosted(entries: readonly Entry[]): void {
    this.#ports.discord.acknowledge(
      this.channel,
      entries.map(({ id }) => id),
    );
    this.#ports.onPosted(entries, this);
  }

  #wanted(request: "read" | "send") {
    const waiting = () => this.#oldest();
    return { class: "batch", channelId: this.channel, request, waiting } as const;
  }

  #oldest(): readonly number[] {
    const frozen = this.#frozen?.entries ?? [];
    const rest = this.#waiting.slice(0, Math.max(0, LINES - frozen.length));
    return [...frozen, ...rest].map(({ atMs }) => atMs);
  }

  async #flushes(): Promise<void> {
    for (;;) {
      const nowMs = this.#ports.clock.monotonicMs();
      const firstMs = this.#waiting[0]?.atMs ?? nowMs;
      const lastMs = this.#waiting.at(-1)?.atMs ?? nowMs;
      const forMs = Math.min(firstMs + FLUSH_MS, lastMs + QUIET_MS) - nowMs;
      if (forMs <= 0 || this.#waiting.length >= LINES) return;
      await this.#ports.clock.sleep(forMs);
    }
  }
}
