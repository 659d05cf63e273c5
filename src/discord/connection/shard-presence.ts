import { type Client, Events } from "discord.js";
import type { Clock } from "../../domain/ports/clock.ts";

/** Measures how long a shard has been cut off from Discord: a client that calls itself ready may have none left. */
export class ShardPresence {
  readonly #awaySinceMs = new Map<number, number>();
  readonly #clock: Clock;

  constructor(client: Client, clock: Clock) {
    this.#clock = clock;
    client.on(Events.ShardReconnecting, (id) => this.#onAway(id));
    client.on(Events.ShardDisconnect, (_, id) => this.#onAway(id));
    client.on(Events.ShardReady, (id) => this.#awaySinceMs.delete(id));
    client.on(Events.ShardResume, (id) => this.#awaySinceMs.delete(id));
  }

  /** How long, in milliseconds; 0 while it is connected. */
  awayForMs(id: number): number {
    const sinceMs = this.#awaySinceMs.get(id);
    return sinceMs === undefined ? 0 : Math.max(1, this.#clock.monotonicMs() - sinceMs);
  }

  /** Each failed attempt to reconnect is an event too; the first one counts. */
  #onAway(id: number): void {
    if (!this.#awaySinceMs.has(id)) this.#awaySinceMs.set(id, this.#clock.monotonicMs());
  }
}
