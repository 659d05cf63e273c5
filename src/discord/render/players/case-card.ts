import { type Case, isByHand, type Receipt } from "../../../domain/case.ts";
import { type Escaped, joined, markdownOfOurs, md, userMention } from "../../../domain/escaped.ts";
import type { Button, MessageBody, PostedMessage, Row } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import type { BanEndView } from "../../../domain/ports/ban-ends.ts";
import { banStateOf } from "../ban-cards.ts";
import { duration, note } from "../entry-line.ts";
import { cut, cutLines, inlineCode, inlineName, plainText } from "../escape.ts";
import { commandWithNames } from "../hit-words.ts";
import { DO_NOT_REPEAT } from "../run-cards.ts";
import { authorText, KINDS, targetsPlain, targetsText } from "./case-words.ts";

/** A case as it stands in the case channel and behind `/case show`: a receipt that completes itself. Pure. */

/** The title ends with it; names and reasons stand elsewhere. */
const NUMBER = /(?:^C| · c)ase (\d{1,9})$/;
const COLORS = { open: 0xb7791f, done: 0x2f855a, note: 0x4a6fa5, revoked: 0x6b7280 };
/** So many names of a case fit a phone; the others are counted. */
const MOST_TARGETS = 10;
/** From this number on the card says how many warnings a player has. */
const TOLD_WARNINGS = 3;
const MOST_EDITS = 3;
const MOST_UNDONE = 3;
const MOST_PLAYER_BUTTONS = 3;
const BUTTONS_A_ROW = 5;
/** Escaping can double what people wrote. What comes last, such as earlier wordings, is left out first. */
const LONGEST = 4_000;

export interface CaseView {
  /** Warnings of the player that count, where the case is a warning. */
  readonly warnings?: number | undefined;
  /** Whole history of its edits rather than the last of them. */
  readonly withEdits?: boolean;
  /** Whether its author was on duty; undefined: not known. */
  readonly duty?: { readonly typeName: string } | "off" | undefined;
  /** It shows where people were, or will. @default false */
  readonly hasReplay?: boolean | undefined;
  /** The game's log is being read for its command. @default false */
  readonly isSought?: boolean | undefined;
  /** Of a warning: say that its player was not told, with the button that tells them where it can be pressed. */
  readonly untold?: { readonly button: Button | undefined } | undefined;
  /** Of a ban that still ends by itself; "none": it does not any more. */
  readonly end?: BanEndView | "none" | undefined;
  /** The case that lifted the ban. */
  readonly lift?: Case | undefined;
  /** Characters that its text may have, where it shares a message. @default what Discord takes in one card */
  readonly room?: number | undefined;
}

export function caseCard(one: Case, view: CaseView = {}): MessageBody {
  const { warnings, duty, untold, withEdits = false, hasReplay = false, isSought = false } = view;
  const room = Math.min(LONGEST, view.room ?? LONGEST);
  const { symbol, word } = KINDS[one.kind];
  const lines = [
    targetsText(one, MOST_TARGETS),
    md`By ${authorText(one.author)} <t:${seconds(one.atMs)}:f>`,
    ...(one.askedBy === undefined ? [] : [md`Asked by ${userMention(one.askedBy)}`]),
    ...dutyLines(duty),
    reasonText(one),
    ...(one.evidence === undefined ? [] : [evidenceText(one.evidence)]),
    ...(one.command === undefined ? [] : [commandWithNames(one.command, 200, playersOf(one))]),
    ...(isByHand(one) ? [md`✍️ Written by hand. Marshal saw no command.`] : []),
    ...unseenLines(one),
    ...receiptLines(one, isSought),
    ...toldLines(one, untold !== undefined),
    ...endLines(one, view),
    ...undoneLines(one),
    ...warningLines(warnings),
    ...editLines(one, withEdits),
    ...revokedLines(one),
  ];
  return {
    cards: [
      {
        ...(one.serverName === undefined ? {} : { author: cut(plainText(one.serverName), 200) }),
        title:
          one.revoked === undefined
            ? md`${symbol} ${word} · case ${one.number}`
            : md`↩️ Revoked · ${word} · case ${one.number}`,
        description: cutLines(lines, room),
        color: colorOf(one),
      },
    ],
    rows: buttons(one, { hasReplay, tell: untold?.button }),
  };
}

/** What stands in place of the card of a case that was erased: its number, which is not used again. */
export function erasedCaseCard(number: number): MessageBody {
  return {
    cards: [
      {
        title: md`Case ${number}`,
        description: md`This case was erased.`,
        color: COLORS.revoked,
      },
    ],
    rows: [],
  };
}

