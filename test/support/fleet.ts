import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/clock.ts";
import { BotProcess } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Exchange } from "../../src/sandbox/discord/types.ts";
import { freePort } from "../../src/sandbox/free-port.ts";
import { serve } from "../../src/sandbox/service/http.ts";
import { Service } from "../../src/sandbox/service/service.ts";
import { addCommunity, type Community, keyOf, settle } from "../bench/communities.ts";
import { differences, gapNotices, type Lengths, lengthsOf } from "../e2e/compare.ts";
import { seededRandom } from "./clock.ts";
import { RedisPair } from "./redis-pair.ts";

export interface FleetOptions {
  readonly seed: number;
  readonly communities: number;
  /** Each with its own shards; as many processes serve one block each. */
  readonly blocks: number;
  readonly shardsOfBlock: number;
  /** Processes beside these, that stand by. */
  readonly standbys: number;
  /** Log entries of all servers together. */
  readonly perMinute: number;
  /** Requests a second that the service allows. */
  readonly perSecond: number;
  /** Identifies that Discord takes at once. @default 16, as it tells large bots */
  readonly maxConcurrency?: number;
  /** How often is looked for what is waited for; each look may ask every process. @default 300 */
  readonly lookEveryMs?: number;
  /** Two communities of different blocks have linked one server: `Fleet.neighbours`. @default false */
  readonly sharesServer?: boolean;
}

/** What stands in the channels, held against the towns' own records. */
export interface Found {
  readonly due: number;
  readonly lost: readonly string[];
  readonly repeated: readonly string[];
  readonly gaps: readonly string[];
  /** Communities, by number, that were told that entries may be missing. */
  readonly toldOfGaps: ReadonlySet<number>;
}

type Http = Awaited<ReturnType<typeof serve>>;

interface Asked {
  readonly text: string;
  readonly atMs: number;
  readonly exchange: Exchange;
}

const SECRET_KEY = new Uint8Array(32).fill(7);
const DISCORD_EPOCH_MS = 1_420_070_400_000;
const SHAPE = { textChannels: 1, voiceChannels: 0, roles: 2 };
const LOOK_EVERY_MS = 300;
/** After so long a person reads that the bot did not respond: Discord gives it three seconds. */
const NO_RESPONSE_MS = 4_000;
/** So long that a block's absence never opens a real gap: what is lost then was lost by the bot. */
const LONG_LOG = 600;

/** Several real bot processes with a block of shards each, on a real Redis, between an emulated service and Discord. */
export class Fleet {
  readonly options: FleetOptions;
  readonly redis: RedisPair;
  readonly service: Service;
  readonly discord: EmulatedDiscord;
  readonly communities: readonly Community[];
  readonly bots: BotProcess[] = [];
  readonly asked: Asked[] = [];
  readonly #http: Http;
  readonly #ticking: NodeJS.Timeout;
  readonly #from = new Map<Community, Lengths>();
  /** The community whose server is that of the first one. */
  readonly #guest: number | undefined;
  #people: Promise<void> | undefined;
  #arePeopleHere = false;
  /** Each command is a text of its own. */
  #commands = 0;

