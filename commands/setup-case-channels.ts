import {
  type APIApplicationCommandChannelOption,
  ApplicationCommandOptionType,
  ChannelType,
} from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { channelMention, md, roleMention } from "../src/domain/escaped.ts";
import { recordEvent } from "./audit-event.ts";

/** Where cases stand, and where watched players are announced. */

const channelOption: APIApplicationCommandChannelOption = {
  type: ApplicationCommandOptionType.Channel,
  name: "channel",
  description: "A channel that only your staff reads",
  channel_types: [ChannelType.GuildText, ChannelType.PublicThread, ChannelType.PrivateThread],
};

export const casesEntry = defineEntry<string | undefined>({
  description: "Where each kick, ban, jail, warning and note is posted; without a channel: nowhere",
  first: "ephemeral",
  options: [channelOption],
  parse: (options) => options.id("channel"),
  async execute({ actor, args: caseChannelId }, services) {
    await services.settings.change(actor.guildId, ({ caseChannelId: _, ...rest }) =>
      caseChannelId === undefined ? rest : { ...rest, caseChannelId },
    );
    const said = caseChannelId === undefined ? "off" : channelMention(caseChannelId);
    await recordEvent(services, actor, { action: "case-channel", text: said });
    return {
      content:
        caseChannelId === undefined
          ? md`✅ Cases are posted nowhere. They are still kept: \`/case search\` shows them.`
          : md`✅ Cases are posted in ${channelMention(caseChannelId)} from now on. Everybody who can see that channel reads them.`,
    };
  },
});

interface WatchesArgs {
  readonly channelId: string | undefined;
  readonly roleId: string | undefined;
}

export const watchesEntry = defineEntry<WatchesArgs>({
  description: "Where staff are told that a watched player has joined; without a channel: nowhere",
  first: "ephemeral",
  options: [
    channelOption,
    { type: ApplicationCommandOptionType.Role, name: "ping", description: "Ping this role each time" },
  ],
  parse: (options) => ({ channelId: options.id("channel"), roleId: options.role("ping")?.roleId }),
  async execute({ actor, args: { channelId, roleId } }, services) {
    await services.settings.change(actor.guildId, ({ watchChannelId: _, watchRoleId: __, ...rest }) => ({
      ...rest,
      ...(channelId === undefined ? {} : { watchChannelId: channelId }),
      ...(channelId === undefined || roleId === undefined ? {} : { watchRoleId: roleId }),
    }));
    const said = channelId === undefined ? "off" : channelMention(channelId);
    await recordEvent(services, actor, { action: "watch-channel", text: said });
    if (channelId === undefined) return { content: md`✅ Nobody is told of watched players any more.` };
    const ping = roleId === undefined ? md`` : md`, and ${roleMention(roleId)} is pinged`;
    return {
      content: md`✅ When a watched player joins, it is told in ${channelMention(channelId)}${ping}. \`/player watch\` adds one.`,
    };
  },
});
