import { isAnswered, matterNow } from "../../domain/answered-calls.ts";
import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { Button, Card, MessageBody, PostedMessage, Row } from "../../domain/message.ts";
import type { CallView, ModCallView, PostedModCall } from "../../domain/ports/feed-renderer.ts";
import { callTimesIn } from "./call-lines.ts";
import { duration, note, person } from "./entry-line.ts";
import { cut, inlineName, plainText } from "./escape.ts";
import { WORDS_LEFT_OUT } from "./fine-print.ts";
import { markIn } from "./hidden-marks.ts";
import { situationLines } from "./situation-lines.ts";

const MARK = /^mod-[a-z]+:([0-9a-f]{16})(?:\/|$)/;
/** Cards of earlier versions show the id. */
const FOOTER = /^Call ([0-9a-f]{16})$/;

/**
 * The one message of a person's calls, for its whole life: who waits since when and what is known around them, who
 * took it and how fast, who answered in the game. Its buttons carry the card's id: a read-back knows it by that.
 */
export function modCallCard(view: ModCallView): MessageBody {
  const state = stateOf(view);
  const lines = [...callLines(view), ...situationLines(view, isOpen(view))];
  // Of calls before it that were over when it was made, nobody waited any more.
  const firstAtS = matterNow(view.calls)[0]?.atS ?? 0;
  if (view.claimedBy !== undefined) {
    const { userId, atMs, isOnDuty } = view.claimedBy;
    lines.push(
      md`✋ Claimed by ${userMention(userId)}${dutyWord(isOnDuty)} after ${duration(atMs / 1_000 - firstAtS)}`,
    );
  }
  if (view.escalated && view.claimedBy === undefined && view.resolved === undefined) {
    lines.push(md`⏰ Still unclaimed: staff were pinged again`);
  }
  if (view.resolved !== undefined) {
    const { userId, atMs, note: words } = view.resolved;
    const shown = view.isWithoutWords === true ? WORDS_LEFT_OUT : md`> ${note(words ?? "", 900)}`;
    const said = words === undefined ? "" : md`\n${shown}`;
    lines.push(md`☑️ Resolved by ${userMention(userId)} after ${duration(atMs / 1_000 - firstAtS)}${said}`);
  }
  const times = view.calls.length > 1 ? md` · called ${view.calls.length} times` : md``;
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: md`${state.symbol} Moderator call · ${state.word}${times}`,
    description: joined(lines, "\n"),
    color: state.color,
  };
  return { cards: [card], rows: buttons(view) };
}

/** The card of moderator calls that a message of ours is; undefined: it is none. */
export function modCallOf({
  cards,
  componentIds,
}: Pick<PostedMessage, "cards" | "componentIds">): PostedModCall | undefined {
  const [card] = cards;
  const cardId = markIn(componentIds, MARK) ?? FOOTER.exec(card?.footer ?? "")?.[1];
  if (cardId === undefined) return undefined;
  return { cardId, calledAtS: callTimesIn(card?.description ?? "") };
}

/** Each call with its answer; `callTimesIn` reads these lines back. */
function callLines({ caller, calls, claimedBy, resolved }: ModCallView): Escaped[] {
  const [first, ...further] = calls;
  const atS = first?.atS ?? 0;
  // Once somebody has it, their line says how long it waited. Discord rounds an age otherwise: 7 minutes beside 8.
  const age = claimedBy === undefined && resolved === undefined ? md` (<t:${atS}:R>)` : md``;
  const lines = [md`${person(caller, true)} called <t:${atS}:T>${age}`];
  if (first?.answeredBy !== undefined) {
    lines.push(md`🎮 Answered in the game by ${person(first.answeredBy, true)}${dutyWord(first.isOnDuty)}`);
  }
  return [...lines, ...further.map(furtherLine)];
}

function dutyWord(isOnDuty: boolean | undefined): Escaped {
  return isOnDuty === true ? md` (on duty)` : md``;
}

function furtherLine({ atS, answeredBy, isOnDuty }: CallView): Escaped {
  const answer =
    answeredBy === undefined
      ? ""
      : md` · 🎮 answered in the game by ${person(answeredBy, true)}${dutyWord(isOnDuty)}`;
  return md`🔁 called again <t:${atS}:T>${answer}`;
}

function isOpen(view: ModCallView): boolean {
  return view.resolved === undefined && !isAnswered(view.calls);
}

function stateOf(view: ModCallView): {
  readonly symbol: "☑️" | "🎮" | "✋" | "🔔";
  readonly word: "resolved" | "answered" | "claimed" | "open";
  readonly color: number;
} {
  if (view.resolved !== undefined) return { symbol: "☑️", word: "resolved", color: 0x6b7280 };
  if (isAnswered(view.calls)) return { symbol: "🎮", word: "answered", color: 0x2f855a };
  if (view.claimedBy !== undefined) return { symbol: "✋", word: "claimed", color: 0xb7791f };
  return { symbol: "🔔", word: "open", color: 0xc53030 };
}

/**
 * At most five, as many as a phone takes in: what is pressed first stands here, the rest behind *More*. What acts in the
 * game only while the caller is there to be acted on.
 */
function buttons(view: ModCallView): readonly Row[] {
  const { cardId } = view;
  const call = { cardId, atS: view.calls[0]?.atS ?? 0, hasReplay: view.hasReplay };
  const player = view.caller.id === undefined ? [] : [callButton("Player", { cardId }, "👤")];
  if (view.resolved !== undefined) return [[...lookBack(call), ...player]];
  // Of a call that was answered in the game nothing is left to do; a result can still be written down.
  const style = isAnswered(view.calls) ? "secondary" : "success";
  const resolve: Button = { kind: "button", label: "Resolve", style, id: `mod-resolve:${cardId}` };
  const first = [...takeButtons(view), resolve];
  if (view.situation?.left === true) return [[...first, ...lookBack(call), ...player]];
  const goTo: Button = { kind: "button", label: "Go to caller", style: "secondary", id: `mod-to:${cardId}` };
  return [[...first, goTo, ...player, callButton("More", { cardId })]];
}

/** What stands behind *More* on the card of a call. */
export function moreOfCall(call: LookedBack & { readonly callerName: string }): MessageBody {
  const inGame = [callButton("PM", call), callButton("Bring", call), callButton("Map", call, "🗺️")];
  const content = md`🔔 More for the call of **${inlineName(call.callerName)}**`;
  return { content, rows: [[...inGame, ...lookBack(call)]] };
}

interface LookedBack {
  readonly cardId: string;
  readonly atS: number;
  readonly hasReplay: boolean;
}

function lookBack({ cardId, atS, hasReplay }: LookedBack): readonly Button[] {
  const at = { cardId: `${cardId}/${atS}` };
  return [callButton("Rewind", at, "⏪"), ...(hasReplay ? [callButton("Replay", at, "🎞️")] : [])];
}

function callButton(label: string, { cardId }: { readonly cardId: string }, emoji?: string): Button {
  const id = `mod-${label.toLowerCase()}:${cardId}`;
  return { kind: "button", label, style: "secondary", id, ...(emoji === undefined ? {} : { emoji }) };
}

/** A call that was answered in the game is in somebody's hands: nobody else takes it. */
function takeButtons(view: ModCallView): readonly Button[] {
  const { cardId } = view;
  if (view.claimedBy !== undefined)
    return [{ kind: "button", label: "Release", style: "secondary", id: `mod-release:${cardId}` }];
  if (isAnswered(view.calls)) return [];
  return [{ kind: "button", label: "Claim", style: "primary", id: `mod-claim:${cardId}` }];
}