  private constructor(parts: Pick<Fleet, "options" | "redis" | "service" | "discord"> & { http: Http }) {
    this.options = parts.options;
    this.redis = parts.redis;
    this.service = parts.service;
    this.discord = parts.discord;
    this.#http = parts.http;
    const { options } = parts;
    this.communities = Array.from({ length: options.communities }, (_, index) => {
      // The shard of a community is the millisecond in which it was made: each block gets as many as the others.
      while (this.#blockOfShard(Date.now() - DISCORD_EPOCH_MS) !== index % options.blocks);
      return addCommunity(this.discord, index, SHAPE);
    });
    this.#guest = options.sharesServer === true ? this.#firstOfAnotherBlock() : undefined;
    this.#ticking = setInterval(() => this.service.advance(), 500);
  }

  /** Everything but the processes runs; the communities are set up, their towns stand still. */
  static async open(options: FleetOptions): Promise<Fleet> {
    const { seed, communities, perSecond, blocks, shardsOfBlock, perMinute } = options;
    const redis = await RedisPair.start();
    const service = new Service({
      nowMs: Date.now,
      seed,
      keys: Array.from({ length: communities }, (_, index) => keyOf(index)),
      limits: { global: { limit: perSecond, windowMs: 1_000 } },
      town: { intensity: "quiet" },
    });
    const http = await serve(service, { host: "127.0.0.1" });
    const discord = await EmulatedDiscord.start({ seed: String(seed) });
    discord.limits.shards = blocks * shardsOfBlock;
    discord.limits.identify.maxConcurrency = options.maxConcurrency ?? discord.limits.identify.maxConcurrency;
    const fleet = new Fleet({ options, redis, service, discord, http });
    for (const key of service.keys) {
      const town = service.town(key);
      town.setIntensity(Math.max(1, perMinute / communities));
      Object.assign(town.windows, {
        joins: LONG_LOG,
        kills: LONG_LOG,
        commands: LONG_LOG,
        modCalls: LONG_LOG,
      });
    }
    const made = {
      clock: systemClock,
      random: seededRandom(seed),
      areKeysTaken: true,
      secretKey: SECRET_KEY,
      keyAt: (index: number) => fleet.#keyAt(index),
    };
    await settle(redis.url, fleet.communities, made);
    await fleet.add(blocks + options.standbys);
    return fleet;
  }

  /** More processes, not yet started; `blocks`: how many blocks they make of the shards. */
  async add(count: number, blocks = this.options.blocks): Promise<readonly BotProcess[]> {
    const shards = this.options.blocks * this.options.shardsOfBlock;
    const made: BotProcess[] = [];
    for (let n = 0; n < count; n++)
      made.push(
        new BotProcess({
          DISCORD_TOKEN: this.discord.token,
          DISCORD_API_URL: this.discord.apiUrl,
          SERVICE_URL: this.#http.url,
          STORE_URL: this.redis.url,
          SECRET_KEY: Buffer.from(SECRET_KEY).toString("base64"),
          OPS_ADDRESS: `127.0.0.1:${await freePort()}`,
          BAD_KEY_BUDGET: "60",
          SHARDS: `any:${shards / blocks}/${shards}`,
          LOG_LEVEL: "info",
        }),
      );
    this.bots.push(...made);
    return made;
  }

  /** All processes start; resolves when every block is served and every server was read after that. */
  async begin(): Promise<void> {
    // What stands in a log when a feed begins is not due: each log has something before.
    await this.until("something in each town", () => this.#records().every(isBegun) || undefined);
    for (const key of this.service.keys) this.service.town(key).pause();
    for (const bot of this.bots) bot.start();
    await this.served();
    await this.#allRead();
    for (const [index, community] of this.communities.entries())
      this.#from.set(community, lengthsOf(this.#town(index).record));
  }

  /** Something happens in the towns from now on, and people run commands. */
  run(): void {
    for (const key of this.service.keys) this.service.town(key).resume();
    this.#arePeopleHere = true;
    this.#people ??= this.#askOn();
  }

  /** The towns stand still, and nobody asks any more. */
  async rest(): Promise<void> {
    this.#arePeopleHere = false;
    await this.#people;
    this.#people = undefined;
    for (const key of this.service.keys) this.service.town(key).pause();
  }

  /** The process that serves a block, by its number; undefined: none does. */
  async holders(): Promise<ReadonlyMap<string, BotProcess>> {
    const held = new Map<string, BotProcess>();
    for (const bot of this.bots) {
      const state = bot.running ? await bot.state() : undefined;
      const block = fieldOf(fieldOf(state, "cluster"), "holds");
      if (typeof block === "string" && fieldOf(fieldOf(state, "discord"), "ready") === true)
        held.set(block, bot);
    }
    return held;
  }

  /**
   * Resolves when every process that serves knows of the service's halt and what it sent before has arrived; false: not
   * all knew of it within that time.
   */
  async haltKnown(withinMs: number): Promise<boolean> {
    const knows = async (bot: BotProcess) =>
      (fieldOf(fieldOf(await bot.state(), "service"), "halt") ?? undefined) !== undefined;
    const deadlineMs = performance.now() + withinMs;
    for (const bot of (await this.holders()).values()) {
      const leftMs = deadlineMs - performance.now();
      const known = this.until(
        "a process that knows of the halt",
        async () => (await knows(bot)) || undefined,
        leftMs,
      );
      if (!(await known.catch(() => false))) return false;
      // What it sent before this goes over the same loopback before it.
      await bot.state();
    }
    return true;
  }

  /** The process that has claimed a block, whether it serves it already or not. */
  async claimant(block: string): Promise<BotProcess | undefined> {
    for (const bot of this.bots) {
      const state = bot.running ? await bot.state() : undefined;
      if (fieldOf(fieldOf(state, "cluster"), "holds") === block) return bot;
    }
    return undefined;
  }

  /** Resolves when every block is served. */
  async served(blocks = this.options.blocks): Promise<void> {
    await this.until("every block served", async () => (await this.holders()).size === blocks || undefined);
  }

  /** Two communities whose blocks differ and who have linked one server. */
  get neighbours(): readonly [Community, Community] {
    const [host, guest] = [this.communities[0], this.communities[this.#guest ?? -1]];
    if (host === undefined || guest === undefined) throw new Error("no server is shared (sharesServer)");
    return [host, guest];
  }

  /** The process that serves a community. */
  async holderOf(community: Community): Promise<BotProcess> {
    const first = this.#blockOf(community) * this.options.shardsOfBlock;
    return await this.until(
      "its block served",
      async () => [...(await this.holders())].find(([block]) => Number.parseInt(block, 10) === first)?.[1],
    );
  }

  /** Waits until all entries stand in their channels, at most so long; then what is missing or there twice. */
  async judged(withinMs: number): Promise<Found> {
    const look = () => this.#found();
    await this.until(
      "all entries in their channels",
      () => look().lost.length === 0 || undefined,
      withinMs,
    ).catch(() => undefined);
    return look();
  }

  /** Commands that ran twice. */
  get repeatedCommands(): readonly string[] {
    const { executionsByText } = this.service.counts;
    return this.asked.flatMap(({ text }) => ((executionsByText.get(text) ?? 0) > 1 ? [text] : []));
  }

  /** People who still read "thinking...". */
  get unanswered(): readonly string[] {
    return this.asked.flatMap((one) => (one.exchange.pending ? [toldOf(one)] : []));
  }

  /** People who read that their command waits or is being sent. */
  get unfinished(): readonly string[] {
    return this.asked.flatMap((one) =>
      isWaiting(one.exchange) && !one.exchange.pending ? [toldOf(one)] : [],
    );
  }

  async until<T>(
    what: string,
    probe: () => Promise<T | undefined> | T | undefined,
    withinMs = 300_000,
  ): Promise<T> {
    const deadlineMs = performance.now() + withinMs;
    for (;;) {
      const found = await probe();
      if (found !== undefined) return found;
      if (performance.now() > deadlineMs) throw new Error(`never seen: ${what}`);
      await sleep(this.options.lookEveryMs ?? LOOK_EVERY_MS);
    }
  }

  /** The last lines of every process, for a run that failed. */
  tell(lines = 25): void {
    for (const [index, bot] of this.bots.entries())
      for (const line of bot.lines.slice(-lines)) console.log(`${index}: ${line}`);
  }

  async close(): Promise<void> {
    this.#arePeopleHere = false;
    await this.#people;
    for (const bot of this.bots) await bot.kill();
    clearInterval(this.#ticking);
    await this.discord.close();
    await this.#http.close();
    await this.redis.stop();
  }

  #town(index: number) {
    return this.service.town(this.#keyAt(index));
  }

  #keyAt(index: number): string {
    return keyOf(index === this.#guest ? 0 : index);
  }

  #blockOf({ guild }: Community): number {
    return this.#blockOfShard(Number(BigInt(guild.id) >> 22n));
  }

  /** Of `shard` modulo the number of shards. */
  #blockOfShard(shard: number): number {
    const { blocks, shardsOfBlock } = this.options;
    return Math.floor((shard % (blocks * shardsOfBlock)) / shardsOfBlock);
  }

  #firstOfAnotherBlock(): number {
    const [host] = this.communities;
    const index = this.communities.findIndex(
      (one) => host !== undefined && this.#blockOf(one) !== this.#blockOf(host),
    );
    if (index < 0) throw new Error("all communities are of one block");
    return index;
  }

  #records() {
    return this.communities.map((_, index) => this.#town(index).record);
  }

  async #allRead(): Promise<void> {
    const { byKey } = this.service.counts;
    const before = new Map(byKey);
    const keys = this.communities.map((_, index) => this.#keyAt(index));
    await this.until("a read of every server", () =>
      keys.every((key) => (byKey.get(key) ?? 0) >= (before.get(key) ?? 0) + 2) ? true : undefined,
    );
  }

  async #askOn(): Promise<void> {
    const random = seededRandom(this.options.seed + this.#commands);
    while (this.#arePeopleHere) {
      const community = this.communities[Math.floor(random.next() * this.communities.length)];
      const text = `:h ${this.options.seed}-${++this.#commands}`;
      const atMs = Date.now();
      // Who meets a bot that is not there is told so by Discord, and nothing was asked.
      const exchange = await community?.moderator
        .slash(community.general, "run command", { text }, { waitMs: NO_RESPONSE_MS })
        .catch(() => undefined);
      if (exchange !== undefined && exchange.kind !== "none") this.asked.push({ text, atMs, exchange });
      await sleep(1_000 + random.next() * 2_000);
    }
  }

  #found(): Found {
    const all = { due: 0, lost: [] as string[], repeated: [] as string[], gaps: [] as string[] };
    const toldOfGaps = new Set<number>();
    for (const [index, community] of this.communities.entries()) {
      const from = this.#from.get(community);
      if (from === undefined) continue;
      const channelOf = (kind: string) =>
        community.feeds.find((feed) => feed.kind === kind)?.channel ?? community.general;
      const channels = {
        joins: channelOf("joins"),
        kills: channelOf("kills"),
        modCalls: channelOf("modCalls"),
        commands: community.general,
      };
      for (const { what, due, lost, repeated } of differences(
        this.discord,
        this.#town(index).record,
        channels,
        from,
      )) {
        if (what === "commands") continue;
        all.due += due;
        all.lost.push(...lost.map((entry) => `${index} ${what}: ${entry}`));
        all.repeated.push(...repeated.map((entry) => `${index} ${what}: ${entry}`));
      }
      const gaps = gapNotices(this.discord, channels);
      if (gaps.length > 0) toldOfGaps.add(index);
      all.gaps.push(...gaps);
    }
    return { ...all, toldOfGaps };
  }
}

/** Whether its person still waits: "thinking...", or a card that says that the command waits or is being sent. */
export function isWaiting({ pending, text }: Exchange): boolean {
  return pending || /⏳ Waiting, not sent yet|📨 Being sent/u.test(text);
}

/** With its time, by which it is found among the lines of the processes. */
function toldOf({ text, atMs }: Asked): string {
  return `${text}, asked at ${atMs}`;
}

function isBegun(record: Parameters<typeof lengthsOf>[0]): boolean {
  const { joins } = lengthsOf(record);
  return joins >= 1;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
