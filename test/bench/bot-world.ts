import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { BotProcess } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { freePort } from "../../src/sandbox/free-port.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { addCommunity, type Community, settle } from "./communities.ts";
import { keepDuty } from "./on-duty.ts";
import { type ServiceOptions, ServiceProcess } from "./service-process.ts";
import type { SlowDisk } from "./slow-disk.ts";

const SHAPE = { textChannels: 12, voiceChannels: 3, roles: 10 };
/**
 * It bounds the requests in flight as well: an operator of many guilds has raised it. At the default of 8, and with the
 * wrong keys of a hostile guild, four are left in flight: where a round trip takes 150 ms, as on a machine under load,
 * those are less than the limit.
 */
const BAD_KEY_BUDGET = 40;

export interface BotWorldOptions extends Omit<ServiceOptions, "quiet" | "servers"> {
  readonly guilds: number;
  /** Servers of others, whose keys the service knows too. @default 0 */
  readonly otherServers?: number;
  /** As a bot leaves them that is updated: the service took each of the keys a moment ago. @default false */
  readonly areKeysTaken?: boolean;
  /** A panel and two alerts each. @default false */
  readonly areWatched?: boolean;
  /** Each keeps duty: who of the staff plays is on a shift, which is posted and has a role. @default false */
  readonly isOnDuty?: boolean;
  /** Where the machine is so busy that requests go unanswered, each of them holds a unit for minutes. @default 40 */
  readonly badKeyBudget?: number;
  /** What Node is started with, as NODE_OPTIONS says it. @default nothing */
  readonly nodeOptions?: string;
  /** What stands between the bot and its disk. @default nothing */
  readonly slowFsync?: SlowDisk;
}

/**
 * Communities with linked servers and the real bot (a process of its own, started as an operator would), not yet
 * started. The emulated service is another process; the emulated Discord lives in this one.
 */
export class BotWorld {
  readonly discord: EmulatedDiscord;
  readonly service: ServiceProcess;
  readonly communities: readonly Community[];
  readonly bot: BotProcess;
  readonly opsAddress: string;
  readonly storeUrl: string;
  readonly #removeFiles: () => void;

  private constructor(
    parts: Pick<BotWorld, "discord" | "service" | "communities" | "bot" | "opsAddress" | "storeUrl">,
    removeFiles: () => void,
  ) {
    this.discord = parts.discord;
    this.service = parts.service;
    this.communities = parts.communities;
    this.bot = parts.bot;
    this.opsAddress = parts.opsAddress;
    this.storeUrl = parts.storeUrl;
    this.#removeFiles = removeFiles;
  }

  static async open(options: BotWorldOptions): Promise<BotWorld> {
    const {
      guilds,
      otherServers = 0,
      areKeysTaken = false,
      areWatched,
      isOnDuty = false,
      nodeOptions,
      badKeyBudget = BAD_KEY_BUDGET,
      slowFsync,
      ...limits
    } = options;
    const folder = tempFolder();
    const discord = await EmulatedDiscord.start({ nowMs: () => performance.timeOrigin + performance.now() });
    const service = await ServiceProcess.start({ servers: guilds + otherServers, quiet: guilds, ...limits });
    const communities = Array.from({ length: guilds }, (_, index) => addCommunity(discord, index, SHAPE));
    const storeUrl = `sqlite:${join(folder.path, "marshal.sqlite")}`;
    await settle(storeUrl, communities, {
      clock: systemClock,
      random: seededRandom(1),
      areKeysTaken,
      areWatched,
    });
    if (isOnDuty) await keepDuty(folder.path, storeUrl, { communities, staff: service.staff });
    const opsAddress = `127.0.0.1:${await freePort()}`;
    const bot = new BotProcess({
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      SERVICE_URL: service.url,
      STORE_URL: storeUrl,
      OPS_ADDRESS: opsAddress,
      BAD_KEY_BUDGET: String(badKeyBudget),
      LOG_LEVEL: "info",
      ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
      ...(slowFsync === undefined ? {} : { LD_PRELOAD: slowFsync.sharedObject }),
    });
    const parts = { discord, service, communities, bot, opsAddress, storeUrl };
    return new BotWorld(parts, () => folder.remove());
  }

  /** Starts the bot; resolves when it has registered its commands. */
  async startBot(withinMs: number): Promise<void> {
    const registered = this.discord.waitFor((event) => event.type === "commands-registered", withinMs);
    this.bot.start();
    await registered.catch(() => {
      const lines = this.bot.lines.slice(-20).join("\n");
      throw new Error(`the bot did not register its commands; its last lines:\n${lines}`);
    });
  }

  /** What the bot logged as an error. */
  get errors(): readonly string[] {
    return this.bot.lines.filter((line) => /"level":(50|60)\b/.test(line));
  }

  async close(): Promise<void> {
    await this.bot.stop();
    this.service.stop();
    await this.discord.close();
    this.#removeFiles();
  }
}
