import { ApplicationCommandOptionType } from "discord.js";
import {
  defineCommand,
  defineEntry,
  type NamedPerson,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { type Checked, checkCard, protectedName, staffCard } from "../src/discord/render/staff-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md, roleMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../src/domain/guild.ts";
import { TIER_NAMES, TIERS } from "../src/domain/tiers.ts";
import { note } from "./audit-note.ts";
import { playersOf, serverBeingTyped } from "./run-flow.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { protecting, unprotecting, without, withRule, withTier } from "./staff-policy.ts";
import { actText, canonical, completeVerb, ruleText } from "./staff-verbs.ts";

/** Who may run what on a linked server. For holders of Manage Guild; every change stands in the audit. */

const { String: text, Role: role, User: user, Boolean: flag } = ApplicationCommandOptionType;
const roleOption = { type: role, name: "role", description: "The role", required: true } as const;
const verbOption = {
  type: text,
  name: "verb",
  description: "One command, for example kick; or calls: to claim and resolve moderator calls",
  autocomplete: true,
  max_length: 40,
} as const;

/** @everyone is a role too, and its id is the guild's. */
function mustBeNarrow(actor: Actor, roleId: string): void {
  if (roleId === actor.guildId) throw new Failure("bad-command", "Everyone cannot be staff; choose a role.");
}

async function changePolicy(
  services: Services,
  actor: Actor,
  binding: Binding,
  edit: (policy: StaffPolicy) => StaffPolicy,
): Promise<void> {
  await services.settings.change(actor.guildId, (settings) => {
    const policy = edit(settings.policies[binding.id] ?? EMPTY_POLICY);
    return { ...settings, policies: { ...settings.policies, [binding.id]: policy } };
  });
}

interface AllowArgs {
  readonly roleId: string;
  readonly tier: string | undefined;
  readonly verb: string | undefined;
  readonly server: string | undefined;
}

const allow = defineEntry<AllowArgs>({
  description: "Give a role a tier, or one command on top",
  first: "ephemeral",
  options: [
    roleOption,
    {
      type: text,
      name: "tier",
      description: "Each tier includes those before it",
      choices: [
        { name: "Viewer: lists only", value: "viewer" },
        { name: "Moderator: kick, jail, pm, messages ...", value: "moderator" },
        { name: "Administrator: also bans, time, weather, fires ...", value: "administrator" },
        { name: "Manager: everything, unknown commands too", value: "manager" },
      ],
    },
    verbOption,
    serverOption,
  ],
  parse: (options) => ({
    roleId: options.id("role", true),
    tier: options.string("tier"),
    verb: options.string("verb"),
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeVerb(typing, services),
  async execute({ actor, args }, services) {
    const { roleId } = args;
    mustBeNarrow(actor, roleId);
    if ((args.tier === undefined) === (args.verb === undefined)) {
      throw new Failure("bad-command", "Give either a tier or a verb.");
    }
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const tier = TIERS.find((one) => one === args.tier);
    if (tier !== undefined) {
      await changePolicy(services, actor, binding, (policy) => withTier(policy, roleId, tier));
      await note(services, actor, "staff-allow", `<@&${roleId}> ${tier} on ${binding.name}`);
      return done(binding, md`${roleMention(roleId)} holds the tier **${TIER_NAMES[tier]}**.`);
    }
    const verb = canonical(services, args.verb ?? "");
    await changePolicy(services, actor, binding, (policy) => ({
      ...policy,
      allowed: withRule(policy.allowed, roleId, verb),
      denied: without(policy.denied, roleId, verb),
    }));
    await note(services, actor, "staff-allow", ruleText(roleId, verb, binding));
    return done(binding, md`${roleMention(roleId)} may ${actText(verb)}, whatever its tier.`);
  },
});

const deny = defineEntry<Omit<AllowArgs, "tier">>({
  description: "Forbid a role one command, or take its tier and extras away",
  first: "ephemeral",
  options: [
    roleOption,
    { ...verbOption, description: "Without one: everything the role was given" },
    serverOption,
  ],
  parse: (options) => ({
    roleId: options.id("role", true),
    verb: options.string("verb"),
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeVerb(typing, services),
  async execute({ actor, args }, services) {
    const { roleId } = args;
    const binding = await services.bindings.pick(actor.guildId, args.server);
    if (args.verb === undefined) {
      await changePolicy(services, actor, binding, (policy) => ({
        ...policy,
        roleTiers: Object.fromEntries(Object.entries(policy.roleTiers).filter(([id]) => id !== roleId)),
        allowed: policy.allowed.filter((rule) => rule.roleId !== roleId),
      }));
      await note(services, actor, "staff-deny", `<@&${roleId}> everything on ${binding.name}`);
      return done(
        binding,
        md`${roleMention(roleId)} has no tier and no extra commands any more; what was denied stays so.`,
      );
    }
    const verb = canonical(services, args.verb);
    await changePolicy(services, actor, binding, (policy) => ({
      ...policy,
      denied: withRule(policy.denied, roleId, verb),
      allowed: without(policy.allowed, roleId, verb),
    }));
    await note(services, actor, "staff-deny", ruleText(roleId, verb, binding));
    const lift = "`/staff allow` with the same verb lifts it.";
    return done(
      binding,
      md`Whoever has ${roleMention(roleId)} may not ${actText(verb)}, whatever else they hold. ${lift}`,
    );
  },
});

const list = defineEntry<{ readonly server: string | undefined }>({
  description: "Who may run what, and who is protected",
  first: "ephemeral",
  options: [serverOption],
  parse: (options) => ({ server: options.string("server") }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const policy = (await services.settings.of(actor.guildId)).policies[binding.id] ?? EMPTY_POLICY;
    const accounts = await services.accounts.list(actor.guildId);
    return { cards: [staffCard(binding, policy, accounts)] };
  },
});

interface CheckArgs {
  readonly person: NamedPerson | undefined;
  readonly command: string;
  readonly server: string | undefined;
}

const check = defineEntry<CheckArgs>({
  description: "Why somebody may, or may not, run a command",
  first: "ephemeral",
  options: [
    { type: user, name: "person", description: "Who", required: true },
    {
      type: text,
      name: "command",
      description: "For example :ban name",
      required: true,
      autocomplete: true,
      max_length: 1_000,
    },
    serverOption,
  ],
  parse: (options) => ({
    person: options.person("person"),
    command: options.string("command", true).trim(),
    server: options.string("server"),
  }),
  async autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    const source = (await serverBeingTyped(typing, services))?.source;
    return services.catalogue.complete(source, typing.typed, () => true);
  },
  async execute({ actor, args }, services) {
    if (args.person === undefined)
      throw new Failure("bad-command", "That person is not in this Discord server.");
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const account = await services.accounts.of(actor.guildId, args.person.userId);
    const asked = { ...actor, ...args.person, ownPlayerId: account?.player.id };
    const command = args.command.startsWith(":") ? args.command : `:${args.command}`;
    const decision = await services.permissions.decide(asked, binding, command);
    const checked: Checked = { userId: asked.userId, command, binding, decision, roleIds: asked.roleIds };
    return { cards: [checkCard(checked)] };
  },
});

/** Players who are there; for holders of Manage Guild, staff or not, since nobody else reaches this command. */
async function completeProtected(typing: Typing, services: Services) {
  return playersOf(services, await serverBeingTyped(typing, services), typing.typed);
}

interface ProtectArgs {
  readonly player: string;
  readonly remove: boolean;
  readonly server: string | undefined;
}

const protect = defineEntry<ProtectArgs>({
  description: "A player whom nobody may kick, ban, jail or move",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "player",
      description: "Name or id",
      required: true,
      autocomplete: true,
      max_length: 60,
    },
    { type: flag, name: "remove", description: "Protect them no longer" },
    serverOption,
  ],
  parse: (options) => ({
    player: options.string("player", true).trim(),
    remove: options.boolean("remove") ?? false,
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeProtected(typing, services),
  async execute({ actor, args }, services) {
    const { player, remove } = args;
    if (!/^\w+$/.test(player)) throw new Failure("bad-command", "Give one player's whole name, or their id.");
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const known = remove ? undefined : services.permissions.findPlayer(binding, player);
    const isId = /^\d+$/.test(player);
    const shown = isId ? protectedName(player, known?.name) : inlineName(known?.name ?? player);
    await changePolicy(services, actor, binding, (policy) =>
      remove ? unprotecting(policy, player) : protecting(policy, player, known),
    );
    await note(services, actor, remove ? "staff-unprotect" : "staff-protect", `${player} on ${binding.name}`);
    if (remove) return done(binding, md`**${shown}** is protected no longer.`);
    const also = known === undefined ? "" : md` By their name and by their id alike.`;
    const other = isId ? "name" : "id";
    const unseen =
      known === undefined ? md`\n⚠ Their ${other} is not known here yet: protect that as well.` : "";
    return done(
      binding,
      md`**${shown}** is protected: nobody may kick, ban, jail or move them.${also}${unseen}`,
    );
  },
});

export const staff = defineCommand({
  name: "staff",
  description: "Who may run in-game commands",
  manageGuild: true,
  subcommands: { allow, deny, list, check, protect },
});

function done(binding: Binding, words: Escaped): Reply {
  return { content: md`✅ On **${inlineName(binding.name)}**: ${words}` };
}
