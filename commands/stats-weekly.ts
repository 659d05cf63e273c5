import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { escapeMarkdown } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { chosenText, setText } from "./not-posted.ts";

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

/** From the next Monday on. @throws Failure "not-linked" where no server is. */
export async function setWeekly(services: Services, actor: Actor, channelId: string): Promise<Escaped> {
  const { guildId, userId: byId } = actor;
  const more = await historyWords(services, guildId);
  if ((await services.bindings.list(guildId)).length === 0) {
    throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server" });
  }
  const firstAtMs = await services.weekly.set(guildId, { channelId, byId });
  await recordEvent(services, actor, { action: "stats-weekly", text: channelMention(channelId) });
  const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(guildId);
  // The time that follows is the reader's own.
  const said = md`Weekly summaries are posted in ${channelMention(channelId)} on Mondays at 9:00 (${escapeMarkdown(zone)}). Next: <t:${Math.floor(firstAtMs / 1_000)}:f>.`;
  return md`${await chosenText(services, { guildId, channelId }, said)}${more}`;
}

export async function turnWeeklyOff(services: Services, actor: Actor): Promise<Escaped> {
  const wasOn = await services.weekly.turnOff(actor.guildId);
  if (!wasOn) return md`Weekly summaries are already off.`;
  await recordEvent(services, actor, { action: "stats-weekly", text: "off" });
  return md`✅ Weekly summaries are off.`;
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
    if (!actor.manageGuild) {
      throw new Failure("denied", "Only people with Manage Server can do this.");
    }
    if (isOff && channelId !== undefined)
      throw new Failure("bad-command", "Give a channel or off, not both.");
    if (isOff) return { content: await turnWeeklyOff(services, actor) };
    if (channelId !== undefined) return { content: await setWeekly(services, actor, channelId) };
    const { guildId } = actor;
    const set = { guildId, channelId: (await services.weekly.of(guildId))?.channelId };
    const said =
      set.channelId === undefined
        ? md`Weekly summaries are off. Turn them on with \`/stats weekly channel:\` (Mondays at 9:00).`
        : md`Weekly summaries are posted in ${channelMention(set.channelId)}.${await historyWords(services, guildId)}`;
    return { content: await setText(services, set, said) };
  },
});
