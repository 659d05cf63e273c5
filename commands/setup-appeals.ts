import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { appealsLine } from "../src/discord/render/setup-lines.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { recordEvent } from "./audit-event.ts";
import { type ChannelSetting, offOption, parseChannelSetting } from "./channel-setting.ts";
import { chosenText } from "./not-posted.ts";

/** `/setup appeals`: where staff read appeals, and where the button stands. */

interface AppealsArgs {
  readonly setting: ChannelSetting;
  readonly buttonIn: string | undefined;
}

export const appealsEntry = defineEntry<AppealsArgs>({
  description: "Let punished players appeal; with nothing: what is set",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Where only your staff reads appeals, with what is known of the case",
      channel_types: [ChannelType.GuildText],
    },
    {
      type: ApplicationCommandOptionType.Channel,
      name: "button-in",
      description: "Where to post the button for players; talks are private threads there",
      channel_types: [ChannelType.GuildText],
    },
    offOption("Nobody can appeal any more; open appeals can still be answered"),
  ],
  parse: (options) => ({ setting: parseChannelSetting(options), buttonIn: options.id("button-in") }),
  async execute({ actor, args: { setting, buttonIn } }, services) {
    const { guildId } = actor;
    if (!services.cases.isKept)
      throw new Failure("bad-command", "Appeals need cases, which Marshal's host has turned off.");
    const before = await services.settings.of(guildId);
    if (setting.kind === "show" && buttonIn === undefined) return { content: appealsLine(before) };
    const channelId = setting.kind === "set" ? setting.channelId : before.appealChannelId;
    if (setting.kind !== "off" && channelId === undefined)
      throw new Failure("bad-command", "Name the channel for your staff too: channel:.");
    if (channelId === buttonIn && setting.kind !== "off")
      throw new Failure("bad-command", "Choose two channels: players must not read what staff see.");
    // What cannot be posted leaves everything as it was.
    if (setting.kind !== "off" && buttonIn !== undefined) {
      await refuseWithoutThreads(services, guildId, buttonIn);
      await services.appeals.postButton(buttonIn);
    }
    const wanted = setting.kind === "off" ? undefined : channelId;
    const settings = await services.settings.change(
      guildId,
      ({ appealChannelId: _, appealButtonChannelId: earlier, ...rest }) => {
        if (wanted === undefined) return rest;
        const button = buttonIn ?? earlier;
        const kept = button === undefined ? {} : { appealButtonChannelId: button };
        return { ...rest, ...kept, appealChannelId: wanted };
      },
    );
    const said = wanted === undefined ? "off" : channelMention(wanted);
    await recordEvent(services, actor, { action: "appeal-channel", text: said });
    const at = { guildId, channelId: settings.appealChannelId };
    return { content: await chosenText(services, at, appealsLine(settings)) };
  },
});

/** Staff and players talk in private threads of the button's channel. @throws Failure "bad-command" */
async function refuseWithoutThreads({ guilds }: Services, guildId: string, channelId: string): Promise<void> {
  const access = await guilds.channelAccess(guildId, channelId, "talks");
  if (access.kind !== "missing") return;
  throw new Failure(
    "bad-command",
    `Marshal lacks ${access.permissions.join(", ")} in the channel of the button. Staff and players talk in private threads there. Allow it in the channel's settings, under Permissions, then run this again.`,
  );
}
