import type { Button, Card, MessageBody } from "../../domain/message.ts";
import type { ModCallPerson, ModCallView } from "../../domain/ports/feed-renderer.ts";
import { cut, plainText } from "./escape.ts";
import { duration, note, person } from "./feed-lines.ts";

/**
 * The one message of a moderator call, for its whole life: who waits since when, who took it
 * and how fast, who answered in the game. The footer carries the card's id: it is what a read-back knows it by.
 */
export function modCallCard(view: ModCallView): MessageBody {
  const state = stateOf(view);
  const lines = [`${who(view.caller)} called <t:${view.calledAtS}:T> (<t:${view.calledAtS}:R>)`];
  if (view.claimedBy !== undefined) {
    const { userId, atMs } = view.claimedBy;
    lines.push(`✋ Claimed by <@${userId}> after ${duration(atMs / 1_000 - view.calledAtS)}`);
  }
  if (view.answeredBy !== undefined) lines.push(`🎮 Answered in the game by ${who(view.answeredBy)}`);
  if (view.escalated && view.claimedBy === undefined && view.resolved === undefined) {
    lines.push("⏰ Unclaimed for long: staff were called again");
  }
  if (view.resolved !== undefined) {
    const { userId, atMs } = view.resolved;
    const said = view.resolved.note === undefined ? "" : `\n> ${note(view.resolved.note, 900)}`;
    lines.push(`☑️ Resolved by <@${userId}> after ${duration(atMs / 1_000 - view.calledAtS)}${said}`);
  }
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: `${state.symbol} Moderator call · ${state.word}`,
    description: lines.join("\n"),
    color: state.color,
    footer: modCallFooter(view.cardId),
  };
  return { cards: [card], rows: view.resolved === undefined ? [buttons(view)] : [] };
}

/** What a card's footer holds, so that it can be found again in a channel. */
function modCallFooter(cardId: string): string {
  return `Call ${cardId}`;
}

function stateOf(view: ModCallView): {
  readonly symbol: string;
  readonly word: string;
  readonly color: number;
} {
  if (view.resolved !== undefined) return { symbol: "☑️", word: "resolved", color: 0x6b7280 };
  if (view.answeredBy !== undefined) return { symbol: "🎮", word: "answered", color: 0x2f855a };
  if (view.claimedBy !== undefined) return { symbol: "✋", word: "claimed", color: 0xb7791f };
  return { symbol: "🔔", word: "open", color: 0xc53030 };
}

function who(subject: ModCallPerson): string {
  const id = subject.id === undefined ? "" : ` \`${subject.id}\``;
  return `${person(subject, true)}${id}`;
}

function buttons(view: ModCallView): readonly Button[] {
  const take: Button =
    view.claimedBy === undefined
      ? { kind: "button", label: "Claim", style: "primary", id: `mod-claim:${view.cardId}` }
      : { kind: "button", label: "Release", style: "secondary", id: `mod-release:${view.cardId}` };
  return [take, { kind: "button", label: "Resolve", style: "success", id: `mod-resolve:${view.cardId}` }];
}
