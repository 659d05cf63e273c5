import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
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
  const lines = [md`${who(view.caller)} called <t:${view.calledAtS}:T> (<t:${view.calledAtS}:R>)`];
  if (view.claimedBy !== undefined) {
    const { userId, atMs } = view.claimedBy;
    lines.push(md`✋ Claimed by ${userMention(userId)} after ${duration(atMs / 1_000 - view.calledAtS)}`);
  }
  if (view.answeredBy !== undefined) lines.push(md`🎮 Answered in the game by ${who(view.answeredBy)}`);
  if (view.escalated && view.claimedBy === undefined && view.resolved === undefined) {
    lines.push(md`⏰ Unclaimed for long: staff were called again`);
  }
  if (view.resolved !== undefined) {
    const { userId, atMs } = view.resolved;
    const said = view.resolved.note === undefined ? "" : md`\n> ${note(view.resolved.note, 900)}`;
    lines.push(
      md`☑️ Resolved by ${userMention(userId)} after ${duration(atMs / 1_000 - view.calledAtS)}${said}`,
    );
  }
  const card: Card = {
    ...(view.serverName === undefined ? {} : { author: cut(plainText(view.serverName), 200) }),
    title: md`${state.symbol} Moderator call · ${state.word}`,
    description: joined(lines, "\n"),
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
  readonly symbol: "☑️" | "🎮" | "✋" | "🔔";
  readonly word: "resolved" | "answered" | "claimed" | "open";
  readonly color: number;
} {
  if (view.resolved !== undefined) return { symbol: "☑️", word: "resolved", color: 0x6b7280 };
  if (view.answeredBy !== undefined) return { symbol: "🎮", word: "answered", color: 0x2f855a };
  if (view.claimedBy !== undefined) return { symbol: "✋", word: "claimed", color: 0xb7791f };
  return { symbol: "🔔", word: "open", color: 0xc53030 };
}

function who(subject: ModCallPerson): Escaped {
  const id = subject.id === undefined ? "" : md` \`${subject.id}\``;
  return md`${person(subject, true)}${id}`;
}

function buttons(view: ModCallView): readonly Button[] {
  const take: Button =
    view.claimedBy === undefined
      ? { kind: "button", label: "Claim", style: "primary", id: `mod-claim:${view.cardId}` }
      : { kind: "button", label: "Release", style: "secondary", id: `mod-release:${view.cardId}` };
  return [take, { kind: "button", label: "Resolve", style: "success", id: `mod-resolve:${view.cardId}` }];
}
