import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type Group, type Typing } from "../src/discord/command.ts";
import { inlineCode, inlineName, plainText } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import {
  fillPreset,
  isNamed,
  type Placeholder,
  placeholdersOf,
  presetNamed,
  verbOf,
} from "../src/domain/preset-text.ts";
import { recordEvent } from "./audit-event.ts";
import { completeStaffPlayer } from "./live-players.ts";
import { presetChoice, presetLines, presetsTyped, usablePresets } from "./preset-choices.ts";
import { ask } from "./run-flow.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { isManager, mustBeManager, staffedServers } from "./staff-rights.ts";

/** `/run preset`: command texts that Managers keep for everyone, with placeholders for what changes. */

const MOST_PRESETS = 50;
const { String: text, Number: number, Boolean: flag } = ApplicationCommandOptionType;

interface UseArgs {
  readonly name: string;
  readonly server: string | undefined;
  readonly dry: boolean | undefined;
  readonly values: Readonly<Partial<Record<Placeholder, string>>>;
}

/** For those who change presets: nobody else reads what they say. */
async function completePreset(typing: Typing, services: Services) {
  if (!(await isManager(services, typing.actor))) return [];
  return (await presetsTyped(typing, services)).map(presetChoice);
}

/** For `/run command`: the text of a preset up to its first placeholder, so that typing goes on from there. */
export async function completeByName(
  { actor, typed }: Typing,
  { settings }: Services,
  may: (text: string) => boolean,
) {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "" || wanted.startsWith(":")) return [];
  return (await settings.of(actor.guildId)).presets
    .filter((preset) => preset.name.toLowerCase().includes(wanted) && may(verbOf(preset)))
    .map((preset) => ({ ...presetChoice(preset), value: preset.text.replace(/\{.*$/su, "").trim() }));
}

/** The text of the preset whose name was typed instead of a command; undefined: no preset has that name. */
export async function textOfPreset(
  { settings }: Services,
  guildId: string,
  typed: string,
): Promise<string | undefined> {
  if (typed.startsWith(":")) return undefined;
  const preset = (await settings.of(guildId)).presets.find((one) => isNamed(one, typed));
  return preset === undefined ? undefined : fillPreset(preset.text, {});
}

/** Presets that this person may run. */
async function completeUsable(typing: Typing, services: Services) {
  return (await usablePresets(typing, services)).map(presetChoice);
}

/** @throws Failure "denied" */
async function mustSeePresets(services: Services, actor: Actor): Promise<void> {
  if (!actor.manageGuild && (await staffedServers(services, actor)).length === 0)
    throw new Failure("denied", "Only staff can see the presets.", { wants: "tier", isRead: true });
}

const nameOption = {
  type: text,
  name: "name",
  description: "Its name",
  required: true,
  autocomplete: true,
} as const;

const use = defineEntry<UseArgs>({
  description: "Run a preset",
  first: "ephemeral",
  runs: true,
  options: [
    nameOption,
    { type: text, name: "player", description: "For {player}", autocomplete: true, max_length: 100 },
    { type: text, name: "text", description: "For {text}", max_length: 400 },
    { type: number, name: "number", description: "For {number}" },
    serverOption,
    { type: flag, name: "dry", description: "Only show what it would do" },
  ],
  parse: (options) => {
    const [player, words, amount] = [
      options.string("player"),
      options.string("text"),
      options.number("number"),
    ];
    return {
      name: options.string("name", true),
      server: options.string("server"),
      dry: options.boolean("dry"),
      values: {
        ...(player === undefined ? {} : { player: player.trim() }),
        ...(words === undefined ? {} : { text: words.trim() }),
        ...(amount === undefined ? {} : { number: String(amount) }),
      },
    };
  },
  autocomplete(typing, services) {
    if (typing.option === "server") return completeServer(typing, services);
    return typing.option === "player"
      ? completeStaffPlayer(typing, services)
      : completeUsable(typing, services);
  },
  async *execute({ actor, args, ...on }, services) {
    const { presets: all } = await services.settings.of(actor.guildId);
    // Their names are for staff.
    if (!all.some((one) => isNamed(one, args.name))) await mustSeePresets(services, actor);
    const preset = presetNamed(all, args.name);
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const filled = fillPreset(preset.text, args.values);
    yield* ask(services, { actor, binding, text: filled, origin: "preset", dry: args.dry, on });
  },
});

const save = defineEntry<{ readonly name: string; readonly text: string }>({
  description: "Save a preset (Managers)",
  first: "ephemeral",
  options: [
    { ...nameOption, max_length: 50 },
    { type: text, name: "text", description: "Such as :pm {player} {text}", required: true, max_length: 500 },
  ],
  parse: (options) => ({
    name: plainText(options.string("name", true)),
    text: options.string("text", true).trim(),
  }),
  autocomplete: completePreset,
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can save presets.");
    if (args.name === "") throw new Failure("bad-command", "The name is empty.");
    if (!args.text.startsWith(":")) throw new Failure("bad-command", "A command starts with a colon.");
    const used = placeholdersOf(args.text);
    await services.settings.change(actor.guildId, (settings) => {
      const others = settings.presets.filter((preset) => !isNamed(preset, args.name));
      if (others.length >= MOST_PRESETS)
        throw new Failure(
          "bad-command",
          `This community has ${MOST_PRESETS} presets, the maximum. Delete one first.`,
        );
      return { ...settings, presets: [...others, { ...args, createdBy: actor.userId }] };
    });
    await recordEvent(services, actor, { action: "preset-save", text: `${args.name}: ${args.text}` });
    const needs =
      used.length === 0
        ? md`nothing`
        : joined(
            used.map((name) => md`\`${name}:\``),
            ", ",
          );
    const isKnown = services.catalogue.about(args.text) !== undefined;
    const unknown = isKnown ? "" : "\n⚠ Marshal doesn't know this command. Only Managers can run it.";
    return {
      content: md`✅ Saved **${inlineName(args.name)}**: ${inlineCode(args.text, 500)}\nIt asks for ${needs}.${unknown}`,
    };
  },
});

const remove = defineEntry<{ readonly name: string }>({
  description: "Delete a preset (Managers)",
  first: "ephemeral",
  options: [nameOption],
  parse: (options) => ({ name: options.string("name", true) }),
  autocomplete: completePreset,
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can save presets.");
    const preset = presetNamed((await services.settings.of(actor.guildId)).presets, args.name);
    await services.settings.change(actor.guildId, (settings) => ({
      ...settings,
      presets: settings.presets.filter((one) => !isNamed(one, args.name)),
    }));
    await recordEvent(services, actor, { action: "preset-remove", text: `${preset.name}: ${preset.text}` });
    return { content: md`✅ Deleted **${inlineName(preset.name)}**.` };
  },
});

const list = defineEntry<undefined>({
  description: "List the presets",
  first: "ephemeral",
  parse: () => undefined,
  async execute({ actor }, services) {
    await mustSeePresets(services, actor);
    const { presets } = await services.settings.of(actor.guildId);
    const empty = md`No presets yet. A Manager can add one with \`/run preset save\`.`;
    return {
      cards: [
        {
          title: md`Presets`,
          description: presets.length === 0 ? empty : presetLines(presets),
          color: 0x3b6fd4,
        },
      ],
    };
  },
});

export const presets: Group = {
  description: "Saved commands for everyone",
  subcommands: { use, list, save, remove },
};
