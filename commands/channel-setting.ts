import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { Options } from "../src/discord/command.ts";
import { Failure } from "../src/domain/failure.ts";

/** A setting that is a channel or off: with neither named, what is set is shown. */

export type ChannelSetting =
  | { readonly kind: "show" }
  | { readonly kind: "off" }
  | { readonly kind: "set"; readonly channelId: string };

export function offOption(description: string): APIApplicationCommandBasicOption {
  return { type: ApplicationCommandOptionType.Boolean, name: "off", description };
}

/** Throws a Failure "bad-command" for a channel and off together. */
export function parseChannelSetting(options: Options): ChannelSetting {
  const channelId = options.id("channel");
  const isOff = options.boolean("off") === true;
  if (channelId !== undefined && isOff)
    throw new Failure("bad-command", "Choose a channel or off, not both.");
  if (isOff) return { kind: "off" };
  return channelId === undefined ? { kind: "show" } : { kind: "set", channelId };
}
