import assert from "node:assert/strict";
import { join } from "node:path";
import { buildMarshal } from "../../src/build-marshal.ts";
import { systemRandom } from "../../src/clock.ts";
import { readConfig, secretsOf } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { startOps } from "../../src/ops/ops-server.ts";
import { Shutdown } from "../../src/ops/shutdown.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type {
  Channel,
  Exchange,
  Guild,
  Message,
  Modal,
  Person,
  Role,
} from "../../src/sandbox/discord/types.ts";
import { serve } from "../../src/sandbox/service/http.ts";
import type { ServiceOptions, Town } from "../../src/sandbox/service/service.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { FastClock } from "./fast-clock.ts";
import { answerOf, PATIENCE_MS, reads, textOf } from "./read.ts";
import { type Answered, WatchedService } from "./watched-service.ts";

/** How fast time passes where a test does not say. */
const USUAL_SPEED = 8;

export interface E2eOptions
  extends Partial<Pick<ServiceOptions, "keys" | "limits" | "faults" | "town" | "towns">> {
  /** How many times as fast as the machine's time passes: what takes minutes needs more than most. */
  readonly speed?: number;
  /**
   * Where nothing happens time leaps to what is due: for tests that wait long. Not for those that count requests, since what
   * is due comes to the millisecond then, with none of the lateness that a machine has. @default false
   */
  readonly leaps?: boolean;
  /** What the clocks of all show at the start; without it, what this machine's shows. */
  readonly startMs?: number;
  /** The database of its history; without one, a file beside its store. */
  readonly historyUrl?: string;
  /** What the host risks in refused keys; without it, the default. */
  readonly badKeyBudget?: number;
  /** Further variables of the bot. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of its store; without one, a folder that goes with the rig. */
  readonly storeFolder?: string;
}

/** One community of the emulated Discord. */
export interface Community {
  readonly guild: Guild;
  readonly general: Channel;
  readonly staffRole: Role;
  readonly owner: Person;
  readonly moderator: Person;
  readonly member: Person;
}

/** The real bot in this process, between an emulated service and an emulated Discord that it meets over loopback. */
export class E2eRig {
  readonly clock: FastClock;
  readonly service: WatchedService;
  readonly discord: EmulatedDiscord;
  readonly home: Community;
  /** Each line that the bot logged, from all its starts. */
  readonly lines: string[] = [];
  /** Every key that was ever used or typed: none may be seen anywhere. */
  readonly keys = new Set<string>();
  readonly #folder = tempFolder();
  readonly #storeFolder: string;
  readonly #historyUrl: string | undefined;
  readonly #badKeyBudget: number | undefined;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #listeners = new Set<() => void>();
  #serviceUrl = "";
  #opsUrl = "";
  #stopBot: (() => Promise<void>) | undefined;

  private constructor(discord: EmulatedDiscord, clock: FastClock, options: E2eOptions) {
    this.clock = clock;
    this.discord = discord;
    this.#storeFolder = options.storeFolder ?? this.#folder.path;
    this.#historyUrl = options.historyUrl;
    this.#badKeyBudget = options.badKeyBudget;
    this.#environment = options.environment ?? {};
    this.service = new WatchedService({
      nowMs: clock.nowMs,
      town: { initialPlayers: 6, range: { min: 6, max: 6 }, info: { maxPlayers: 500 } },
      keys: ["alpha-first-key"],
      ...options,
    });
    for (const key of this.service.keys) {
      this.keys.add(key);
      this.service.town(key).pause();
    }
    this.home = this.community("Riverside");
    const tell = () => this.#tell();
    this.#ends.push(async () => this.service.onAnswered(tell)());
    this.service.onAnswered(tell);
    discord.on(tell);
  }

