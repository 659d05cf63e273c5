import { setTimeout as sleep } from "node:timers/promises";
import type { BotProcess } from "../../src/sandbox/bot-process.ts";
import { commandIsThere } from "../../src/sandbox/moves.ts";
import { openStage, type Stage } from "../../src/sandbox/stage.ts";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import { TcpWay } from "../support/tcp-way.ts";
import { addFeeds, type Channels, differences, type Lengths, lengthsOf, noticesIn } from "./compare.ts";

/** Of the real clock, and only for what never comes. */
const PATIENCE_MS = 300_000;
/** Each look may ask every process. */
const LOOK_EVERY_MS = 250;
/** Events a minute in the town: at first so many that soon each kind has happened. */
const BEFORE_THE_FEEDS = 3_000;
const USUAL = 240;

/** Several real bot processes on one real Redis, between a town and an emulated Discord, with four feeds. */
export class Crew {
  readonly redis: RedisServer;
  readonly stage: Stage;
  /** Of each process, its own way to Redis. */
  readonly #ways: readonly TcpWay[];
  #channels: Channels | undefined;
  #from: Lengths | undefined;

  private constructor(redis: RedisServer, stage: Stage, ways: readonly TcpWay[]) {
    this.redis = redis;
    this.stage = stage;
    this.#ways = ways;
  }

  /** The first process serves, the feeds have their baselines, the town stands still. */
  static async open(processes: number): Promise<Crew> {
    const redis = await startRedis({ appendfsync: "everysec" });
    const toRedis = () => TcpWay.open(() => Number(new URL(redis.url).port));
    const ways = await Promise.all(Array.from({ length: processes }, toRedis));
    const stage = await openStage({
      seed: 7,
      serverKey: "crew-key",
      traffic: "quiet",
      live: true,
      processes,
      environment: { STORE_URL: redis.url, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") },
      environmentOf: (index) => ({ STORE_URL: `redis://127.0.0.1:${ways[index]?.port}` }),
    });
    const crew = new Crew(redis, stage, ways);
    try {
      await crew.#begin();
      return crew;
    } catch (error) {
      crew.tell();
      await crew.close();
      throw error;
    }
  }

  /** The process that serves at this moment. */
  async holder(): Promise<BotProcess> {
    return await this.until("a process that serves", async () => {
      for (const bot of this.stage.bots) if (await serves(bot)) return bot;
      return undefined;
    });
  }

  /** One of the others. */
  async standby(): Promise<BotProcess> {
    const holder = await this.holder();
    const other = this.stage.bots.find((bot) => bot !== holder && bot.running);
    if (other === undefined) throw new Error("there is no other process");
    return other;
  }

  /** The way of one process to Redis; the others keep theirs. */
  wayOf(bot: BotProcess): TcpWay {
    const way = this.#ways[this.stage.bots.indexOf(bot)];
    if (way === undefined) throw new Error("this process is not of the crew");
    return way;
  }

  /** A process that says that it is ready. */
  async ready(bot: BotProcess): Promise<void> {
    await this.until("a process that is ready", async () => (await serves(bot)) || undefined);
  }

  async until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > deadlineMs) throw new Error(`never seen: ${what}`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Waits until every entry of the town so far stands in its channel; then what is lost or stands there twice. */
  async shown(): Promise<{ readonly lost: readonly string[]; readonly repeated: readonly string[] }> {
    const look = () => {
      const found = this.#differences();
      return {
        lost: found.flatMap(({ what, lost }) => lost.map((entry) => `${what}: ${entry}`)),
        repeated: found.flatMap(({ what, repeated }) => repeated.map((entry) => `${what}: ${entry}`)),
        due: found.reduce((sum, { due }) => sum + due, 0),
      };
    };
    await this.until("all entries in their channels", () => {
      const { lost, due } = look();
      return due > 0 && lost.length === 0 ? true : undefined;
    }).catch(() => undefined);
    const { lost, repeated } = look();
    return { lost, repeated };
  }

  /** Messages in the log channels that begin in this way. */
  notices(beginning: string): readonly string[] {
    return this.#channels === undefined ? [] : noticesIn(this.stage.discord, this.#channels, beginning);
  }

  /** The last lines of every process, for a test that failed. */
  tell(): void {
    for (const [index, bot] of this.stage.bots.entries())
      for (const line of bot.lines.slice(-25)) console.log(`${index}: ${line}`);
  }

  async close(): Promise<void> {
    for (const bot of this.stage.bots) await bot.kill();
    await this.stage.close();
    for (const way of this.#ways) way.close();
    await this.redis.stop();
  }

  #differences() {
    if (this.#channels === undefined || this.#from === undefined) throw new Error("nothing has begun");
    return differences(this.stage.discord, this.stage.town.record, this.#channels, this.#from);
  }

  async #begin(): Promise<void> {
    const { stage } = this;
    const { cast, town } = stage;
    town.setIntensity(BEFORE_THE_FEEDS);
    await this.until("something of each kind in the town", () =>
      Object.values(lengthsOf(town.record)).every((length) => length >= 2) ? true : undefined,
    );
    town.pause();
    town.setIntensity(USUAL);
    // So long that the bot's absence never opens a real gap: what is lost then was lost by the bot.
    Object.assign(town.windows, { joins: 400, kills: 400, commands: 400, modCalls: 400 });
    for (const bot of stage.bots) bot.start();
    await commandIsThere(stage, cast.owner, cast.channels.staff, "setup");
    const channels = await addFeeds(stage);
    const due = stage.service.counts.requests + 3;
    await this.until("three reads", () => (stage.service.counts.requests >= due ? true : undefined));
    this.#channels = channels;
    this.#from = lengthsOf(town.record);
  }
}

/** Whether a process says that it holds shards and is ready. */
async function serves(bot: BotProcess): Promise<boolean> {
  const state = await bot.state();
  const cluster = field(state, "cluster");
  const discord = field(state, "discord");
  return typeof field(cluster, "holds") === "string" && field(discord, "ready") === true;
}

/** What a process says of its part in the crew: the block that it holds, or why it holds none. */
export async function standingOf(bot: BotProcess): Promise<string> {
  const cluster = field(await bot.state(), "cluster");
  return String(field(cluster, "holds") ?? field(cluster, "standing"));
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
