import { channelMention, type Escaped, md, roleMention } from "../../domain/escaped.ts";
import type { GuildSettings } from "../../domain/guild.ts";
import type { KnownPermission } from "../../domain/ports/command-permission.ts";

/** What is set for the Discord server, a line each: the same under `/setup show` and where it is changed. Pure. */

export function noticesLine({ noticeChannelId }: GuildSettings): Escaped {
  return noticeChannelId === undefined
    ? md`Notices are sent as direct messages to whoever linked the server. Set a channel with \`/setup notices channel:\`.`
    : md`Notices are posted in ${channelMention(noticeChannelId)}.`;
}

/** Where the host keeps no history. */
export const NO_CASES_KEPT = md`Cases are off: Marshal's host has turned recording off.`;

export function casesLine(
  { caseChannelId }: GuildSettings,
  { isKept }: { readonly isKept: boolean },
): Escaped {
  if (!isKept) return NO_CASES_KEPT;
  return caseChannelId === undefined
    ? md`Case posts are off. Cases are still saved: \`/case search\` shows them, \`/setup cases channel:\` posts them.`
    : md`Cases are posted in ${channelMention(caseChannelId)}.`;
}

export function appealsLine({ appealChannelId, appealButtonChannelId: button }: GuildSettings): Escaped {
  if (appealChannelId === undefined)
    return md`Appeals are off. Turn them on with \`/setup appeals channel: button-in:\`.`;
  const buttonWords =
    button === undefined
      ? md` Nobody can appeal yet: post the button for players with \`/setup appeals button-in:\`.`
      : md` The button is in ${channelMention(button)}.`;
  return md`Appeals are posted for staff in ${channelMention(appealChannelId)}.${buttonWords}`;
}

export function tellLine({ tellsWarned }: GuildSettings): Escaped {
  return tellsWarned === true
    ? md`Warned players are told in the game by \`:pm\`, at most once a visit and three times a day. Turn it off with \`/setup tell on:False\`.`
    : md`Players are told about a warning only when staff press *Tell* under it. \`/setup tell on:True\` tells them each time.`;
}

export function watchesLine({ watchChannelId, watchRoleId }: GuildSettings): Escaped {
  if (watchChannelId === undefined)
    return md`Watch alerts are off. Turn them on with \`/setup watches channel:\`.`;
  const ping = watchRoleId === undefined ? md`` : md`, with a ping for ${roleMention(watchRoleId)}`;
  return md`Joins of watched players are posted in ${channelMention(watchChannelId)}${ping}.`;
}

export function auditLine({ auditChannelId }: GuildSettings): Escaped {
  return auditChannelId === undefined
    ? md`Audit posts are off. The audit is still saved: \`/audit search\` shows it, \`/audit channel channel:\` posts it.`
    : md`The audit is posted in ${channelMention(auditChannelId)}, with commands run outside Marshal.`;
}

export function commandsLine(permission: KnownPermission): Escaped {
  switch (permission.kind) {
    case "allowed":
      return md`✅ Marshal can run commands`;
    case "refused":
      return md`⛔ The owner does not let Marshal run commands: \`/setup start\`, **Commands**`;
    case "unknown":
      return md`❔ Not known yet whether Marshal can run commands: \`/setup start\`, **Commands**`;
  }
}

/** What was known of the owner's permission was known of the old key. */
export const HAD_COMMANDS = md`❔ Commands ran with the old key. The next one shows whether they run with this one.`;
