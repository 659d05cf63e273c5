import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { recordEvent } from "./audit-event.ts";

/** `/stats weekly`: the summary of each week in a channel. */

interface WeeklyArgs {
  readonly channelId: string | undefined;
  readonly isOff: boolean;
}

/** Where nothing is recorded there is nothing to sum up. */
async function historyWords({ history }: Services, guildId: string): Promise<Escaped> {
  const isOff = (await history.privacy.retention(guildId)) === "off";
  return isOff
    ? md`\n⚠️ Recording is off, so nothing will be posted. Turn it on with \`/history retention days:90\`.`
    : md``;
}

export const weeklyEntry = defineEntry<WeeklyArgs>({
  description: "Post a weekly summary; leave empty to see the setting (Manage Server)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Where it is posted on Mondays at 9:00",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    { type: ApplicationCommandOptionType.Boolean, name: "off", description: "Turn it off" },
  ],
  parse: (options) => ({ channelId: options.id("channel"), isOff: options.boolean("off") ?? false }),
  async execute({ actor, args: { channelId, isOff } }, services) {
    const { guildId, userId: byId } = actor;
    const { weekly, bindings } = services;
    if (!actor.manageGuild) {
      throw new Failure("denied", "Only people with Manage Server can do this.");
    }
    if (isOff && channelId !== undefined)
      throw new Failure("bad-command", "Give a channel or off, not both.");
    if (isOff) {
      const wasOn = await weekly.turnOff(guildId);
      if (!wasOn) return { content: md`Weekly summaries are already off.` };
      await recordEvent(services, actor, { action: "stats-weekly", text: "off" });
      return { content: md`✅ Weekly summaries are off.` };
    }
    const more = await historyWords(services, guildId);
    if (channelId === undefined) {
      const setting = await weekly.of(guildId);
      return setting === undefined
        ? {
            content: md`Weekly summaries are off. Turn them on with \`/stats weekly channel:\` (Mondays at 9:00).`,
          }
        : { content: md`Weekly summaries are posted in ${channelMention(setting.channelId)}.${more}` };
    }
    if ((await bindings.list(guildId)).length === 0) {
      throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server" });
    }
    const firstAtMs = await weekly.set(guildId, { channelId, byId });
    await recordEvent(services, actor, { action: "stats-weekly", text: channelMention(channelId) });
    return {
      content: md`✅ Weekly summaries are posted in ${channelMention(channelId)} on Mondays at 9:00. Next: <t:${Math.floor(firstAtMs / 1_000)}:f>.${more}`,
    };
  },
});
