import { ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineCommand,
  defineEntry,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { cut, escapeMarkdown } from "../src/discord/render/escape.ts";
import {
  ruleWords,
  scheduleAdded,
  scheduleList,
  scheduleText,
} from "../src/discord/render/schedule-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { placeholdersOf, presetNamed } from "../src/domain/preset-text.ts";
import { ruleOf, type ScheduledWhat, type ScheduleRule } from "../src/domain/schedule.ts";
import { recordEvent } from "./audit-event.ts";
import { withPauseOf } from "./automatic.ts";
import { blockedBy } from "./blocked-by.ts";
import { choicesOf, chosenOf } from "./numbered-list.ts";
import { presetChoice, usablePresets } from "./preset-choices.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { isManager, mustBeManager } from "./staff-rights.ts";

/** Scheduled announcements and presets, by the rights of the Manager who made them. */

const { String: text, Boolean: flag } = ApplicationCommandOptionType;
const FOR_MANAGERS = "Only Managers can use schedules.";
const GONE = "That schedule no longer exists.";
const EXAMPLES = ["every 30 min", "20:00", "mon-fri 18:00, 21:00", "sat, sun 12:00"];

const WRITE_IT = "Choose one from the list, or write a command with its colon.";

interface AddArgs {
  readonly what: string;
  readonly rule: ScheduleRule;
  readonly server: string | undefined;
  readonly onlyWithPlayers: boolean;
}

const add = defineEntry<AddArgs>({
  description: "Schedule an announcement or a preset (Managers)",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "what",
      description: "An announcement such as :h Welcome, or the name of a preset",
      required: true,
      autocomplete: true,
      max_length: 500,
    },
    {
      type: text,
      name: "when",
      description: "Such as every 30 min, 20:00, or mon-fri 18:00, 21:00",
      required: true,
      autocomplete: true,
      max_length: 100,
    },
    serverOption,
    { type: flag, name: "players", description: "Only while someone is playing" },
  ],
  parse: (options) => ({
    what: options.string("what", true).trim(),
    rule: ruleOf(options.string("when", true)),
    server: options.string("server"),
    onlyWithPlayers: options.boolean("players") ?? false,
  }),
  autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    return typing.option === "when" ? completeWhen(typing) : completePreset(typing, services);
  },
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, FOR_MANAGERS);
    const { presets, timeZone } = await services.settings.of(actor.guildId);
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const what: ScheduledWhat = args.what.startsWith(":")
      ? { kind: "text", text: args.what }
      : { kind: "preset", name: presetNamed(presets, args.what, WRITE_IT).name };
    const { rule, onlyWithPlayers } = args;
    const view = await services.schedules.add(actor, { binding, what, rule, onlyWithPlayers });
    const said = `${scheduleText(view.schedule)} on ${binding.name}`;
    await recordEvent(services, actor, { action: "schedule-add", text: said });
    const blocked = blockedBy(services, binding.source);
    const added = scheduleAdded({ view, serverName: binding.name, zone: timeZone, blockedBy: blocked });
    return await withPauseOf(services, actor.guildId, added);
  },
});

/** What was typed as it is understood, or examples. */
function completeWhen({ typed }: Typing): readonly Choice[] {
  try {
    return [{ name: ruleWords(ruleOf(typed)), value: typed }];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const wanted = typed.trim().toLowerCase();
    return EXAMPLES.filter((example) => example.includes(wanted)).map((one) => ({ name: one, value: one }));
  }
}

/** Presets that ask for nothing and that this person may run. */
async function completePreset(typing: Typing, services: Services): Promise<readonly Choice[]> {
  const usable = await usablePresets(typing, services);
  return usable.filter(({ text: sends }) => placeholdersOf(sends).length === 0).map(presetChoice);
}

const list = defineEntry<undefined>({
  description: "All schedules: next run and last result (Managers)",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => listReply(actor, services),
});

async function listReply(actor: Actor, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const { timeZone: zone } = await services.settings.of(actor.guildId);
  const servers = await services.bindings.list(actor.guildId);
  const views = await services.schedules.list(actor.guildId);
  return await withPauseOf(services, actor.guildId, scheduleList({ views, servers, zone }));
}

const remove = defineEntry<string>({
  description: "Remove a schedule (Managers)",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "schedule",
      description: "Which one, by its number in /schedule list",
      required: true,
      autocomplete: true,
    },
  ],
  parse: (options) => options.string("schedule", true).trim(),
  async autocomplete({ actor, typed }, services) {
    if (!(await isManager(services, actor))) return [];
    const all = (await services.schedules.list(actor.guildId)).map(({ schedule: one }) => one);
    return choicesOf(all, typed, (one, number) => cut(`${number}. ${scheduleText(one)}`, 100));
  },
  async execute({ actor, args }, services) {
    const all = (await services.schedules.list(actor.guildId)).map(({ schedule: one }) => one);
    const said = await removeOne(services, actor, chosenOf(all, args)?.id ?? args);
    return { content: md`🗑 Removed: ${escapeMarkdown(said)}` };
  },
});

/** Removes a schedule and says in the audit which. @throws Failure "bad-command" where it is gone. */
async function removeOne(services: Services, actor: Actor, id: string): Promise<string> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const removed = await services.schedules.remove(actor.guildId, id);
  if (removed === undefined) throw new Failure("bad-command", GONE);
  const said = scheduleText(removed);
  await recordEvent(services, actor, { action: "schedule-remove", text: said });
  return said;
}

export const schedule = defineCommand({
  name: "schedule",
  description: "Scheduled announcements and presets",
  subcommands: { add, list, remove },
  actions: {
    /** A button names the schedule in its id, the menu of the list in its value. */
    "schedule-remove": defineAction({
      first: "update",
      async execute({ actor, argument, values }, services) {
        const [chosen] = values;
        const said = await removeOne(services, actor, chosen ?? argument);
        if (chosen !== undefined) return await listReply(actor, services);
        return { content: md`🗑 Removed: ${escapeMarkdown(said)}`, rows: [] };
      },
    }),
  },
});
