/** An emulated Discord with one community, and a real discord.js client as its bot. */
import type { TestContext } from "node:test";
import {
  type BaseInteraction,
  Client,
  type ClientOptions,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  REST,
} from "discord.js";
import { makeRequest } from "../../../src/discord/connection/make-request.ts";
import { EmulatedDiscord } from "../../../src/sandbox/discord/discord.ts";
import type { DiscordOptions } from "../../../src/sandbox/discord/settings.ts";
import type { Channel, Guild, Member, Person } from "../../../src/sandbox/discord/types.ts";

export interface Rig {
  readonly discord: EmulatedDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly member: Member;
  readonly person: Person;
  /** REST as the bot: @discordjs/rest, without retries. */
  readonly rest: REST;
  /** The injected clock; set it to move time. */
  readonly clock: { nowMs: number };
  /** Runs when the test ends, the latest first: clients must be gone before the emulator is, or they reconnect. */
  readonly defer: (end: () => Promise<unknown>) => void;
}

const startMs = Date.UTC(2026, 5, 1);

/** The emulator alone, with REST; closed when the test ends. */
export async function startDiscord(t: TestContext, options: DiscordOptions = {}): Promise<Rig> {
  const clock = { nowMs: startMs };
  const discord = await EmulatedDiscord.start({ nowMs: () => clock.nowMs, pace: "wide", ...options });
  const guild = discord.addGuild({ name: "Riverside", ownerName: "Olive" });
  const channel = guild.addChannel({ name: "general" });
  const member = guild.addMember({ name: "Mo" });
  const rest = restOf(discord);
  const ends: (() => Promise<unknown>)[] = [() => discord.close()];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const defer: Rig["defer"] = (end) => ends.push(end);
  return { discord, guild, channel, member, person: discord.as(member), rest, clock, defer };
}

function restOf(discord: EmulatedDiscord, token = discord.token): REST {
  return new REST({
    api: discord.apiUrl,
    retries: 0,
    handlerSweepInterval: 0,
    hashSweepInterval: 0,
    // Other tests of this process import undici, which then sends for @discordjs/rest too (see make-request.ts).
    makeRequest,
  }).setToken(token);
}

export interface BotRig extends Rig {
  readonly client: Client<true>;
  /** Sets what the bot does with the next interactions; what it throws fails the test. */
  handle(handler: (interaction: BaseInteraction) => Promise<unknown>): void;
  /** What the handler threw, if anything. */
  readonly thrown: unknown[];
}

/** With a logged-in discord.js client. */
export async function startBot(
  t: TestContext,
  options: DiscordOptions & { readonly client?: Partial<ClientOptions> } = {},
): Promise<BotRig> {
  const rig = await startDiscord(t, options);
  const { client, destroy } = await login(rig.discord, options.client);
  rig.defer(destroy);
  const thrown: unknown[] = [];
  let handler: (interaction: BaseInteraction) => Promise<unknown> = async () => {};
  client.on(Events.InteractionCreate, (interaction) => {
    handler(interaction).catch((error: unknown) => thrown.push(error));
  });
  return {
    ...rig,
    client,
    thrown,
    handle: (next) => {
      handler = next;
    },
  };
}

export async function login(
  discord: EmulatedDiscord,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client<true>; destroy: () => Promise<void> }> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: discord.apiUrl, retries: 0, makeRequest },
    // discord.js lets five seconds pass between two identifies; here nothing is gained by that.
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
    ...options,
  });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  return { client: await ready, destroy: () => client.destroy() };
}

/** The refusal that a promise ends in: status, code and the objections by path. */
export async function refusalOf(
  promise: Promise<unknown>,
): Promise<{ status: number; code: number | string; paths: readonly string[] }> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    const raw = error.rawError;
    return { status: error.status, code: error.code, paths: "errors" in raw ? pathsIn(raw.errors, "") : [] };
  }
  throw new Error("it was not refused");
}

/** "embeds.0.title:BASE_TYPE_MAX_LENGTH" and the like. */
function pathsIn(errors: unknown, at: string): readonly string[] {
  if (typeof errors !== "object" || errors === null) return [];
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== "_errors") return pathsIn(value, at === "" ? key : `${at}.${key}`);
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.map(
      (one) => `${at}:${typeof one === "object" && one !== null && "code" in one ? one.code : ""}`,
    );
  });
}
