import type { Choice, Typing } from "../src/discord/command.ts";
import { cut, plainText } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
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
