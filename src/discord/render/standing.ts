import { channelMention, type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { ChannelStanding } from "../../domain/ports/guilds.ts";

/** How a channel stands for the bot's messages, in one line: a tick, or what is missing there. Pure. */

export type StandingOf = (channelId: string) => ChannelStanding;

/** `✅ Kills: #kills`, or `⚠ Kills: #kills lacks **Send Messages**`. */
export function channelLine(what: Escaped, channelId: string, standing: ChannelStanding): Escaped {
  const channel = channelMention(channelId);
  switch (standing.kind) {
    case "open":
      return md`✅ ${what}: ${channel}`;
    case "unknown":
      return md`❔ ${what}: ${channel} (Discord did not say what Marshal may do there)`;
    default:
      return md`⚠ ${what}: ${channel} ${obstacle(standing)}`;
  }
}

/** What stands in the way, after the channel's name. */
export function obstacle(standing: ChannelStanding): Escaped {
  switch (standing.kind) {
    case "missing":
      return md`lacks ${permissionList(standing.permissions)} for Marshal`;
    case "gone":
      return md`was deleted; choose another channel`;
    case "closed":
      return md`is archived or locked; open it, or choose another`;
    default:
      return md`takes messages`;
  }
}

/** Where permissions of a channel are given, for a line under those that lack some. */
export const HOW_TO_MEND = md`-# In the channel's settings, Permissions, add Marshal and allow what is missing.`;

function permissionList(names: readonly string[]): Escaped {
  // The names are Discord's own, from a list of ours.
  return joined(
    names.map((name) => markdownOfOurs(`**${name}**`)),
    ", ",
  );
}
