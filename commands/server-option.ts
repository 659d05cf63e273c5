import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import type { Choice, Typing } from "../src/discord/command.ts";
import { cut, plainText } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";

/** The option `server:` of every command that speaks of one linked server; needed only where there are several. */
export const serverOption: APIApplicationCommandStringOption = {
  type: ApplicationCommandOptionType.String,
  name: "server",
  description: "Which linked server, if there are several",
  autocomplete: true,
};

/** Linked servers whose name holds what was typed. The value is the binding's id: names may be equal. */
export async function completeServer(
  { actor, typed }: Typing,
  { bindings }: Services,
): Promise<readonly Choice[]> {
  const wanted = typed.toLowerCase();
  return (await bindings.list(actor.guildId))
    .filter(({ id, name }) => id === typed || name.toLowerCase().includes(wanted))
    .map(({ id, name }) => ({ name: cut(plainText(name), 100) || id, value: id }));
}
