import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { type Choice, defineEntry } from "../src/discord/command.ts";
import { inlineCode } from "../src/discord/render/escape.ts";
import { zoneCode } from "../src/discord/render/setup-guide-zone.ts";
import { noticesLine, tellLine } from "../src/discord/render/setup-lines.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { clockIn, TIME_ZONES, zoneNamed } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { type ChannelSetting, offOption, parseChannelSetting } from "./channel-setting.ts";
import { chosenText, setText } from "./not-posted.ts";

/** Settings of the Discord server itself: where notices go, and its time zone. */

export async function setNotices(
  services: Services,
  actor: Actor,
  noticeChannelId: string | undefined,
): Promise<void> {
  await services.settings.change(actor.guildId, ({ noticeChannelId: _, ...rest }) =>
    noticeChannelId === undefined ? rest : { ...rest, noticeChannelId },
  );
  const said = noticeChannelId === undefined ? "by direct message" : channelMention(noticeChannelId);
  await recordEvent(services, actor, { action: "notices", text: said });
}

export const noticesEntry = defineEntry<ChannelSetting>({
  description: "Where Marshal reports rejected keys and other problems; leave empty to see the setting",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "A staff channel",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    offOption("No channel: a direct message to whoever linked the server"),
  ],
  parse: parseChannelSetting,
  async execute({ actor, args }, services) {
    if (args.kind !== "show")
      await setNotices(services, actor, args.kind === "set" ? args.channelId : undefined);
    const settings = await services.settings.of(actor.guildId);
    const line = noticesLine(settings);
    const offDoes = md`sends them as direct messages`;
    const at = { guildId: actor.guildId, channelId: settings.noticeChannelId, isForStaff: true, offDoes };
    const text = args.kind === "show" ? setText : chosenText;
    return { content: await text(services, at, line) };
  },
});

/** Sets the time zone and returns its proper name. Rejects with Failure "bad-command" for an unknown one. */
export async function setTimeZone(services: Services, actor: Actor, typed: string): Promise<string> {
  const zone = zoneNamed(typed);
  if (zone === undefined) {
    throw new Failure(
      "bad-command",
      "I don't know that time zone. Name a city in it, such as New York or Europe/Berlin.",
    );
  }
  await services.settings.change(actor.guildId, (before) => ({ ...before, timeZone: zone }));
  await services.schedules.onZoneChanged(actor.guildId);
  await recordEvent(services, actor, { action: "time-zone", text: zone });
  return zone;
}

/** The zone that was typed, and those whose name holds it, with what their clocks show. */
function completeZone(typed: string, nowMs: number): readonly Choice[] {
  const wanted = typed.trim().replace(/\s+/g, "_").toLowerCase();
  const meant = zoneNamed(typed);
  const holding = TIME_ZONES.filter((name) => name.toLowerCase().includes(wanted));
  return [...new Set([...(meant === undefined ? [] : [meant]), ...holding])]
    .slice(0, 25)
    .map((name) => ({ name: `${name.replaceAll("_", " ")} (${clockIn(name, nowMs)})`, value: name }));
}

export const timezoneEntry = defineEntry<string>({
  description: "Your community's time zone (default UTC)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "zone",
      description: "For example Europe/Berlin",
      required: true,
      autocomplete: true,
      max_length: 60,
    },
  ],
  parse: (options) => options.string("zone", true),
  autocomplete: ({ typed }, { clock }) => completeZone(typed, clock.nowMs()),
  async execute({ actor, args }, services) {
    const zone = await setTimeZone(services, actor, args);
    return { content: md`✅ Time zone: ${zoneCode(zone)}, where it is ${clockWords(zone, services)} now.` };
  },
});

function clockWords(zone: string, { clock }: Services) {
  return inlineCode(clockIn(zone, clock.nowMs()));
}

export const tellEntry = defineEntry<{ readonly isOn: boolean | undefined }>({
  description: "Whether warned players are told in the game; leave empty to see the setting",
  first: "ephemeral",
  options: [
    { type: ApplicationCommandOptionType.Boolean, name: "on", description: "Send them a :pm right away" },
  ],
  parse: (options) => ({ isOn: options.boolean("on") }),
  async execute({ actor, args: { isOn } }, services) {
    if (isOn === undefined) return { content: tellLine(await services.settings.of(actor.guildId)) };
    const settings = await services.settings.change(actor.guildId, ({ tellsWarned: _, ...rest }) =>
      isOn ? { ...rest, tellsWarned: true } : rest,
    );
    await recordEvent(services, actor, { action: "case-tell", text: isOn ? "on" : "off" });
    return { content: md`✅ ${tellLine(settings)}` };
  },
});
