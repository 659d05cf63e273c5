import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { commands } from "../../commands/index.ts";
import type { Discord } from "../../src/discord/create-discord.ts";
import { tooManyWaitNotice } from "../../src/discord/render/notices.ts";
import { runRenderer } from "../../src/discord/render/run-renderer.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { Cases } from "../../src/domain/ports/cases.ts";
import type { Schedules } from "../../src/domain/ports/schedules.ts";
import { CASES_OFF } from "../../src/history/cases/no-cases.ts";
import { parseOwedNotice } from "../../src/outbox/owed-notice.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Channel, Exchange, Guild, Person, Role } from "../../src/sandbox/discord/types.ts";
import { discordIn } from "./discord-rig.ts";
import { FakeWorld, type KeptLog, keptLog } from "./fake-services.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { OpenApi } from "./openapi.ts";
import { outboxOver } from "./outbox.ts";
import { binding as plainBinding, RunsRig } from "./runs-rig.ts";

/** The runs wing behind the real commands and a real discord.js client, in an emulated Discord. */
export interface RunCommandsRig {
  readonly emulated: EmulatedDiscord;
  readonly discord: Discord;
  readonly runs: RunsRig;
  /** What is known of the server's key, and all else that commands are given. */
  readonly world: FakeWorld;
  readonly log: KeptLog;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly binding: Binding;
  readonly roles: { readonly mod: Role; readonly admin: Role; readonly manager: Role };
  readonly owner: Person;
  readonly mod: Person;
  readonly admin: Person;
  readonly manager: Person;
  readonly member: Person;
  /** Moves the virtual clock until the answer reads as wanted. */
  reads(exchange: Exchange, wanted: RegExp): Promise<string>;
}

export interface RunCommandsOptions {
  /** What the commands find of cases. @default no cases are kept */
  readonly cases?: Cases;
}

export async function startRunCommandsRig(
  t: TestContext,
  { cases = CASES_OFF }: RunCommandsOptions = {},
): Promise<RunCommandsRig> {
  const world = new FakeWorld();
  const emulated = await EmulatedDiscord.start({
    nowMs: () => world.clock.nowMs(),
    pace: "wide",
    record: true,
  });
  const guild = emulated.addGuild({ name: "Riverside", ownerName: "Olive" });
  const channel = guild.addChannel({ name: "general" });
  const roles = {
    mod: guild.addRole({ name: "Mods" }),
    admin: guild.addRole({ name: "Admins" }),
    manager: guild.addRole({ name: "Managers" }),
  };
  const person = (name: string, ...held: Role[]) => emulated.as(guild.addMember({ name, roles: held }));
  const log = keptLog();
  let runs: RunsRig | undefined;
  const discord = discordIn(emulated, world, {
    settings: {
      of: (guildId) => known(runs).settings.of(guildId),
      known: (guildId) => known(runs).settings.known(guildId),
      change: (guildId, edit) => known(runs).settings.change(guildId, edit),
    },
    log,
  });
  const { sink, direct, members, lateAnswers } = discord;
  const outbox = outboxOver(sink, world.clock, direct);
  const notifier = outbox.notices({
    owed: new MemoryDocuments(parseOwedNotice),
    noticeChannelOf: async (guildId) => (await known(runs).settings.of(guildId)).noticeChannelId,
    linkerOf: async () => undefined,
    late: (body) => body,
    tooManyWait: tooManyWaitNotice(),
  });
  const rig = new RunsRig({
    clock: world.clock,
    members,
    sink,
    notifier,
    lateAnswers,
    renderer: runRenderer,
  });
  runs = rig;
  const binding = { ...plainBinding, guildId: guild.id };
  rig.linked = [binding];
  rig.settingsOf.clear();
  const roleTiers = {
    [roles.mod.id]: "moderator",
    [roles.admin.id]: "administrator",
    [roles.manager.id]: "manager",
  } as const;
  rig.setPolicy({ roleTiers }, binding.id, guild.id);
  // Bindings are looked up in one place by commands and runs alike.
  world.bindingsById.set(binding.id, binding);
  t.after(async () => {
    // The client first: one that loses its gateway while it still runs would connect again for ever.
    await discord.stop();
    await rig.runs.stop(0);
    await emulated.close();
    const file = process.env.DISCORD_OPENAPI;
    if (file === undefined) return;
    const api = OpenApi.read(file);
    const taken = emulated.traffic.filter(({ status }) => status > 0 && status < 400);
    assert.deepEqual([...new Set(taken.flatMap((exchanged) => api.check(exchanged)))], []);
  });
  const { runner, queue, permissions, catalogue, audit, accounts } = rig.runs;
  // Those of the process that runs now: `crash` makes another.
  const schedules: Schedules = {
    add: (actor, wanted) => rig.runs.schedules.add(actor, wanted),
    list: (guildId) => rig.runs.schedules.list(guildId),
    remove: (guildId, id) => rig.runs.schedules.remove(guildId, id),
    onZoneChanged: (guildId) => rig.runs.schedules.onZoneChanged(guildId),
  };
  const given = { owed: notifier, runner, queue, permissions, catalogue, audit, accounts, schedules };
  const { runAnswers, snapshots } = rig;
  await discord.start(commands, { ...world.services, runAnswers, snapshots, cases, ...given });
  return {
    emulated,
    discord,
    world,
    runs: rig,
    log,
    guild,
    channel,
    binding,
    roles,
    owner: emulated.as(guild.owner),
    mod: person("Mo", roles.mod),
    admin: person("Ad", roles.admin),
    manager: person("Ma", roles.manager),
    member: person("Jo"),
    reads: (exchange, wanted) => reads(rig, exchange, wanted),
  };
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("asked too early");
  return value;
}

async function reads(rig: RunsRig, exchange: Exchange, wanted: RegExp): Promise<string> {
  const endMs = performance.now() + 60_000;
  while (!wanted.test(exchange.text)) {
    if (performance.now() > endMs) throw new Error(`it reads: ${exchange.text}`);
    await rig.clock.advance(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return exchange.text;
}
