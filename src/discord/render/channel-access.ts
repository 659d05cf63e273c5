import { channelMention, type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Feed } from "../../domain/guild.ts";
import type { ChannelAccess } from "../../domain/ports/guilds.ts";

/** Whether the bot can post into a channel, in one line: a tick, or what is missing there. Pure. */

export type AccessOf = (channelId: string) => ChannelAccess;

/** `✅ Kills: #kills`, or `⚠ Kills: missing **Send Messages** in #kills`. */
export function channelLine(what: Escaped, channelId: string, access: ChannelAccess): Escaped {
  const channel = channelMention(channelId);
  switch (access.kind) {
    case "open":
      return md`✅ ${what}: ${channel}`;
    case "unknown":
      return md`❔ ${what}: ${channel} (Discord did not say what Marshal can do there)`;
    default:
      return md`⚠ ${what}: ${obstacleIn(channelId, access)}`;
  }
}

/** What keeps the bot from posting, after words that have named the channel: `Kills in #kills: missing ...`. */
export function obstacle(access: ChannelAccess): Escaped {
  switch (access.kind) {
    case "missing":
      return md`missing ${permissionList(access.permissions)}`;
    case "gone":
      return md`deleted. Pick another channel`;
    case "closed":
      return md`archived or locked. Open it or pick another`;
    case "timed-out":
      return md`Marshal is timed out until <t:${Math.ceil(access.untilMs / 1_000)}:f>`;
    default:
      return md`takes messages`;
  }
}

/** The same with the channel's name in it. */
export function obstacleIn(channelId: string, access: ChannelAccess): Escaped {
  const channel = channelMention(channelId);
  if (access.kind === "missing") return md`${obstacle(access)} in ${channel}`;
  if (access.kind === "timed-out") return obstacle(access);
  const verb = access.kind === "gone" ? md` was` : access.kind === "closed" ? md` is` : md``;
  return md`${channel}${verb} ${obstacle(access)}`;
}

/** The bot surely cannot post there; what Discord did not say is not held against a channel. */
export function isShut({ kind }: ChannelAccess): boolean {
  return kind !== "open" && kind !== "unknown";
}

/** That the bot can't post into a channel, and what to do; nothing where it can. */
export function shutLines(
  channelId: string,
  access: ChannelAccess,
  what: Escaped = md`I can't post there`,
): readonly Escaped[] {
  if (!isShut(access)) return [];
  const line = md`⚠ ${what}: ${obstacleIn(channelId, access)}.`;
  return access.kind === "missing" ? [line, HOW_TO_MEND] : [line];
}

/** Those of them that everybody can read, for posts that are meant for staff; nothing where there is none. */
export function publicLines(channelIds: readonly string[], accessOf: AccessOf): readonly Escaped[] {
  const open = [...new Set(channelIds)].filter((id) => {
    const access = accessOf(id);
    return access.kind === "open" && access.isPublic === true;
  });
  if (open.length === 0) return [];
  const channels = joined(open.slice(0, MOST_CHANNELS).map(channelMention), ", ");
  const it = open.length === 1 ? md`it` : md`them`;
  return [
    md`⚠ Everyone can read ${channels}. If only staff should, hide ${it} in the channel's settings or pick another.`,
  ];
}

/** The same of the channels of logs, and what that tells of people who called a moderator. */
export function publicLogLines(
  feeds: readonly Pick<Feed, "kind" | "channelId">[],
  accessOf: AccessOf,
): readonly Escaped[] {
  const channelsOf = (some: typeof feeds) => some.map(({ channelId }) => channelId);
  const ofCalls = feeds.filter(({ kind }) => kind === "modCalls");
  return [
    ...publicLines(channelsOf(feeds), accessOf),
    ...(publicLines(channelsOf(ofCalls), accessOf).length === 0
      ? []
      : [md`-# Cards of moderator calls say who called.`]),
  ];
}

/** Of a line; a community that posts into more public ones wants it so. */
const MOST_CHANNELS = 5;

/** Where permissions of a channel are given, for a line under those that lack some. */
export const HOW_TO_MEND = md`-# In the channel's settings, under Permissions, add Marshal and allow what is missing.`;

function permissionList(names: readonly string[]): Escaped {
  // The names are Discord's own, from a list of ours.
  return joined(
    names.map((name) => markdownOfOurs(`**${name}**`)),
    ", ",
  );
}
