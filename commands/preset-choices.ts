import type { Choice, Typing } from "../src/discord/command.ts";
import { cut, cutLines, inlineCode, inlineName, plainText } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import type { Preset } from "../src/domain/guild.ts";
import { verbOf } from "../src/domain/preset-text.ts";
import { serverBeingTyped } from "./live-players.ts";
import { mayRunFor } from "./staff-rights.ts";

/** The presets whose name holds what was typed. */
export async function presetsTyped(
  { actor, typed }: Typing,
  { settings }: Services,
): Promise<readonly Preset[]> {
  const wanted = typed.toLowerCase();
  return (await settings.of(actor.guildId)).presets.filter(({ name }) => name.toLowerCase().includes(wanted));
}

/** Those of them that this person may run. */
export async function usablePresets(typing: Typing, services: Services): Promise<readonly Preset[]> {
  const may = await mayRunFor(typing.actor, await serverBeingTyped(typing, services), services);
  return (await presetsTyped(typing, services)).filter((preset) => may(verbOf(preset)));
}

/** The preset with its text; the value is its name. */
export function presetChoice({ name, text }: Preset): Choice {
  return { name: cut(plainText(`${name} · ${text}`), 100), value: name };
}

const ROOM_FOR_LIST = 4_000;
const LONGEST_IN_LIST = 300;
const SHORTEST_IN_LIST = 20;

/** Every preset has its line: where there are many, their texts are cut. `room` is for a line, in characters. */
function presetLine({ name, text: command }: Preset, room: number): Escaped {
  const head = md`**${inlineName(name)}**`;
  const left = Math.floor(room) - head.length - 6;
  return md`${head} ${inlineCode(command, Math.min(LONGEST_IN_LIST, Math.max(SHORTEST_IN_LIST, left)))}`;
}

/** All presets, a line each. */
export function presetLines(presets: readonly Preset[]): Escaped {
  return cutLines(
    presets.map((preset) => presetLine(preset, ROOM_FOR_LIST / presets.length)),
    ROOM_FOR_LIST,
  );
}
