import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import type { FormField, Options } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { type BanTerm, banTermOf } from "../src/domain/ban-end.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";

/** How people say when a ban ends, in a command and in a form. */

const { String: text } = ApplicationCommandOptionType;

export const termOptions: readonly APIApplicationCommandStringOption[] = [
  {
    type: text,
    name: "for",
    description: "For a ban: how long it lasts, such as 7 days",
    max_length: 40,
  },
  {
    type: text,
    name: "until",
    description: "For a ban: when it ends, such as fri 20:00, or its last day",
    max_length: 40,
  },
];

/** What was typed; undefined: the ban has no end. @throws Failure "bad-command" for both at once. */
export function termTyped(options: Options): string | undefined {
  const [lasts, until] = [options.string("for")?.trim() ?? "", options.string("until")?.trim() ?? ""];
  if (lasts !== "" && until !== "") throw new Failure("bad-command", "Give for: or until:, not both.");
  const typed = lasts === "" ? until : lasts;
  return typed === "" ? undefined : typed;
}

export const termField: FormField = {
  kind: "text",
  id: "until",
  label: "For how long",
  required: false,
  maxLength: 40,
  description: "Marshal unbans them when it is over. Leave empty for no end",
  placeholder: "7 days",
};

/** The end that was typed, by the clocks of the community. @throws Failure "bad-command" where it cannot be read. */
export async function termOf(
  { settings, clock }: Pick<Services, "settings" | "clock">,
  { guildId }: Pick<Actor, "guildId">,
  typed: string | undefined,
): Promise<BanTerm | undefined> {
  if (typed === undefined || typed.trim() === "") return undefined;
  const { timeZone: zone = DEFAULT_ZONE } = await settings.of(guildId);
  return banTermOf(typed, { nowMs: clock.nowMs(), zone });
}
