import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineCommand, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import {
  rankApplied,
  rankList,
  rankMappingText,
  rankPaused,
  rankSet,
  rankUnset,
} from "../src/discord/render/rank-cards.ts";
import { type PlanAsk, rankForMany, rankPlanCard } from "../src/discord/render/rank-plan-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { RANK_NAMES, RANKS, type Rank } from "../src/domain/rank.ts";
import { recordEvent } from "./audit-event.ts";
import { withPauseOf } from "./automatic.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { mustBeManager } from "./staff-rights.ts";

/** Ranks: who is Helper, Moderator and Administrator of the game by a role in Discord. */

const { String: text, Role: role } = ApplicationCommandOptionType;
const FOR_MANAGERS = "Only Managers can use ranks.";

interface ServerArgs {
  readonly server: string | undefined;
}

interface RoleArgs extends ServerArgs {
  readonly roleId: string;
}

const roleOption = { type: role, name: "role", description: "The role in Discord", required: true } as const;

const set = defineEntry<RoleArgs & { readonly rank: Rank }>({
  description: "Set which rank in the game a role gives (Managers)",
  first: "ephemeral",
  options: [
    roleOption,
    {
      type: text,
      name: "rank",
      description: "The rank in the game",
      required: true,
      choices: RANKS.map((rank) => ({ name: RANK_NAMES[rank], value: rank })),
    },
    serverOption,
  ],
  parse: (options) => ({
    roleId: options.id("role", true),
    rank: RANKS.find((rank) => rank === options.string("rank", true)) ?? "helper",
    server: options.string("server"),
  }),
  autocomplete: completeServer,
  async execute({ actor, args: { roleId, rank, server } }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const binding = await services.bindings.pick(actor.guildId, server);
    const mapping = await services.ranks.set(actor, binding, { roleId, rank });
    await recordEvent(services, actor, { action: "rank-set", text: rankMappingText(mapping, binding.name) });
    return rankSet(mapping, binding.name);
  },
});

const list = defineEntry({
  description: "The roles that give ranks, and who has one from Marshal (Managers)",
  first: "ephemeral",
  parse: () => undefined,
  async execute({ actor }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const servers = await services.bindings.list(actor.guildId);
    const nameOf = (bindingId: string) => servers.find(({ id }) => id === bindingId)?.name ?? "";
    const shown = rankList(services.ranks.list(actor.guildId), nameOf);
    return await withPauseOf(services, actor.guildId, shown);
  },
});

const onServer = {
  first: "ephemeral",
  options: [serverOption],
  parse: (options: { string(name: string): string | undefined }): ServerArgs => ({
    server: options.string("server"),
  }),
  autocomplete: completeServer,
} as const;

const check = defineEntry<ServerArgs>({
  ...onServer,
  description: "Who would gain or lose a rank, and who is not linked (Managers)",
  execute: ({ actor, args }, services) => showPlan(services, { actor, named: args.server }, "look"),
});

const apply = defineEntry<ServerArgs>({
  ...onServer,
  description: "Show who would gain or lose a rank, and turn it on (Managers)",
  execute: ({ actor, args }, services) => showPlan(services, { actor, named: args.server }, "apply"),
});

interface Asked {
  readonly actor: Actor;
  /** A server by name or id. */
  readonly named: string | undefined;
}

async function showPlan(
  services: Services,
  { actor, named }: Asked,
  kind: Exclude<PlanAsk["kind"], "unset">,
): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const binding = await services.bindings.pick(actor.guildId, named);
  const plan = await services.ranks.check(binding);
  const goneRoleIds = plan.mappings
    .map(({ roleId }) => roleId)
    .filter((roleId) => !services.guilds.hasRole(actor.guildId, roleId));
  const nowMs = services.clock.nowMs();
  const shown = rankPlanCard(plan, { kind, serverName: binding.name, nowMs, goneRoleIds });
  return await withPauseOf(services, actor.guildId, shown);
}

const unset = defineEntry<RoleArgs>({
  description: "Stop a role from giving a rank, and take back the ranks it gave (Managers)",
  first: "ephemeral",
  options: [roleOption, serverOption],
  parse: (options) => ({ roleId: options.id("role", true), server: options.string("server") }),
  autocomplete: completeServer,
  execute: ({ actor, args: { roleId, server } }, services) =>
    showUnset(services, { actor, named: server }, roleId),
});

