import { ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineCommand,
  defineEntry,
  type Press,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { publicLines, shutLines } from "../src/discord/render/channel-access.ts";
import { cut } from "../src/discord/render/escape.ts";
import {
  ruleAbout,
  ruleAdded,
  ruleList,
  rulePaused,
  ruleTest,
  ruleText,
} from "../src/discord/render/rule-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { RULE_KINDS, RULE_STEPS, type RuleKind, type RuleStep } from "../src/domain/rule.ts";
import { recordEvent } from "./audit-event.ts";
import { withPauseOf } from "./automatic.ts";
import { postChannelOption } from "./post-channel.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { isManager, mustBeManager } from "./staff-rights.ts";
import { completeTeams, strangeTeamLines } from "./team-choices.ts";

/** Rules: what roles may have in the game. */

const { String: text, Role: role } = ApplicationCommandOptionType;
const FOR_MANAGERS = "Only Managers can use rules.";
const KIND_NAMES: Readonly<Record<RuleKind, string>> = {
  team: "A team",
  vehicle: "A vehicle",
  callsign: "Callsigns that start a certain way",
  name: "Names that commands misread",
};

interface AddArgs {
  readonly kind: RuleKind;
  readonly what: string;
  readonly roleIds: readonly string[];
  readonly channelId: string | undefined;
  readonly server: string | undefined;
}

const add = defineEntry<AddArgs>({
  description: "Add a rule: which role a team, vehicle or callsign needs (Managers)",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "about",
      description: "What the rule is about",
      required: true,
      choices: RULE_KINDS.map((kind) => ({ name: KIND_NAMES[kind], value: kind })),
    },
    {
      type: text,
      name: "what",
      description: "The team, the vehicle's name, or what the callsign starts with",
      autocomplete: true,
      max_length: 60,
    },
    { type: role, name: "role", description: "The role it needs" },
    { type: role, name: "or", description: "Another role that is enough as well" },
    { ...postChannelOption, description: "Where staff are told (default: this channel)" },
    serverOption,
  ],
  parse: (options) => ({
    kind: RULE_KINDS.find((kind) => kind === options.string("about", true)) ?? "team",
    what: oneLine(options.string("what") ?? ""),
    roleIds: [options.id("role"), options.id("or")].filter((id) => id !== undefined),
    channelId: options.id("channel"),
    server: options.string("server"),
  }),
  autocomplete: (typing, services) =>
    typing.option === "server" ? completeServer(typing, services) : completeWhat(typing),
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const { kind } = args;
    const view = await services.rules.add(actor, binding, {
      kind,
      what: kind === "name" ? "" : args.what,
      roleIds: kind === "name" ? [] : [...new Set(args.roleIds)],
      channelId: args.channelId ?? actor.channelId,
    });
    await recordEvent(services, actor, { action: "rule-add", text: ruleText(view.rule) });
    const { channelId, what } = view.rule;
    const access = await services.guilds.channelAccess(actor.guildId, channelId);
    return ruleAdded(view, [
      ...(kind === "team" ? strangeTeamLines([what]) : []),
      ...shutLines(channelId, access),
      ...publicLines([channelId], () => access),
    ]);
  },
});

/** Of one line, for it may stand in a command. */
function oneLine(typed: string): string {
  return typed.replaceAll(/\p{C}/gu, "").trim();
}

function completeWhat(typing: Typing): readonly Choice[] {
  return typing.options.string("about") === "team" ? completeTeams(typing) : [];
}

async function completeRules({ actor, typed }: Typing, services: Services): Promise<readonly Choice[]> {
  if (!(await isManager(services, actor))) return [];
  const wanted = typed.toLowerCase();
  return services.rules
    .list(actor.guildId)
    .rules.map(({ rule }) => ({ name: cut(ruleText(rule), 100), value: rule.number }))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ name, value }) => ({ name, value: String(value) }));
}

const ruleOption = {
  type: text,
  name: "rule",
  description: "Which rule",
  required: true,
  autocomplete: true,
} as const;

interface RuleArgs {
  readonly number: number;
}

function numberOf(typed: string): number {
  const number = Number(/^\d{1,6}/.exec(typed.trim())?.[0] ?? Number.NaN);
  if (Number.isNaN(number))
    throw new Failure("bad-command", "Choose a rule from the list, or give its number.");
  return number;
}

const list = defineEntry({
  description: "The rules, and what they did (Managers)",
  first: "ephemeral",
  parse: () => undefined,
  async execute({ actor }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const servers = await services.bindings.list(actor.guildId);
    const nameOf = (bindingId: string) => servers.find(({ id }) => id === bindingId)?.name ?? "";
    const shown = ruleList(services.rules.list(actor.guildId), nameOf);
    return await withPauseOf(services, actor.guildId, shown);
  },
});

const remove = defineEntry<RuleArgs>({
  description: "Remove a rule (Managers)",
  first: "ephemeral",
  options: [ruleOption],
  parse: (options) => ({ number: numberOf(options.string("rule", true)) }),
  autocomplete: completeRules,
  async execute({ actor, args: { number } }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const rule = await services.rules.remove(actor.guildId, number);
    if (rule === undefined) throw new Failure("bad-command", "That rule no longer exists.");
    await recordEvent(services, actor, { action: "rule-remove", text: ruleText(rule) });
    return { content: md`🗑 Removed rule ${rule.number}.` };
  },
});

const test = defineEntry<RuleArgs>({
  description: "Who is breaking a rule, what it would have done, and buttons to let it do more (Managers)",
  first: "ephemeral",
  options: [ruleOption],
  parse: (options) => ({ number: numberOf(options.string("rule", true)) }),
  autocomplete: completeRules,
  async execute({ actor, args: { number } }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    return ruleTest(await services.rules.test(actor.guildId, number), services.clock.nowMs());
  },
});

const pause = defineEntry({
  description: "Pause all rules, or resume them (Managers)",
  first: "ephemeral",
  parse: () => undefined,
  async execute({ actor }, services) {
    const isPaused = services.rules.list(actor.guildId).pause !== undefined;
    return await setPause({ actor }, services, !isPaused);
  },
});

async function setPause(
  { actor }: Pick<Press, "actor">,
  services: Services,
  isPaused: boolean,
): Promise<Reply> {
  await mustBeManager(services, actor, "Only Managers can pause rules.");
  const view = await services.rules.pause(actor, isPaused);
  await recordEvent(services, actor, { action: isPaused ? "rule-pause" : "rule-resume", text: "all rules" });
  return rulePaused(view);
}

async function setStep({ actor, argument }: Press, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const [number = "", chosen] = argument.split(":");
  const step: RuleStep | undefined = RULE_STEPS.find((one) => one === chosen);
  const { rule } = await services.rules.setStep(actor, numberOf(number), step);
  await recordEvent(services, actor, {
    action: "rule-step",
    text: `${rule.number}. ${ruleAbout(rule)}: ${step === undefined ? "only tell" : `:${step}`}`,
  });
  return ruleTest(await services.rules.test(actor.guildId, rule.number), services.clock.nowMs());
}

export const rule = defineCommand({
  name: "rule",
  description: "Which roles a team, vehicle or callsign needs",
  subcommands: { add, list, remove, test, pause },
  actions: {
    "rule-pause": defineAction({
      first: "ephemeral",
      execute: (press, services) => setPause(press, services, true),
    }),
    "rule-resume": defineAction({
      first: "ephemeral",
      execute: (press, services) => setPause(press, services, false),
    }),
    "rule-step": defineAction({ first: "update", execute: setStep }),
  },
});
