import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Button, Card, MessageBody, PostedMessage } from "../../domain/message.ts";
import type { EmergencyCallView, PostedEmergency } from "../../domain/ports/feed-renderer.ts";
import { duration, note } from "./entry-line.ts";
import { cut, inlineName, plainText } from "./escape.ts";
import { WORDS_LEFT_OUT } from "./fine-print.ts";
import { markedRewindId } from "./players/rewind-buttons.ts";
import { profile } from "./server/view.ts";

const OPEN = { sign: "🚨", word: "in progress", color: 0xc53030 } as const;
const ENDED = { sign: "⏹", word: "ended", color: 0x6b7280 } as const;
/** What `emergencyCard` writes, read back. */
const OPEN_TITLE = /^🚨 (Call #(\d+) · .*) · in progress$/su;
const MAP = /^map-open:([^/]*)(?:\/e([0-9a-f]{12}))?$/;
/** Cards of earlier versions show the id. */
const FOOTER = /^Call ([0-9a-f]{12})$/;
const CALLED = / called <t:(\d+):T> \(<t:\d+:R>\)$/;

/** The one message of an emergency call: started, units joined, ended. It is state, not a log. */
export function emergencyCard(view: EmergencyCallView): MessageBody {
  const { call } = view;
  const { sign, word, color } = view.endedAtMs === undefined ? OPEN : ENDED;
  const caller =
    view.callerName !== undefined
      ? md`**${inlineName(view.callerName)}**`
      : call.callerId === undefined
        ? "Someone"
        : profile(call.callerId, "Somebody");
  const lines = [md`${caller} called <t:${call.startedAtS}:T> (<t:${call.startedAtS}:R>)`];
  lines.push(...wordsOf(view), unitsLine(view));
  if (view.endedAtMs !== undefined) lines.push(endLine(call.startedAtS, view.endedAtMs));
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: md`${sign} Call #${call.callNumber} · ${note(call.team, 60)} · ${word}`,
    description: joined(lines, "\n"),
    color,
  };
  if (view.endedAtMs !== undefined) return { cards: [card], rows: [[rewindButton(view, call.startedAtS)]] };
  const id = `map-open:${view.bindingId}/e${view.cardId}`;
  return { cards: [card], rows: [[{ kind: "button", style: "secondary", label: "Map", emoji: "🗺️", id }]] };
}

function wordsOf({ call, isWithoutWords }: EmergencyCallView): readonly Escaped[] {
  if (isWithoutWords === true) return [WORDS_LEFT_OUT];
  const { description, positionDescriptor } = call;
  return [
    ...(description === undefined ? [] : [md`> ${note(description, 900)}`]),
    ...(positionDescriptor === undefined ? [] : [md`📍 ${note(positionDescriptor, 300)}`]),
  ];
}

/** The card of an emergency call that this message is and that says the call goes on; undefined: it is none. */
export function openEmergencyOf({
  cards,
  componentIds,
}: Pick<PostedMessage, "cards" | "componentIds">): PostedEmergency | undefined {
  const [card] = cards;
  const callNumber = OPEN_TITLE.exec(card?.title ?? "")?.[2];
  const [, bindingId, mark] = componentIds.map((id) => MAP.exec(id)).find((found) => found !== null) ?? [];
  const cardId = mark ?? FOOTER.exec(card?.footer ?? "")?.[1];
  const startedAtS = CALLED.exec(card?.description?.split("\n")[0] ?? "")?.[1];
  if (callNumber === undefined || cardId === undefined || startedAtS === undefined) return undefined;
  return { cardId, bindingId, callNumber: Number(callNumber), startedAtS: Number(startedAtS) };
}

/** An open card as it was posted, with the end of its call. */
export function endedEmergency(
  posted: Pick<PostedMessage, "cards" | "componentIds">,
  endedAtMs: number,
): MessageBody {
  const [card] = posted.cards;
  const open = openEmergencyOf(posted);
  if (card === undefined || open === undefined) throw new RangeError("only an open emergency card ends");
  const { author } = card;
  const { bindingId = "", cardId, startedAtS } = open;
  const about = markdownOfOurs(OPEN_TITLE.exec(card.title ?? "")?.[1] ?? "");
  const ended: Card = {
    ...(author === undefined ? {} : { author }),
    title: md`${ENDED.sign} ${about} · ${ENDED.word}`,
    description: md`${markdownOfOurs(card.description ?? "")}\n${endLine(open.startedAtS, endedAtMs)}`,
    color: ENDED.color,
  };
  return { cards: [ended], rows: [[rewindButton({ bindingId, cardId }, startedAtS)]] };
}

/** The minutes around an ended call; its id names the card. */
function rewindButton(
  { bindingId, cardId }: Pick<EmergencyCallView, "bindingId" | "cardId">,
  startedAtS: number,
): Button {
  const id = markedRewindId({ bindingId, atS: startedAtS }, cardId);
  return { kind: "button", style: "secondary", label: "Rewind", emoji: "⏪", id };
}

function endLine(startedAtS: number, endedAtMs: number): Escaped {
  return md`⏹ Ended after ${duration(endedAtMs / 1_000 - startedAtS)}`;
}

function unitsLine(view: EmergencyCallView): Escaped {
  const names = view.unitNames.map(unit);
  if (names.length === 0) return md`🚓 No units yet`;
  const shown = names.slice(0, 12);
  const more = names.length > shown.length ? md` and ${names.length - shown.length} more` : "";
  return md`🚓 ${names.length} ${names.length === 1 ? "unit" : "units"}: ${joined(shown, ", ")}${more}`;
}

/** Without a name only the id is known: it stands behind a link. */
function unit(name: string): Escaped {
  return /^\d+$/.test(name) ? profile(Number(name), "a unit") : md`**${inlineName(name)}**`;
}
