import { type Service as Client, createServiceClient } from "../../src/api/client.ts";
import type { Transport } from "../../src/api/http/transport.ts";
import { Failure } from "../../src/domain/failure.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { clientDocuments } from "../support/client-documents.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { mostWithin } from "../support/key-crowd.ts";
import { FakeKeyRing, FakeMetrics } from "../support/network.ts";

/** A week of a host with thousands of communities, whose owners change their keys now and then. */
export interface KeyWeek {
  readonly keysChanged: number;
  readonly linksTried: number;
  /** Times that somebody who typed a key was turned away because of others. */
  readonly linkingRefused: number;
  /** The longest that a poll with a good key waited, in seconds. */
  readonly longestWaitS: number;
  readonly mostRefused: number;
  readonly requests: number;
}

export interface KeyWeekOptions {
  readonly guilds: number;
  readonly days: number;
  readonly badKeyBudget: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CHANGED_A_DAY = 0.01;
/** Each server is polled once in this time: a key is in use all week, and a week can be simulated. */
const POLL_EVERY_MS = 4 * HOUR_MS;
const POLLS_A_TICK = 4;
const LOOK_AGAIN_MS = 15_000;
/** Some type a wrong key first, or the old one. */
const MISTYPED = 0.3;
const LIMIT_PER_S = 1_000;
const BODY = JSON.stringify({ Name: "Town", OwnerId: 1, CoOwnerIds: [], CurrentPlayers: 0, MaxPlayers: 40 });

/** Runs the real client against a service that knows nothing but which keys are good, and answers in 150 ms. */
export async function keyWeek({ guilds, days, badKeyBudget }: KeyWeekOptions): Promise<KeyWeek> {
  const week = new Week(guilds, badKeyBudget);
  await week.run(days * DAY_MS);
  return week.figures;
}

class Week {
  readonly #clock = new VirtualClock();
  readonly #random = seededRandom(7);
  readonly #ring = new FakeKeyRing();
  readonly #good = new Set<string>();
  readonly #keys: string[];
  readonly #client: Client;
  readonly #badAtMs: number[] = [];
  #requests = 0;
  #window = { second: 0, left: 0 };
  #changed = 0;
  #linksTried = 0;
  #linkingRefused = 0;
  #longestWaitMs = 0;

  constructor(guilds: number, badKeyBudget: number) {
    this.#keys = Array.from({ length: guilds }, (_, n) => `key${n}v0-server${n}`);
    for (const key of this.#keys) {
      this.#good.add(key);
      this.#ring.add(key);
    }
    this.#client = createServiceClient({
      serviceUrl: "http://service.invalid",
      ...clientDocuments(),
      keys: this.#ring,
      clock: this.#clock,
      random: this.#random,
      metrics: new FakeMetrics(),
      onEvent: () => {},
      transport: this.#answer,
      badKeyBudget,
    });
  }

  get figures(): KeyWeek {
    return {
      keysChanged: this.#changed,
      linksTried: this.#linksTried,
      linkingRefused: this.#linkingRefused,
      longestWaitS: this.#longestWaitMs / 1_000,
      mostRefused: mostWithin(this.#badAtMs, HOUR_MS),
      requests: this.#requests,
    };
  }

  async run(forMs: number): Promise<void> {
    const tickMs = (POLL_EVERY_MS * POLLS_A_TICK) / this.#keys.length;
    const changeChance = (this.#keys.length * CHANGED_A_DAY * tickMs) / DAY_MS;
    const endMs = this.#clock.monotonicMs() + forMs;
    for (let next = 0; this.#clock.monotonicMs() < endMs; next += POLLS_A_TICK) {
      for (let n = 0; n < POLLS_A_TICK; n++) void this.#poll((next + n) % this.#keys.length);
      if (this.#random.next() < changeChance) this.#change();
      await this.#clock.advance(tickMs);
    }
    const closing = this.#client.close();
    await this.#clock.advance(10_000);
    await closing;
  }

  /** Polls until there is an answer, as the schedule does; the wait of a key that stayed good counts. */
  async #poll(n: number): Promise<void> {
    const key = this.#keys[n] ?? "";
    const sinceMs = this.#clock.monotonicMs();
    for (;;) {
      try {
        await this.#client.read(this.#ring.sourceOf(new ServerKey(key)), [], { priority: "poll" });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (!this.#good.has(key)) return;
        await this.#clock.sleep(LOOK_AGAIN_MS);
        continue;
      }
      this.#longestWaitMs = Math.max(this.#longestWaitMs, this.#clock.monotonicMs() - sinceMs);
      return;
    }
  }

  /** An owner makes a new key; the community hears of it when the old one is refused, and links the new one. */
  #change(): void {
    const n = Math.floor(this.#random.next() * this.#keys.length);
    const old = this.#keys[n] ?? "";
    if (!this.#good.delete(old)) return;
    this.#changed += 1;
    const fresh = `key${n}v${this.#changed}-server${n}`;
    this.#good.add(fresh);
    void this.#link({ n, old, fresh, guildId: `guild-${n}` });
  }

  async #link(change: { n: number; old: string; fresh: string; guildId: string }): Promise<void> {
    const { n, old, fresh, guildId } = change;
    const source = this.#ring.sourceOf(new ServerKey(old));
    while (this.#client.parked(source) === undefined) await this.#clock.sleep(MINUTE_MS);
    await this.#clock.sleep((5 + 115 * this.#random.next()) * MINUTE_MS);
    if (this.#random.next() < MISTYPED) await this.#type(`${fresh}x`, guildId);
    while (!(await this.#type(fresh, guildId))) await this.#clock.sleep(HOUR_MS);
    this.#ring.remove(source);
    this.#ring.add(fresh);
    this.#keys[n] = fresh;
    await this.#client.unpark(this.#ring.sourceOf(new ServerKey(fresh)));
  }

  async #type(key: string, guildId: string): Promise<boolean> {
    this.#linksTried += 1;
    try {
      await this.#client.verifyKey(new ServerKey(key), { guildId, isKnown: true });
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code !== "key-rejected") this.#linkingRefused += 1;
      return false;
    }
  }

  readonly #answer: Transport = async (request) => {
    await this.#clock.sleep(0);
    request.onStart();
    this.#requests += 1;
    const second = Math.floor(this.#clock.nowMs() / 1_000);
    if (second !== this.#window.second) this.#window = { second, left: LIMIT_PER_S };
    this.#window.left -= 1;
    const { left } = this.#window;
    await this.#clock.sleep(150);
    const nowMs = this.#clock.nowMs();
    const headers = {
      date: new Date(nowMs).toUTCString(),
      "content-type": "application/json",
      "x-ratelimit-bucket": "global",
      "x-ratelimit-limit": String(LIMIT_PER_S),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": String(second + 1),
    };
    if (this.#good.has(request.headers["server-key"] ?? "")) return { status: 200, headers, body: BODY };
    this.#badAtMs.push(nowMs);
    return { status: 403, headers, body: JSON.stringify({ code: 2002, message: "Invalid key." }) };
  };
}
