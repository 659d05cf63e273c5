import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { shutLines } from "../src/discord/render/channel-access.ts";
import { appealsLine } from "../src/discord/render/setup-lines.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { recordEvent } from "./audit-event.ts";
import { type ChannelSetting, offOption, parseChannelSetting } from "./channel-setting.ts";
import { chosenText, setText } from "./not-posted.ts";

/** `/setup appeals`: where staff read appeals, and where the button stands. */

interface AppealsArgs {
  readonly setting: ChannelSetting;
  readonly buttonIn: string | undefined;
}

export const appealsEntry = defineEntry<AppealsArgs>({
  description: "Let punished players appeal; leave empty to see the setting",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "A staff channel for appeals, with what is known about the case",
      channel_types: [ChannelType.GuildText],
    },
    {
      type: ApplicationCommandOptionType.Channel,
      name: "button-in",
      description: "Where to post the button for players; their private threads are there too",
      channel_types: [ChannelType.GuildText],
    },
    offOption("Stop new appeals; open ones can still be answered"),
  ],
  parse: (options) => ({ setting: parseChannelSetting(options), buttonIn: options.id("button-in") }),
  async execute({ actor, args: { setting, buttonIn } }, services) {
    refuseWithoutCases(services);
    const before = await services.settings.of(actor.guildId);
    if (setting.kind === "show" && buttonIn === undefined) {
      const set = { guildId: actor.guildId, channelId: before.appealChannelId };
      return { content: await setText(services, set, appealsLine(before)) };
    }
    if (setting.kind === "off") return await changeAppeals(services, actor, undefined);
    const channelId = setting.kind === "set" ? setting.channelId : before.appealChannelId;
    if (channelId === undefined)
      throw new Failure("bad-command", "Choose a channel for your staff too, with channel:.");
    if (channelId === buttonIn)
      throw new Failure("bad-command", "Choose two channels: players must not read what staff see.");
    return await changeAppeals(services, actor, { channelId, buttonIn });
  },
});

/** `appeals-again:CHANNEL:BUTTON-IN`, under what Marshal may not do in the button's channel. */
export async function setAppealsAgain({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [channelId = "", buttonIn] = argument.split(":");
  refuseWithoutCases(services);
  return await changeAppeals(services, actor, { channelId, buttonIn });
}

/** @throws Failure "bad-command" */
function refuseWithoutCases({ cases }: Services): void {
  if (!cases.isKept)
    throw new Failure("bad-command", "Appeals need cases, which Marshal's host has turned off.");
}

interface AppealChannels {
  readonly channelId: string;
  readonly buttonIn: string | undefined;
}

/** What cannot be posted leaves everything as it was. Undefined: off. */
async function changeAppeals(
  services: Services,
  actor: Actor,
  wanted: AppealChannels | undefined,
): Promise<Reply> {
  const { guildId } = actor;
  const buttonIn = wanted?.buttonIn;
  if (wanted !== undefined && buttonIn !== undefined) {
    const shut = await noTalks(services, guildId, { ...wanted, buttonIn });
    if (shut !== undefined) return shut;
    await services.appeals.postButton(buttonIn);
  }

  const settings = await services.settings.change(
    guildId,
    ({ appealChannelId: _, appealButtonChannelId: earlier, ...rest }) => {
      if (wanted === undefined) return rest;
      const button = buttonIn ?? earlier;
      const kept = button === undefined ? {} : { appealButtonChannelId: button };
      return { ...rest, ...kept, appealChannelId: wanted.channelId };
    },
  );
  const said = wanted === undefined ? "off" : channelMention(wanted.channelId);
  await recordEvent(services, actor, { action: "appeal-channel", text: said });
  const at = { guildId, channelId: settings.appealChannelId, isForStaff: true };
  return { content: await chosenText(services, at, appealsLine(settings)) };
}

/** What Marshal lacks where staff and players are to talk; undefined: nothing. */
async function noTalks(
  { guilds }: Services,
  guildId: string,
  { channelId, buttonIn }: { readonly channelId: string; readonly buttonIn: string },
): Promise<Reply | undefined> {
  const access = await guilds.channelAccess(guildId, buttonIn, "talks");
  const lines = shutLines(buttonIn, access, md`Nothing was changed`);
  if (lines.length === 0) return undefined;
  const why = md`Staff and players talk in private threads there.`;
  const again: Button = {
    kind: "button",
    style: "primary",
    label: "Check again",
    id: `appeals-again:${channelId}:${buttonIn}`,
  };
  const [first = md``, ...rest] = lines;
  return { content: joined([first, why, ...rest], "\n"), rows: [[again]] };
}