async function showUnset(services: Services, { actor, named }: Asked, roleId: string): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const binding = await services.bindings.pick(actor.guildId, named);
  const plan = await services.ranks.checkUnset(binding, roleId);
  const nowMs = services.clock.nowMs();
  return rankPlanCard(plan, { kind: "unset", roleId, serverName: binding.name, nowMs });
}

const pause = defineEntry({
  description: "Pause all ranks; /rank apply resumes them (Managers)",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => pauseAll(actor, services),
});

async function pauseAll(actor: Actor, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, "Only Managers can pause ranks.");
  const views = await services.ranks.pause(actor);
  await recordEvent(services, actor, { action: "rank-pause", text: "all ranks" });
  return rankPaused(views);
}

/** The plan says something else by now: the new one is shown. */
async function anew(shown: Promise<Reply>): Promise<Reply> {
  return { ...(await shown), content: md`The plan has changed. This is the new one.` };
}

function isChanged(error: unknown): boolean {
  return error instanceof Failure && error.code === "expired";
}

async function boundOf({ actor, argument }: Press, services: Services) {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const [bindingId = "", ...others] = argument.split(":");
  return { binding: await services.bindings.pick(actor.guildId, bindingId), others };
}

async function confirm(press: Press, services: Services): Promise<Reply> {
  const { actor } = press;
  const { binding, others } = await boundOf(press, services);
  const [key = ""] = others;
  try {
    const plan = await services.ranks.apply(actor, binding, key);
    const said = `raise ${plan.raise.length}, take back ${plan.take.length} on ${binding.name}`;
    await recordEvent(services, actor, { action: "rank-apply", text: said });
    return await withPauseOf(services, actor.guildId, rankApplied(plan, binding.name));
  } catch (error) {
    if (isChanged(error)) return anew(showPlan(services, { actor, named: binding.id }, "apply"));
    throw error;
  }
}

async function confirmMany(press: Press, services: Services): Promise<Reply> {
  const { actor } = press;
  const { binding, others } = await boundOf(press, services);
  const plan = await services.ranks.check(binding);
  if (plan.key === others[0]) return rankForMany(plan, binding.name);
  return anew(showPlan(services, { actor, named: binding.id }, "apply"));
}

async function confirmUnset(press: Press, services: Services): Promise<Reply> {
  const { actor } = press;
  const { binding, others } = await boundOf(press, services);
  const [roleId = "", key = ""] = others;
  const view = services.ranks.list(actor.guildId).find(({ bindingId }) => bindingId === binding.id);
  const mapping = view?.mappings.find((one) => one.roleId === roleId);
  try {
    const plan = await services.ranks.unset(actor, binding, { roleId, key });
    const said = mapping === undefined ? `<@&${roleId}>` : rankMappingText(mapping, binding.name);
    await recordEvent(services, actor, { action: "rank-unset", text: said });
    return rankUnset(roleId, plan);
  } catch (error) {
    if (isChanged(error)) return anew(showUnset(services, { actor, named: binding.id }, roleId));
    throw error;
  }
}

export const rank = defineCommand({
  name: "rank",
  description: "Ranks in the game by role in Discord",
  subcommands: { set, list, check, apply, unset, pause },
  actions: {
    "rank-look": defineAction({
      first: "update",
      execute: ({ actor, argument }, services) => showPlan(services, { actor, named: argument }, "look"),
    }),
    "rank-apply": defineAction({
      first: "update",
      execute: ({ actor, argument }, services) => showPlan(services, { actor, named: argument }, "apply"),
    }),
    "rank-unset-again": defineAction({
      first: "update",
      async execute(press, services) {
        const { binding, others } = await boundOf(press, services);
        return await showUnset(services, { actor: press.actor, named: binding.id }, others[0] ?? "");
      },
    }),
    "rank-confirm-many": defineAction({ first: "update", execute: confirmMany }),
    "rank-confirm": defineAction({ first: "update", execute: confirm }),
    "rank-unset": defineAction({ first: "update", execute: confirmUnset }),
    "rank-pause": defineAction({
      first: "ephemeral",
      execute: ({ actor }, services) => pauseAll(actor, services),
    }),
  },
});
