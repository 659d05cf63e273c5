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
    ? md`\n⚠️ Nothing is recorded of your servers, so nothing will come: \`/history retention days:90\` turns the history on.`
    : md``;
}

export const weeklyEntry = defineEntry<WeeklyArgs>({
  description: "The summary of each week in a channel; nothing: shows what is set (Manage Server)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Where it is posted on Mondays at 9:00",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    { type: ApplicationCommandOptionType.Boolean, name: "off", description: "No summary any more" },
  ],
  parse: (options) => ({ channelId: options.id("channel"), isOff: options.boolean("off") ?? false }),
  async execute({ actor, args: { channelId, isOff } }, services) {
    const { guildId, userId: byId } = actor;
    const { weekly, bindings } = services;
    if (!actor.manageGuild) {
      throw new Failure("denied", "This is for people who may manage this Discord server.");
    }
    if (isOff && channelId !== undefined)
      throw new Failure("bad-command", "Give a channel, or off; not both.");
    if (isOff) {
      const wasOn = await weekly.turnOff(guildId);
      if (!wasOn) return { content: md`There is no weekly summary here.` };
      await recordEvent(services, actor, { action: "stats-weekly", text: "off" });
      return { content: md`✅ No weekly summary is posted any more.` };
    }
    const more = await historyWords(services, guildId);
    if (channelId === undefined) {
      const setting = await weekly.of(guildId);
      return setting === undefined
        ? {
            content: md`There is no weekly summary here. \`/stats weekly channel:\` posts one each Monday at 9:00.`,
          }
        : { content: md`The summary of each week is posted in ${channelMention(setting.channelId)}.${more}` };
    }
    if ((await bindings.list(guildId)).length === 0) {
      throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server" });
    }
    const firstAtMs = await weekly.set(guildId, { channelId, byId });
    await recordEvent(services, actor, { action: "stats-weekly", text: channelMention(channelId) });
    return {
      content: md`✅ The summary of each week comes to ${channelMention(channelId)} on Mondays at 9:00; the next one <t:${Math.floor(firstAtMs / 1_000)}:F>.${more}`,
    };
  },
});
