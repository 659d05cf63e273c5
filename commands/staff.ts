import { ApplicationCommandOptionType } from "discord.js";
import { defineCommand, defineEntry, type Typing } from "../src/discord/command.ts";
import { staffCard } from "../src/discord/render/staff-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md, roleMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, EMPTY_POLICY } from "../src/domain/guild.ts";
import { TIER_NAMES, TIERS } from "../src/domain/tiers.ts";
import { recordEvent } from "./audit-event.ts";
import { changePolicy, policyChanged } from "./change-policy.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { check } from "./staff-check.ts";
import { withoutRule, withRule, withTier } from "./staff-policy.ts";
import { protect } from "./staff-protect.ts";
import { canonicalVerb, completeVerb, ruleText, unknownVerbLines, verbPhrase } from "./staff-verbs.ts";

/** Who may run what on a linked server. For holders of Manage Guild; every change stands in the audit. */

const { String: text, Role: role } = ApplicationCommandOptionType;
const roleOption = { type: role, name: "role", description: "The role", required: true } as const;
const verbOption = {
  type: text,
  name: "verb",
  description: "One command, such as kick, or calls for moderator calls",
  autocomplete: true,
  max_length: 40,
} as const;

/** @everyone is a role too, and its id is the guild's. No interaction lists it, so a rule about it would hold for nobody. */
function mustBeNarrow(actor: Actor, roleId: string, what: string): void {
  if (roleId === actor.guildId) throw new Failure("bad-command", `Everyone can't be ${what}. Choose a role.`);
}

function completeVerbOrServer(typing: Typing, services: Services) {
  return typing.option === "server" ? completeServer(typing, services) : completeVerb(typing, services);
}

interface AllowArgs {
  readonly roleId: string;
  readonly tier: string | undefined;
  readonly verb: string | undefined;
  readonly server: string | undefined;
}

const allow = defineEntry<AllowArgs>({
  description: "Give a role a tier or an extra command",
  first: "ephemeral",
  options: [
    roleOption,
    {
      type: text,
      name: "tier",
      description: "Each tier includes those before it",
      choices: [
        { name: "Viewer: only lists", value: "viewer" },
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
  autocomplete: completeVerbOrServer,
  async execute({ actor, args }, services) {
    const { roleId } = args;
    mustBeNarrow(actor, roleId, "staff");
    if (args.tier === undefined && args.verb === undefined) {
      throw new Failure("bad-command", "Give a tier, such as Moderator, or a verb, such as kick.");
    }
    if (args.tier !== undefined && args.verb !== undefined) {
      throw new Failure("bad-command", "Give a tier or a verb, not both.");
    }
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const tier = TIERS.find((one) => one === args.tier);
    if (tier !== undefined) {
      await changePolicy(services, { actor, binding }, (policy) => withTier(policy, roleId, tier));
      await recordEvent(services, actor, {
        action: "staff-allow",
        text: `<@&${roleId}> ${tier} on ${binding.name}`,
      });
      return policyChanged(binding, md`${roleMention(roleId)} has the tier **${TIER_NAMES[tier]}**.`);
    }
    const verb = canonicalVerb(services, args.verb ?? "");
    await changePolicy(services, { actor, binding }, (policy) => ({
      ...policy,
      allowed: withRule(policy.allowed, roleId, verb),
      denied: withoutRule(policy.denied, roleId, verb),
    }));
    await recordEvent(services, actor, { action: "staff-allow", text: ruleText(roleId, verb, binding) });
    return policyChanged(
      binding,
      md`${roleMention(roleId)} can ${verbPhrase(verb)}, whatever its tier.`,
      unknownVerbLines(services, verb),
    );
  },
});

const deny = defineEntry<Omit<AllowArgs, "tier">>({
  description: "Deny a role one command, or remove its tier and extras",
  first: "ephemeral",
  options: [
    roleOption,
    { ...verbOption, description: "Leave empty to remove everything the role was given" },
    serverOption,
  ],
  parse: (options) => ({
    roleId: options.id("role", true),
    verb: options.string("verb"),
    server: options.string("server"),
  }),
  autocomplete: completeVerbOrServer,
  async execute({ actor, args }, services) {
    const { roleId } = args;
    const binding = await services.bindings.pick(actor.guildId, args.server);
    if (args.verb === undefined) {
      await changePolicy(services, { actor, binding }, (policy) => ({
        ...policy,
        roleTiers: Object.fromEntries(Object.entries(policy.roleTiers).filter(([id]) => id !== roleId)),
        allowed: policy.allowed.filter((rule) => rule.roleId !== roleId),
      }));
      await recordEvent(services, actor, {
        action: "staff-deny",
        text: `<@&${roleId}> everything on ${binding.name}`,
      });
      return policyChanged(
        binding,
        md`${roleMention(roleId)} no longer has a tier or extra commands. Denied commands stay denied.`,
      );
    }
    mustBeNarrow(actor, roleId, "denied a command");
    const verb = canonicalVerb(services, args.verb);
    await changePolicy(services, { actor, binding }, (policy) => ({
      ...policy,
      denied: withRule(policy.denied, roleId, verb),
      allowed: withoutRule(policy.allowed, roleId, verb),
    }));
    await recordEvent(services, actor, { action: "staff-deny", text: ruleText(roleId, verb, binding) });
    const lift = "Undo it with `/staff allow` and the same verb.";
    return policyChanged(
      binding,
      md`${roleMention(roleId)} can't ${verbPhrase(verb)}, whatever its tier. ${lift}`,
      unknownVerbLines(services, verb),
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

export const staff = defineCommand({
  name: "staff",
  description: "Who may run in-game commands",
  manageGuild: true,
  subcommands: { allow, deny, list, check, protect },
});
