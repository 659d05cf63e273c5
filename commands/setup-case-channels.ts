import {
  type APIApplicationCommandChannelOption,
  ApplicationCommandOptionType,
  ChannelType,
} from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { casesLine, watchesLine } from "../src/discord/render/setup-lines.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, GuildSettings } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";
import { type ChannelSetting, offOption, parseChannelSetting } from "./channel-setting.ts";
import { chosenText, setText } from "./not-posted.ts";

/** Where cases are posted, and where the joins of watched players are. */

const channelOption: APIApplicationCommandChannelOption = {
  type: ApplicationCommandOptionType.Channel,
  name: "channel",
  description: "A channel that only your staff can read",
  channel_types: [ChannelType.GuildText, ChannelType.PublicThread, ChannelType.PrivateThread],
};

/** Nothing would ever be posted there. @throws Failure "bad-command" */
function refuseWithoutCases({ cases }: Services, what: string): void {
  if (!cases.isKept)
    throw new Failure("bad-command", `${what} need cases, which Marshal's host has turned off.`);
}

/** Undefined: nowhere. @throws Failure "bad-command" where no cases are kept */
export async function setCases(
  services: Services,
  actor: Actor,
  caseChannelId: string | undefined,
): Promise<GuildSettings> {
  if (caseChannelId !== undefined) refuseWithoutCases(services, "Posts of cases");
  const said = caseChannelId === undefined ? "off" : channelMention(caseChannelId);
  const settings = await services.settings.change(actor.guildId, ({ caseChannelId: _, ...rest }) =>
    caseChannelId === undefined ? rest : { ...rest, caseChannelId },
  );
  await recordEvent(services, actor, { action: "case-channel", text: said });
  return settings;
}

export const casesEntry = defineEntry<ChannelSetting>({
  description: "Where kicks, bans, jails, warnings and notes are posted; leave empty to see the setting",
  first: "ephemeral",
  options: [channelOption, offOption("Stop posting cases; they are still saved")],
  parse: parseChannelSetting,
  async execute({ actor, args }, services) {
    if (args.kind === "show") {
      const now = await services.settings.of(actor.guildId);
      const at = { guildId: actor.guildId, channelId: now.caseChannelId };
      return { content: await setText(services, at, casesLine(now, services.cases)) };
    }
    const settings = await setCases(services, actor, args.kind === "set" ? args.channelId : undefined);
    const at = { guildId: actor.guildId, channelId: settings.caseChannelId, isForStaff: true };
    return { content: await chosenText(services, at, casesLine(settings, services.cases)) };
  },
});

interface WatchesArgs {
  readonly setting: ChannelSetting;
  readonly roleId: string | undefined;
}

export const watchesEntry = defineEntry<WatchesArgs>({
  description: "Where staff are told that a watched player joined; leave empty to see the setting",
  first: "ephemeral",
  options: [
    channelOption,
    { type: ApplicationCommandOptionType.Role, name: "ping", description: "Ping this role each time" },
    offOption("Stop posting joins of watched players"),
  ],
  parse: (options) => ({ setting: parseChannelSetting(options), roleId: options.role("ping")?.roleId }),
  async execute({ actor, args: { setting, roleId } }, services) {
    const before = await services.settings.of(actor.guildId);
    if (setting.kind === "show" && roleId === undefined) {
      const set = { guildId: actor.guildId, channelId: before.watchChannelId };
      return { content: await setText(services, set, watchesLine(before)) };
    }
    // A role alone is for the channel that is set.
    const channelId = setting.kind === "set" ? setting.channelId : before.watchChannelId;
    if (setting.kind !== "off" && channelId === undefined)
      throw new Failure("bad-command", "Choose a channel too: none is set yet.");
    const wanted = setting.kind === "off" ? undefined : channelId;
    if (wanted !== undefined) refuseWithoutCases(services, "Watched players");
    const settings = await services.settings.change(
      actor.guildId,
      ({ watchChannelId: _, watchRoleId: __, ...rest }) => ({
        ...rest,
        ...(wanted === undefined ? {} : { watchChannelId: wanted }),
        ...(wanted === undefined || roleId === undefined ? {} : { watchRoleId: roleId }),
      }),
    );
    const said = wanted === undefined ? "off" : channelMention(wanted);
    await recordEvent(services, actor, { action: "watch-channel", text: said });
    const mayWatch = wanted !== undefined && (await isModerator(services, actor));
    const adds = mayWatch ? md` \`/player watch\` adds a player.` : md``;
    const at = { guildId: actor.guildId, channelId: wanted, isForStaff: true };
    return { content: await chosenText(services, at, md`${watchesLine(settings)}${adds}`) };
  },
});

/** Of any of the linked servers. */
async function isModerator({ bindings, permissions }: Services, actor: Actor): Promise<boolean> {
  for (const binding of await bindings.list(actor.guildId)) {
    if ((await permissions.decideModerator(actor, binding)).allowed) return true;
  }
  return false;
}
