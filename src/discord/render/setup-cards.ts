import type { Binding, GuildSettings, Tier } from "../../domain/guild.ts";
import type { Card, MessageBody, Row } from "../../domain/message.ts";
import type { ServerStatus } from "../../domain/model.ts";
import { tierLabels } from "./audit-rows.ts";
import { escapeMarkdown, inlineName } from "./escape.ts";
import { profile } from "./server-status.ts";

/** How `/setup` reads. Pure. */

const askColor = 0x3b6fd4;
const doneColor = 0x2d7d46;

/** Shown before anything is saved: whoever pasted another server's key sees it by the name. */
export function isThisYours(
  status: ServerStatus,
  pendingId: string,
  roleIds: readonly string[],
  replaces: Binding | undefined,
): MessageBody {
  const card: Card = {
    title: "❓ Is this your server?",
    description: [
      `**${inlineName(status.name)}**`,
      replaces === undefined
        ? "Nothing is saved yet."
        : `Nothing is saved yet. **${inlineName(replaces.name)}** is linked here already: its key will be replaced, its feeds go on.`,
    ].join("\n"),
    color: askColor,
    fields: [
      { name: "Owner", value: profile(status.ownerId), inline: true },
      { name: "Players", value: `${status.currentPlayers} of ${status.maxPlayers}`, inline: true },
      { name: "Staff, may run commands", value: roleList(roleIds) },
    ],
    footer: "The key is forgotten after 5 minutes without an answer.",
  };
  const row: Row = [
    { kind: "button", style: "success", label: "Yes, link it", id: `setup-yes:${pendingId}` },
    { kind: "button", style: "secondary", label: "No", id: `setup-no:${pendingId}` },
  ];
  return { cards: [card], rows: [row] };
}

export interface JustLinked {
  readonly binding: Binding;
  readonly roleIds: readonly string[];
  /** It was linked before, with another key. */
  readonly replaced: boolean;
  /** Feeds that the guild had on it before it removed the bot, and that go on now. */
  readonly feedsBack: number;
}

export function linkedCard({ binding, roleIds, replaced, feedsBack }: JustLinked): Card {
  const back = feedsBack === 1 ? "1 feed of before posts" : `${feedsBack} feeds of before post`;
  return {
    title: `✅ ${inlineName(binding.name)} ${replaced ? "has its new key" : "is linked"}`,
    description: [
      `Staff: ${roleList(roleIds)}`,
      ...(feedsBack === 0 ? [] : [`${back} again, from now on; \`/feed list\` shows what.`]),
      "",
      "**Next**",
      "• `/server status` shows the server",
      "• `/run command` runs an in-game command",
      "• `/feed add` posts joins, kills and mod calls into a channel",
      "• `/setup notices` names a channel for what Marshal must tell you",
    ].join("\n"),
    color: doneColor,
  };
}

export interface LinkedServer {
  readonly binding: Binding;
  readonly parkedWhy: string | undefined;
}

export function setupCard(servers: readonly LinkedServer[], settings: GuildSettings): Card {
  const notices = settings.noticeChannelId;
  return {
    title: "Setup of this Discord server",
    description: [
      notices === undefined
        ? "Notices go by direct message to whoever linked the server; `/setup notices` names a channel."
        : `Notices go to <#${notices}>.`,
      servers.length === 0 ? "No game server is linked yet: `/setup link`." : "",
    ]
      .filter((line) => line !== "")
      .join("\n"),
    color: askColor,
    // 25 fields at most; a community with more servers than that sees the first ones and their number.
    fields: servers.slice(0, 24).map(({ binding, parkedWhy }) => ({
      name: inlineName(binding.name),
      value: serverLines(binding, parkedWhy, settings).join("\n").slice(0, 1_024),
    })),
    ...(servers.length > 24 ? { footer: `and ${servers.length - 24} more` } : {}),
  };
}

const tiers: readonly Tier[] = ["manager", "administrator", "moderator", "viewer"];

function serverLines(binding: Binding, parkedWhy: string | undefined, settings: GuildSettings): string[] {
  const roleTiers = Object.entries(settings.policies[binding.id]?.roleTiers ?? {});
  const staff = tiers.flatMap((tier) => {
    const roles = roleTiers.filter(([, of]) => of === tier).map(([roleId]) => roleId);
    return roles.length === 0 ? [] : [`${tierLabels[tier]} ${roleList(roles)}`];
  });
  return [
    parkedWhy === undefined
      ? "🟢 Key in use"
      : `⛔ Key rejected: ${escapeMarkdown(parkedWhy)} Link it again with \`/setup link\`.`,
    `Linked by <@${binding.linkedBy}> <t:${Math.floor(binding.linkedAtMs / 1000)}:R>`,
    staff.length === 0 ? "No staff roles: nobody may run commands." : `Staff: ${staff.join(" · ")}`,
  ];
}

export function unlinkQuestion(binding: Binding): MessageBody {
  return {
    cards: [
      {
        title: `Unlink ${inlineName(binding.name)}?`,
        description:
          "Its key is erased here and its feeds stop. Commands that wait are not sent. The audit stays.",
        color: 0xd83c3e,
      },
    ],
    rows: [
      [
        { kind: "button", style: "danger", label: "Unlink", id: `setup-unlink:${binding.id}` },
        { kind: "button", style: "secondary", label: "Keep it", id: "setup-keep" },
      ],
    ],
  };
}

function roleList(roleIds: readonly string[]): string {
  return roleIds.length === 0 ? "nobody yet" : roleIds.map((id) => `<@&${id}>`).join(" ");
}