/** The number of the case that a message of ours shows. */
export function caseNumberOf({ cards }: Pick<PostedMessage, "cards">): number | undefined {
  const digits = NUMBER.exec(cards[0]?.title ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function playersOf({ targets }: Case): readonly PlayerRef[] {
  return targets.map(({ name, playerId }) => ({ name, ...(playerId === undefined ? {} : { id: playerId }) }));
}

/** These need somebody who is there. A ban may be of anybody. */
const OF_PRESENT: ReadonlySet<Case["kind"]> = new Set(["kick", "jail"]);

/** The game takes any name, and its log shows the command all the same. */
function unseenLines(one: Case): Escaped[] {
  const unseen = one.targets.filter(({ playerId }) => playerId === undefined);
  if (unseen.length === 0 || !OF_PRESENT.has(one.kind) || isByHand(one) || one.mass) return [];
  const names = joined(
    unseen.slice(0, MOST_TARGETS).map(({ name }) => inlineName(name)),
    ", ",
  );
  return [md`⚠ Marshal could not tell which player ${names} was. Perhaps nobody was hit.`];
}

function dutyLines(duty: CaseView["duty"]): Escaped[] {
  if (duty === undefined) return [];
  return [duty === "off" ? md`-# Not on duty then` : md`-# 🟢 On duty: ${inlineName(duty.typeName)}`];
}

function reasonText({ reason, kind }: Case): Escaped {
  if (reason === undefined) return kind === "unban" ? md`-# No reason given.` : md`-# No reason yet.`;
  return md`> ${note(reason, 900)}`;
}

/** Evidence is a checked link; what could end the Markdown of it is encoded. */
function evidenceText(link: string): Escaped {
  return markdownOfOurs(`🔗 [Evidence](${safeLink(link)})`);
}

function safeLink(link: string): string {
  return link.replace(/[()<>[\]\\\s`*_~|@]/g, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 128 ? `%${code.toString(16).padStart(2, "0")}` : "";
  });
}

function receiptLines(one: Case, isSought: boolean): Escaped[] {
  const { receipt } = one;
  if (receipt === undefined) return [];
  const parts = [...sentParts(receipt), ...logParts(receipt, isSought), ...leftParts(one, receipt)];
  return parts.length === 0 ? [] : [joined(parts, "\n")];
}

function sentParts({ sentAtMs, answer, log }: Receipt): Escaped[] {
  const parts: Escaped[] = [];
  if (sentAtMs !== undefined) parts.push(md`📤 Sent <t:${seconds(sentAtMs)}:T>`);
  if (answer === undefined) return parts;
  if (answer.kind === "unknown" && log === "seen") return parts;
  const tookS = Math.max(0, answer.atMs - (sentAtMs ?? answer.atMs)) / 1_000;
  // "Success" says no more than the check mark.
  const isEmpty = answer.message === undefined || /^success\W*$/i.test(answer.message);
  const said = isEmpty ? md`` : md`: ${note(answer.message ?? "", 120)}`;
  parts.push(
    answer.kind === "answered"
      ? md`✅ Answered ${tookS < 0.1 ? md`at once` : md`after ${tenths(tookS)}`}${said}`
      : md`❔ It ${log === "not-seen" ? md`probably did not run` : md`may have run`}${said === "" ? md`: no clear answer` : said}`,
  );
  return parts;
}

/** `0.4 s`; a minute and more in words. */
function tenths(s: number): Escaped {
  return s < 60 ? markdownOfOurs(`${s.toFixed(1)}\u00a0s`) : duration(s);
}

function logParts({ log, sentAtMs, answer }: Receipt, isSought: boolean): Escaped[] {
  if (log === "seen" && answer?.kind === "unknown") return [md`✅ It ran: the game's log shows it`];
  if (log === "row") return [md`📜 Typed in the game`];
  if (log === "seen") return [md`📜 Seen in the game's log`];
  if (log === "not-seen") return [md`📜 The game's log does not show it`];
  if (sentAtMs === undefined) return [];
  if (isSought) return [md`-# Checking the game's log.`];
  const advice = answer?.kind === "unknown" ? md`. ${DO_NOT_REPEAT}` : md``;
  return [md`📜 The game's log has not shown it yet${advice}`];
}

function leftParts({ targets, atMs }: Case, { left, sentAtMs }: Receipt): Escaped[] {
  if (left.length === 0) return [];
  const fromS = (sentAtMs ?? atMs) / 1_000;
  const [first] = left;
  if (targets.length === 1 && first !== undefined) {
    const afterS = first.atS - fromS;
    return [afterS < 1 ? md`🚪 Player left at once` : md`🚪 Player left ${duration(afterS)} later`];
  }
  const latest = Math.max(...left.map(({ atS }) => atS));
  const tookS = Math.max(1, latest - fromS);
  return [md`🚪 ${left.length} of ${targets.length} left within ${duration(tookS)}`];
}

function toldLines({ told }: Case, isUntold: boolean): Escaped[] {
  if (told !== undefined) return [md`📣 Told in the game <t:${seconds(told.atMs)}:f>`];
  return isUntold ? [md`📣 Not told in the game yet`] : [];
}

/** The card in the channel says what was set or that it was lifted; who asks reads how it stands. */
function endLines({ endsAtMs, undone }: Case, { end, lift }: Pick<CaseView, "end" | "lift">): Escaped[] {
  // What took it back has a line of its own.
  if (undone !== undefined) return [];
  if (lift !== undefined) {
    const by = authorText(lift.author);
    return [md`${KINDS.unban.symbol} Lifted by ${by} <t:${seconds(lift.atMs)}:f>: case ${lift.number}`];
  }
  if (end === "none") return endsAtMs === undefined ? [] : [md`⏹ No longer ends by itself`];
  if (end !== undefined) return [md`⏳ ${banStateOf(end)}`];
  return endsAtMs === undefined ? [] : [md`⏳ Set to end <t:${seconds(endsAtMs)}:f>`];
}

function warningLines(warnings: number | undefined): Escaped[] {
  if (warnings === undefined || warnings < TOLD_WARNINGS) return [];
  return [md`🚩 **${warnings} warnings in 30 days.** Staff decide what happens next.`];
}

function editLines({ edits, editsLeftOut = 0 }: Case, all: boolean): Escaped[] {
  const count = edits.length + editsLeftOut;
  if (count === 0) return [];
  const last = edits.at(-1);
  if (!all) {
    const times = count === 1 ? md`Edited` : md`Edited ${count} times, last`;
    return last === undefined
      ? []
      : [md`-# ${times} by ${userMention(last.byId)} <t:${seconds(last.atMs)}:f>`];
  }
  const shown = edits.slice(-MOST_EDITS).map(({ atMs, byId, field, from }) => {
    const did =
      from === undefined ? md`added the ${field}` : md`changed the ${field}, before: ${note(from, 200)}`;
    return md`-# <t:${seconds(atMs)}:f> ${userMention(byId)} ${did}`;
  });
  const earlier = count - shown.length;
  return [...(earlier === 0 ? [] : [md`-# ${earlier} earlier changes`]), ...shown];
}

function revokedLines({ revoked }: Case): Escaped[] {
  if (revoked === undefined) return [];
  const { byId, atMs, why } = revoked;
  const said = why === undefined ? md`` : md`\n> ${note(why, 400)}`;
  return [md`↩️ Revoked by ${userMention(byId)} <t:${seconds(atMs)}:f>${said}`];
}

/** The last few: of what named many, each may have been taken back by a command of its own. */
function undoneLines({ undone = [] }: Case): Escaped[] {
  return undone.slice(-MOST_UNDONE).map(({ verb, atMs, byId }) => {
    return md`↩️ Undone: ${inlineCode(`:${verb}`)} ran <t:${seconds(atMs)}:f>, by ${userMention(byId)}`;
  });
}

function colorOf({ kind, revoked, receipt, reason }: Case): number {
  if (revoked !== undefined) return COLORS.revoked;
  if (receipt === undefined) return kind === "warning" ? COLORS.open : COLORS.note;
  const isOpen = receipt.answer?.kind === "unknown" && receipt.log !== "seen";
  return reason === undefined || isOpen ? COLORS.open : COLORS.done;
}

/** A reason is asked for once; players who are known have cards of their own. */
function buttons(
  { number, kind, targets, bindingId, reason, revoked, mass }: Case,
  { hasReplay, tell }: { readonly hasReplay: boolean; readonly tell: Button | undefined },
): readonly Row[] {
  const row: Button[] = tell === undefined ? [] : [tell];
  const isAsked = reason === undefined && revoked === undefined;
  if (isAsked) {
    const id = `case-reason:${number}/${targetsPlain({ targets, mass })}`;
    row.push({ kind: "button", style: "primary", label: "Give the reason", id });
  }
  const replay: Button[] =
    hasReplay && kind !== "unban"
      ? [{ kind: "button", style: "secondary", label: "Replay", emoji: "🎞️", id: `case-replay:${number}` }]
      : [];
  const room = Math.min(MOST_PLAYER_BUTTONS, BUTTONS_A_ROW - row.length - replay.length);
  const players = playerButtons(targets, bindingId).slice(0, room);
  const all = [...row, ...players, ...replay];
  return all.length === 0 ? [] : [all];
}

/** One for each who is known by id. Of several each is called by name. */
function playerButtons(targets: Case["targets"], bindingId: string | undefined): readonly Button[] {
  const ids = new Set<number>();
  return targets.flatMap(({ name, playerId }): Button[] => {
    if (playerId === undefined || ids.has(playerId)) return [];
    ids.add(playerId);
    const label = targets.length === 1 ? "Player" : cut(plainText(name), 40) || "Player";
    const id = `player-open:${bindingId ?? ""}/${playerId}`;
    return [{ kind: "button", style: "secondary", label, emoji: "👤", id }];
  });
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
