import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Command } from "../../src/discord/command.ts";
import { createDiscord, type Discord } from "../../src/discord/create-discord.ts";
import type { OwedMessages } from "../../src/domain/ports/notifier.ts";
import type { Settings } from "../../src/domain/ports/settings.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Channel, Guild, Person, Role } from "../../src/sandbox/discord/types.ts";
import { FakeWorld, type KeptLog, keptLog, textDocuments } from "./fake-services.ts";
import { FakeMetrics } from "./network.ts";
import { OpenApi } from "./openapi.ts";
import { noticesOf, outboxOver } from "./outbox.ts";

/** The Discord wing with its real discord.js client, in an emulated Discord with one community. */
export interface DiscordRig {
  readonly emulated: EmulatedDiscord;
  readonly world: FakeWorld;
  readonly discord: Discord;
  readonly log: KeptLog;
  readonly registered: ReturnType<typeof textDocuments>;
  readonly removedGuilds: string[];
  /** Guilds in which the bot may do something else now. */
  readonly changedGuilds: string[];
  /** Guilds to which the set-up was offered. */
  readonly offeredTo: string[];
  readonly guild: Guild;
  readonly channel: Channel;
  readonly staffRole: Role;
  readonly owner: Person;
  readonly moderator: Person;
  readonly member: Person;
}

interface DiscordParts {
  /** @default the one that the emulated Discord takes */
  readonly token?: string;
  readonly registered?: ReturnType<typeof textDocuments>;
  readonly log?: KeptLog;
  readonly settings?: Settings;
}

/** The Discord wing over a world, not started. */
export function discordIn(
  { apiUrl, token: right }: EmulatedDiscord,
  { clock, random, settings: kept, bindings }: FakeWorld,
  { token = right, registered = textDocuments(), log = keptLog(), settings = kept }: DiscordParts = {},
): Discord {
  return createDiscord({
    token,
    apiUrl,
    shards: "auto",
    settings,
    bindings,
    registered,
    clock,
    random,
    metrics: new FakeMetrics(),
    log,
  });
}

/** Time is the world's virtual clock on both sides. */
export async function startDiscordRig(t: TestContext, commands: readonly Command[]): Promise<DiscordRig> {
  const world = new FakeWorld();
  const emulated = await EmulatedDiscord.start({
    nowMs: () => world.clock.nowMs(),
    pace: "wide",
    record: true,
  });
  let discord: Discord | undefined;
  t.after(async () => {
    // Before Discord goes: discord.js would try to come back for ever, and keep the process.
    await discord?.stop();
    await emulated.close();
    mustFitOpenApi(emulated);
  });
  const guild = emulated.addGuild({ name: "Riverside", ownerName: "Olive" });
  const channel = guild.addChannel({ name: "general" });
  const staffRole = guild.addRole({ name: "Staff" });
  const moderator = emulated.as(guild.addMember({ name: "Mo", roles: [staffRole] }));
  const member = emulated.as(guild.addMember({ name: "Jo" }));
  const log = keptLog();
  const registered = textDocuments();
  const removedGuilds: string[] = [];
  const changedGuilds: string[] = [];
  const offeredTo: string[] = [];
  discord = discordIn(emulated, world, { registered, log });
  discord.listen({
    async *guildsToCheck() {},
    onPermissionsChanged: (guildId) => void changedGuilds.push(guildId),
    onGuildRemoved: async (guildId) => void removedGuilds.push(guildId),
  });
  discord.offerSetupBy(({ id }) => void offeredTo.push(id));
  await discord.start(commands, { ...world.services, owed: owedBy(discord, world) });
  const owner = emulated.as(guild.owner);
  return {
    emulated,
    world,
    discord,
    log,
    registered,
    removedGuilds,
    changedGuilds,
    offeredTo,
    guild,
    channel,
    staffRole,
    owner,
    moderator,
    member,
  };
}

/** Sees to it that what is owed stands, over this Discord. */
function owedBy({ sink, direct }: Discord, { clock }: FakeWorld): OwedMessages {
  return noticesOf(outboxOver(sink, clock, direct));
}

/** Whatever the wing says, Discord's own description allows it; checked where that file is named. */
function mustFitOpenApi({ traffic }: EmulatedDiscord): void {
  const file = process.env.DISCORD_OPENAPI;
  if (file === undefined) return;
  const api = OpenApi.read(file);
  // What was refused was refused for its form, on purpose.
  const taken = traffic.filter(({ status }) => status > 0 && status < 400);
  assert.deepEqual([...new Set(taken.flatMap((exchanged) => api.check(exchanged)))], []);
}

/** Resolves when the condition holds; for what no event of the emulated Discord tells. */
export async function eventually(condition: () => boolean, withinMs = 60_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error("the condition never held");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
