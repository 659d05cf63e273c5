import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { Button, CardField, MessageBody } from "../../domain/message.ts";
import type { GameAccount, Imported, LinkCode, LinkOutcome } from "../../domain/ports/game-accounts.ts";
import { cutLines, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";

/** How `/me` reads. Pure. */

const COLORS = { wait: 0x3b6fd4, done: 0x2d7d46, quiet: 0x80848e };

/** The code, how to use it, and until when. `linksOthers`: the person who reads it is a Manager. */
export function codeCard(
  { code, untilMs }: Pick<LinkCode, "code" | "untilMs">,
  { serverName, linksOthers }: { readonly serverName: string; readonly linksOthers: boolean },
): MessageBody {
  return {
    cards: [
      {
        title: md`🔗 Link your game account`,
        description: joined(
          [
            md`On **${inlineName(serverName)}**, type this in the game chat:`,
            md`${inlineCode(`:log marshal ${code}`)}`,
            md`The account that types it is linked to you. Keep the code to yourself. It expires <t:${Math.floor(untilMs / 1_000)}:R>.`,
            "",
            linksOthers
              ? "-# Only staff in the game can use `:log`. Link others with `/me link member: player:`."
              : "-# Only staff in the game can use `:log`. For others a Manager runs `/me link member: player:`.",
          ],
          "\n",
        ),
        color: COLORS.wait,
      },
    ],
  };
}

/** The outcome of a code; `bindingId` is the server on which a new one would be typed. */
export function codeOutcomeCard(outcome: LinkOutcome, bindingId: string): MessageBody {
  const again: Button = { kind: "button", style: "primary", label: "New code", id: `me-code:${bindingId}` };
  switch (outcome.kind) {
    case "linked":
      return {
        cards: [
          {
            title: md`✅ Your game account is linked`,
            description: md`You are **${playerLink(outcome.account)}**. Not your account? Someone else typed your code: unlink it.`,
            color: COLORS.done,
          },
        ],
        rows: [[UNLINK_BUTTON]],
      };
    case "taken":
      return plain(
        md`⛔ Not linked`,
        md`**${inlineName(outcome.player.name)}** typed your code. ${escapeMarkdown(outcome.why)}`,
        again,
      );
    case "contested":
      return plain(
        md`⛔ Not linked`,
        md`Two players typed your code at the same time. Get a new one and keep it to yourself.`,
        again,
      );
    case "expired":
      return plain(md`⌛ The code has expired`, md`Nobody typed it in the game. Nothing was linked.`, again);
    case "withdrawn":
      return plain(
        md`⚪ This code no longer counts`,
        md`You asked for a newer one, the server was unlinked, or Marshal restarted.`,
        again,
      );
  }
}

const UNLINK_BUTTON: Button = { kind: "button", style: "secondary", label: "Unlink", id: "me-unlink" };

function plain(title: Escaped, description: Escaped, next: Button): MessageBody {
  return { cards: [{ title, description, color: COLORS.quiet }], rows: [[next]] };
}

export interface AccountView {
  readonly userId: string;
  readonly account: GameAccount | undefined;
  /** Shown to the member themselves, who may change it. */
  readonly isOwn: boolean;
  /** The only server on which they can link one; absent: `/me link` asks which. */
  readonly bindingId?: string | undefined;
  /** Shown to a Manager who did not vouch for it. @default false */
  readonly mayConfirm?: boolean;
}

/** Whose account it is, since when and by whose word. */
export function accountCard(view: AccountView): MessageBody {
  const { userId, account, isOwn, bindingId, mayConfirm = false } = view;
  const color = account === undefined ? COLORS.quiet : COLORS.wait;
  const title = account === undefined ? md`No game account` : md`Game account`;
  const description = accountWords(userId, account, isOwn);
  const link = bindingId === undefined ? [] : [linkButton("Link my account", bindingId)];
  const isOpen = mayConfirm && account?.vouchedBy !== undefined && account.confirmedBy === undefined;
  const confirm: Button = {
    kind: "button",
    style: "primary",
    label: "Confirm it",
    id: `me-confirm:${userId}/${account?.player.id ?? 0}`,
  };
  const own = !isOwn ? [] : account === undefined ? link : [UNLINK_BUTTON];
  const buttons = isOpen ? [confirm, ...own] : own;
  const card = { title, description, color };
  return buttons.length === 0 ? { cards: [card] } : { cards: [card], rows: [buttons] };
}

function accountWords(userId: string, account: GameAccount | undefined, isOwn: boolean): Escaped {
  if (account !== undefined) {
    return md`${userMention(userId)} is **${playerLink(account)}**.\n-# ${how(account)}`;
  }
  return isOwn
    ? md`You have not linked one. For staff: after \`/me link\`, **Bring** and **Go to caller** work for you.`
    : md`${userMention(userId)} has not linked one.`;
}

function linkButton(label: string, bindingId: string): Button {
  return { kind: "button", style: "primary", label, id: `me-code:${bindingId}` };
}

/** A field for `/staff list`: the newest accounts, as many as a field holds. */
export function accountsField(accounts: readonly GameAccount[]): CardField {
  const lines = accounts.map(
    (account) => md`${userMention(account.userId)} · ${playerLink(account)} · ${byWhom(account)}`,
  );
  return {
    name: md`Game accounts`,
    value: lines.length === 0 ? md`Nobody has linked one. Run \`/me link\`.` : cutLines(lines, 1_000),
  };
}

/** The name; the id stands behind the link to the profile only. */
function playerLink({ player }: GameAccount): Escaped {
  return md`[${inlineName(player.name)}](https://www.roblox.com/users/${player.id}/profile)`;
}

/** How it is known whose account it is: a code proves it, a Manager's word only says it. */
export function byWhom(account: GameAccount): Escaped {
  return account.vouchedBy === undefined ? PROVEN : md`linked ${wordOf(account)}`;
}

const PROVEN = md`proven in the game`;

function wordOf({ vouchedBy = "", confirmedBy }: GameAccount): Escaped {
  const too = confirmedBy === undefined ? md`` : md`, confirmed by ${userMention(confirmedBy)}`;
  return md`by ${userMention(vouchedBy)}'s word${too}`;
}

function how(account: GameAccount): Escaped {
  const when = md`<t:${Math.floor(account.linkedAtMs / 1_000)}:R>`;
  return account.vouchedBy === undefined
    ? md`Linked ${when}, ${PROVEN} by a code`
    : md`Linked ${when} ${wordOf(account)}`;
}

/** After a second Manager has said so too. */
export function confirmedCard({ userId, player }: GameAccount): MessageBody {
  return { content: md`✅ ${userMention(userId)} is **${inlineName(player.name)}**, as you confirmed.` };
}

const MOST_REFUSED = 15;

/** What would be linked of a list, before anything is. */
export function importPlan(
  { importId, added, refused }: Imported,
  unreadable: readonly string[],
): MessageBody {
  const lines = [
    md`**${added.length} would be linked.** ${refused.length} can't be, ${unreadable.length} ${unreadable.length === 1 ? "line" : "lines"} could not be read.`,
    ...added
      .slice(0, 3)
      .map(({ userId, player }) => md`- ${userMention(userId)} → ${inlineName(player.name)}`),
    ...(added.length > 3 ? [md`- …`] : []),
    ...refusedLines(refused),
    ...unreadable.slice(0, 5).map((line) => md`⚠ Not read: ${inlineCode(line, 60)}`),
  ];
  const apply: Button = {
    kind: "button",
    style: "primary",
    label: `Link ${added.length}`,
    id: `me-import-apply:${importId}`,
  };
  const card = {
    title: md`Game accounts from a list`,
    description: cutLines(lines, 4_000),
    color: COLORS.wait,
  };
  return added.length === 0 ? { cards: [card] } : { cards: [card], rows: [[apply]] };
}

/** What was linked of a list. */
export function importAnswer({ importId, added, refused }: Imported): MessageBody {
  const lines = [md`**Linked ${accountsOf(added.length)} on your word.**`, ...refusedLines(refused)];
  const undo: Button = {
    kind: "button",
    style: "secondary",
    label: "Undo",
    id: `me-import-undo:${importId}`,
  };
  const card = {
    title: md`Game accounts from a list`,
    description: cutLines(lines, 4_000),
    color: COLORS.done,
  };
  return { cards: [card], rows: [[undo]] };
}

export function importUndone(count: number): MessageBody {
  return { content: md`↩ Unlinked ${accountsOf(count)} from that list. Other links stay.` };
}

function accountsOf(count: number): Escaped {
  return count === 1 ? md`1 account` : md`${count} accounts`;
}

function refusedLines(refused: Imported["refused"]): readonly Escaped[] {
  const shown = refused
    .slice(0, MOST_REFUSED)
    .map(({ account, why }) => md`⛔ ${userMention(account.userId)}: ${escapeMarkdown(why)}`);
  return refused.length > shown.length ? [...shown, md`⛔ and ${refused.length - shown.length} more`] : shown;
}
