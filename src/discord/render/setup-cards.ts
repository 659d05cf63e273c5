import { type Escaped, joined, md, roleMention } from "../../domain/escaped.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Button, Card, MessageBody, Row } from "../../domain/message.ts";
import type { KnownPermission } from "../../domain/ports/command-permission.ts";
import { inlineCode, inlineName } from "./escape.ts";
import { commandsLine, HAD_COMMANDS } from "./setup-lines.ts";

/** How `/setup` reads. Pure. */

const LONGEST_SERVER = 80;
export const ASK_COLOR = 0x3b6fd4;
const DONE_COLOR = 0x2d7d46;

export interface JustLinked {
  readonly binding: Binding;
  readonly roleIds: readonly string[];
  /** It was linked before, with another key. */
  readonly replaced: boolean;
  /** Commands ran with the old key. */
  readonly hadCommands: boolean;
  /** What is known of the owner's permission for the key that is linked now. */
  readonly permission: KnownPermission;
  /** Feeds that the guild had on it before it removed the bot, and that go on now. */
  readonly feedsBack: number;
  /** The person who linked it holds a tier on it. */
  readonly mayRun: boolean;
}

/** Feeds that go on after a removal of the bot. */
export function feedsBackLine({ feedsBack }: Pick<JustLinked, "feedsBack">): readonly Escaped[] {
  if (feedsBack === 0) return [];
  const back = feedsBack === 1 ? md`1 earlier feed posts` : md`${feedsBack} earlier feeds post`;
  return [md`${back} again from now on. See \`/feed list\`.`];
}

/** A linked server, and what this person can do now. */
export function linkedCard(linked: JustLinked): MessageBody {
  const { binding, roleIds, replaced, mayRun } = linked;
  const card: Card = {
    title: md`✅ ${inlineName(binding.name)} ${replaced ? "has its new key" : "is linked"}`,
    description: joined(
      [
        ...keyEnding(binding),
        // A new key changes nothing else: roles that are staff already are not named by its form.
        replaced && roleIds.length === 0
          ? md`Staff, logs and alerts stay as they were.`
          : md`Staff: ${roleList(roleIds)}`,
        ...feedsBackLine(linked),
        ...(replaced ? permissionLine(linked) : []),
        "",
        "**Next**",
        "• `/server status` shows the server",
        mayRun
          ? md`• \`/run command\` runs an in-game command`
          : md`• **Choose roles**: you can't run commands yet, none of your roles is a staff role`,
        ...(replaced ? [] : [md`• **Go on**: choose channels for the logs`]),
      ],
      "\n",
    ),
    color: DONE_COLOR,
  };
  const goOn: Button = { kind: "button", style: "secondary", label: "Go on", id: `guide:logs:${binding.id}` };
  const row: Row = [...(mayRun ? [] : [chooseRoles(binding.id)]), ...(replaced ? [] : [goOn])];
  return { cards: [card], rows: row.length === 0 ? [] : [row] };
}

/** The owner's permission was for the old key. */
function permissionLine({ hadCommands, permission }: JustLinked): Escaped[] {
  if (permission.kind === "allowed") return [];
  return [hadCommands && permission.kind === "unknown" ? HAD_COMMANDS : commandsLine(permission)];
}

/** Mends a refusal for want of a tier. Without an id: of the server that is meant. */
export function chooseRoles(bindingId: string): Button {
  // What somebody typed in the place of a server may be longer than a custom_id holds.
  const named = bindingId.length > LONGEST_SERVER ? "" : bindingId;
  return { kind: "button", style: "primary", label: "Choose roles", id: `guide-roles:${named}` };
}

/** Mends a key that the service no longer accepts: its form asks for nothing else. */
export const PASTE_NEW_KEY: Button = {
  kind: "button",
  style: "primary",
  label: "Paste the new key",
  id: "setup-link:new",
};

/** So that people can tell which key is in use; nothing for keys that are too short for it. */
function keyEnding({ keyEnd }: Pick<Binding, "keyEnd">): Escaped[] {
  return keyEnd === undefined ? [] : [md`Its key ends in ${inlineCode(keyEnd)}.`];
}

export function unlinkQuestion(binding: Binding): MessageBody {
  return {
    cards: [
      {
        title: md`Unlink ${inlineName(binding.name)}?`,
        description: joined(
          [
            md`Its key, staff roles, logs, alerts, panels, schedules and rules are removed here. Waiting commands are not sent. Linking it again starts from scratch.`,
            md`The audit stays. Cases stay too, for 30 days if no server is linked.`,
            md`Only the key has changed? Keep it, and use \`/setup link\`.`,
          ],
          "\n",
        ),
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

export function roleList(roleIds: readonly string[]): Escaped {
  return roleIds.length === 0 ? md`nobody yet` : joined(roleIds.map(roleMention), " ");
}