  /** Everything runs when it resolves: the bot has logged in and registered its commands. */
  static async start(options: E2eOptions = {}): Promise<E2eRig> {
    const { speed = USUAL_SPEED, startMs } = options;
    const clock = new FastClock(speed, startMs);
    const discord = await EmulatedDiscord.start({ nowMs: clock.nowMs, pace: "wide", record: true });
    // Thresholds that a person at real speed would meet at the speed of the clock.
    discord.limits.answerWithinMs *= speed;
    const rig = new E2eRig(discord, clock, options);
    const http = await serve(rig.service, { crossingMs: 25 * speed });
    // The emulators wait, and discord.js to connect again, by the machine's clock.
    const isAlone = () => discord.sessions.length > 0 && discord.waiting === 0 && http.underWay() === 0;
    if (options.leaps === true) clock.leapWhile(isAlone);
    rig.#serviceUrl = http.url;
    rig.#ends.push(
      () => rig.stop(),
      () => discord.close(),
      () => http.close(),
      async () => rig.#folder.remove(),
      async () => clock.close(),
    );
    await rig.startBot();
    return rig;
  }

  get key(): string {
    return this.service.keys[0] ?? "";
  }

  get town(): Town {
    return this.service.town(this.key);
  }

  community(name: string): Community {
    const guild = this.discord.addGuild({ name, ownerName: "Olive" });
    const staffRole = guild.addRole({ name: "Staff", mentionable: true });
    const general = guild.addChannel({ name: "general" });
    const as = (who: string, roles: readonly Role[]) =>
      this.discord.as(guild.addMember({ name: who, roles }));
    return {
      guild,
      general,
      staffRole,
      owner: this.discord.as(guild.owner),
      moderator: as("Mo", [staffRole]),
      member: as("Jo", []),
    };
  }

  async startBot(): Promise<void> {
    const { clock } = this;
    const environment = {
      DISCORD_TOKEN: this.discord.token,
      DISCORD_API_URL: this.discord.apiUrl,
      PUBLIC_ADDRESS: "203.0.113.7",
      SERVICE_URL: this.#serviceUrl,
      STORE_URL: `sqlite:${this.storePath}`,
      ...(this.#historyUrl === undefined ? {} : { HISTORY_URL: this.#historyUrl }),
      ...(this.#badKeyBudget === undefined ? {} : { BAD_KEY_BUDGET: String(this.#badKeyBudget) }),
      OPS_ADDRESS: "127.0.0.1:0",
      LOG_LEVEL: "debug",
      ...this.#environment,
    };
    const config = readConfig(environment);
    const write = (line: string) => {
      this.lines.push(line);
      this.#tell();
    };
    const log = createLog({ level: config.logLevel, secrets: secretsOf(config, environment), write });
    const exits: number[] = [];
    const shutdown = new Shutdown({
      clock,
      log,
      deadlineMs: 60_000 * clock.speed,
      exit: (code) => exits.push(code),
    });
    const marshal = await buildMarshal(config, { log, clock, random: systemRandom });
    const ops = await startOps({ host: "127.0.0.1", port: 0 }, marshal.ops);
    this.#opsUrl = `http://${ops.host}:${ops.port}`;
    // Some of them wait for a thread or a disk, which are no faster than the machine.
    for (const step of marshal.steps) shutdown.add({ ...step, withinMs: step.withinMs * clock.speed });
    shutdown.add({ name: "ops", withinMs: 10_000, run: () => ops.close() });
    this.#stopBot = async () => {
      await shutdown.stop("the test ends it");
      assert.deepEqual(exits, [0], `the stop was not clean:\n${this.lines.slice(-10).join("")}`);
    };
    await marshal.start();
  }

  /** The file of its store. */
  get storePath(): string {
    return join(this.#storeFolder, "marshal.sqlite");
  }

  /** Stops the bot in the order of its steps; it must be a clean stop. */
  async stop(): Promise<void> {
    const stop = this.#stopBot;
    this.#stopBot = undefined;
    await stop?.();
  }

  /** Stops it and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.startBot();
  }

  async ops(path: "/state" | "/metrics" | "/readyz"): Promise<string> {
    return await (await fetch(this.#opsUrl + path)).text();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Waits until the probe gives something: asked now, and after each answer, event of Discord and logged line. */
  async until<T>(what: string, probe: () => T | undefined | false, withinMs = PATIENCE_MS): Promise<T> {
    const found = Promise.withResolvers<T>();
    const look = () => {
      const value = probe();
      if (value !== undefined && value !== false) found.resolve(value);
    };
    const late = setTimeout(() => {
      const asked = this.discord.traffic
        .slice(-8)
        .map(({ atMs, method, path, status }) => [atMs, method, path.slice(0, 40), status].join(" "));
      const { requests, byStatus } = this.service.counts;
      const counts = `${requests} requests of the service, ${JSON.stringify([...byStatus])}`;
      const story = [
        `never seen: ${what}; now ${this.clock.nowMs()}`,
        counts,
        ...asked,
        ...this.lines.slice(-8),
      ];
      found.reject(new Error(story.join("\n")));
    }, withinMs);
    this.#listeners.add(look);
    try {
      look();
      return await found.promise;
    } finally {
      clearTimeout(late);
      this.#listeners.delete(look);
    }
  }

  /** Waits until the bot has taken in an answer with these lists that was made after now. */
  async polled(...lists: readonly string[]): Promise<void> {
    await this.#polledTwice(lists, () => true);
  }

  async #polledTwice(lists: readonly string[], isMeant: (answer: Answered) => boolean): Promise<void> {
    const from = this.service.answered.length;
    const fits = (answer: Answered) =>
      answer.status === 200 && isMeant(answer) && lists.every((list) => answer.path.includes(`${list}=true`));
    // A source is read again only when its last answer has been kept: the second tells that of the first.
    await this.until(
      `the bot reading ${lists.join(", ")} twice`,
      () => this.service.answered.slice(from).filter(fits).length >= 2,
    );
  }

  /** Waits until the moment that a text of the bot names as `<t:...>`, the last one of it. */
  async timeToldIn(text: string): Promise<void> {
    const told = [...text.matchAll(/<t:(\d+):/g)].at(-1)?.[1];
    if (told === undefined) throw new Error(`no time was told: ${text}`);
    await this.clock.sleep(Number(told) * 1_000 - this.clock.nowMs());
  }

  /** The newest message of a channel that says all of these. */
  async posted(channel: Channel, ...parts: readonly string[]): Promise<Message> {
    return await this.until(`"${parts.join('", "')}" in #${channel.name}`, () =>
      this.discord.messages(channel).findLast((message) => {
        const text = textOf(message);
        return parts.every((part) => text.includes(part));
      }),
    );
  }

  /** `/setup link` up to the answer to the form. */
  async typeKey(typed: string, { owner, general, staffRole }: Community = this.home): Promise<Exchange> {
    this.keys.add(typed.trim());
    const { modal } = await owner.slash(general, "setup link");
    assert.ok(modal !== undefined, "/setup link opens a form");
    // Where a server is linked, the form asks for its key alone.
    const staff = modal.fields.find(({ component }) => component.type === 6)?.customId;
    const values = { [fieldOf(modal, 4)]: typed, ...(staff === undefined ? {} : { [staff]: [staffRole] }) };
    return await (await owner.submit(modal, values)).settled(undefined, PATIENCE_MS);
  }

  /** Links a server through the form and the question; resolves with the last answer. */
  async link(typed = this.key, community: Community = this.home): Promise<Exchange> {
    const asked = await this.typeKey(typed, community);
    await reads(asked, /Is this your server/);
    const done = await community.owner.click(answerOf(asked), "Yes, link it");
    await reads(done, /is linked|new key/);
    return done;
  }

  /** A new channel with a feed in it, whose first answer, the baseline, has been taken. */
  async feed(
    kind: keyof typeof LIST_OF_FEED,
    options: Readonly<Record<string, string | number | boolean | { readonly id: string }>> = {},
  ): Promise<Channel> {
    const channel = this.home.guild.addChannel({ name: `${kind}-${this.home.guild.channels.length}` });
    const { owner, general } = this.home;
    await reads(await owner.slash(general, "feed add", { kind, channel, ...options }), /Feed added/);
    // The history reads the same lists of every server: the baseline comes from this feed's own.
    await this.#polledTwice([LIST_OF_FEED[kind]], ({ isHome }) => isHome);
    return channel;
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/** The list of the service that a kind of feed reads. */
export const LIST_OF_FEED = {
  joins: "JoinLogs",
  kills: "KillLogs",
  "mod-calls": "ModCalls",
  commands: "CommandLogs",
  "emergency-calls": "EmergencyCalls",
  team: "Players",
  vehicles: "Vehicles",
  queue: "Queue",
} as const;

function fieldOf(modal: Modal, type: 4): string {
  const field = modal.fields.find(({ component }) => component.type === type);
  if (field === undefined) throw new Error(`the form "${modal.title}" has no such field`);
  return field.customId;
}
