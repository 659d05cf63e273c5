import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BotEnvironment, BotProcess } from "./bot-process.ts";
import { EmulatedDiscord } from "./discord/discord.ts";
import type { Channel, Guild, Member, Role } from "./discord/types.ts";
import { freePort } from "./free-port.ts";
import { serve } from "./service/http.ts";
import type { Town } from "./service/service.ts";
import { Service } from "./service/service.ts";

/** The people and places of the emulated Discord, by the part they play. */
export interface Cast {
  readonly guild: Guild;
  readonly owner: Member;
  /** Hers alone. */
  readonly ownerRole: Role;
  readonly moderator: Member;
  readonly member: Member;
  readonly staffRole: Role;
  readonly channels: {
    readonly general: Channel;
    readonly staff: Channel;
    readonly joins: Channel;
    readonly kills: Channel;
    readonly modCalls: Channel;
    readonly audit: Channel;
  };
}

export interface StageOptions {
  readonly seed: number;
  readonly serverKey: string;
  /** How busy the town is when it opens. */
  readonly traffic: "quiet" | "normal" | "busy" | "frenzy";
  /** Where the bot keeps its data; a temporary folder that is removed at the end when absent. */
  readonly dataFolder?: string;
  /** Whether the owner lets Marshal run commands from the start. @default "allowed" */
  readonly commands?: "allowed" | "refused";
  /** Whether towns move by themselves with the machine's clock. */
  readonly live: boolean;
  /** What each answer of the service waits for. @default nothing */
  readonly beforeAnswer?: (bot: Pick<BotProcess, "opsAddress" | "running">) => Promise<void>;
  /** Instead of what the stage would set: another store, say. */
  readonly environment?: Partial<BotEnvironment>;
  /** Bot processes that share the environment; several need a store that can be shared. @default 1 */
  readonly processes?: number;
  /** What one process has beside that, by its number from 0. */
  readonly environmentOf?: (index: number) => Partial<BotEnvironment>;
}

/** Everything of the sandbox: the emulated service with its town, the emulated Discord, the real bot between them. */
export interface Stage {
  readonly service: Service;
  readonly serviceUrl: string;
  readonly town: Town;
  readonly serverKey: string;
  readonly discord: EmulatedDiscord;
  readonly cast: Cast;
  /** The first of `bots`. */
  readonly bot: BotProcess;
  readonly bots: readonly BotProcess[];
  /** Where the bot keeps what happened; absent where its store is shared, because no history is kept then. */
  readonly historyFile?: string;
  close(): Promise<void>;
}

function buildGuild(discord: EmulatedDiscord): Cast {
  const guild = discord.addGuild({ name: "Riverside Roleplay", ownerName: "Olivia" });
  // A role of her own: the guided set-up offers it as Manager.
  const ownerRole = guild.addRole({ name: "Management", color: 0xe67e22 });
  guild.owner.addRole(ownerRole);
  const staffRole = guild.addRole({ name: "Moderator", color: 0x3ba55d, mentionable: true });
  // What a type of duty may give.
  guild.addRole({ name: "On Duty", color: 0x2d7d46 });
  const channel = (name: string) => guild.addChannel({ name });
  return {
    guild,
    owner: guild.owner,
    ownerRole,
    moderator: guild.addMember({ name: "Mo", roles: [staffRole] }),
    member: guild.addMember({ name: "Max" }),
    staffRole,
    channels: {
      general: channel("general"),
      // Only for staff, as a community has it: alerts and cases are posted there.
      staff: guild.addChannel({
        name: "staff-room",
        overwrites: [
          { target: guild.everyone, deny: ["ViewChannel"] },
          ...[ownerRole, staffRole, guild.bot].map((target) => ({ target, allow: ["ViewChannel"] as const })),
        ],
      }),
      joins: channel("joins"),
      kills: channel("kills"),
      modCalls: channel("mod-calls"),
      audit: channel("audit"),
    },
  };
}

/** Opens the stage; the bot is not started yet. Everything listens on the loopback only. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const service = new Service({
    nowMs: Date.now,
    seed: options.seed,
    keys: [options.serverKey],
    commands: options.commands ?? "allowed",
  });
  const town = service.town(options.serverKey);
  town.setIntensity(options.traffic);
  const beforeAnswer = async () => await options.beforeAnswer?.(bot);
  const http = await serve(service, { host: "127.0.0.1", beforeAnswer });
  const ticking = options.live ? setInterval(() => service.advance(), 500) : undefined;
  const discord = await EmulatedDiscord.start({ seed: String(options.seed) });
  const cast = buildGuild(discord);
  const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), "marshal-sandbox-")));
  const startable = async (index: number) =>
    new BotProcess({
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      SERVICE_URL: http.url,
      // Of the addresses that are kept for examples.
      PUBLIC_ADDRESS: "203.0.113.7",
      STORE_URL: `sqlite:${join(folder, "marshal.sqlite")}`,
      OPS_ADDRESS: `127.0.0.1:${await freePort()}`,
      LOG_LEVEL: "info",
      ...options.environment,
      ...options.environmentOf?.(index),
    });
  const bot = await startable(0);
  const bots = [bot];
  while (bots.length < (options.processes ?? 1)) bots.push(await startable(bots.length));
  return {
    service,
    serviceUrl: http.url,
    town,
    serverKey: options.serverKey,
    discord,
    cast,
    bot,
    bots,
    ...(options.environment?.STORE_URL === undefined ? { historyFile: join(folder, "history.sqlite") } : {}),
    async close() {
      await Promise.all(bots.map((one) => one.stop()));
      clearInterval(ticking);
      await discord.close();
      await http.close();
      if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
