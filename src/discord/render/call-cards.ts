import { type Escaped, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { ModCallEntry } from "../../domain/model.ts";
import type { OpenCallCard } from "../../domain/ports/mod-calls.ts";
import { cut, plainText, shownName } from "./escape.ts";

/** How a message leads to the cards of open moderator calls, and offers to claim them. Pure. */

/** The card that shows this call; undefined: no log channel does, or nobody waits there any more. */
export function callCardOf(
  { caller, atS }: Pick<ModCallEntry, "caller" | "atS">,
  cards: readonly OpenCallCard[],
): OpenCallCard | undefined {
  return cards.find(
    (card) =>
      card.calledAtS.includes(atS) && card.caller.name === caller.name && card.caller.id === caller.id,
  );
}

/** `[card](...)`, where a message shows it: one part of a line, or none. */
export function callCardLink(card: OpenCallCard | undefined): readonly Escaped[] {
  if (card?.message === undefined) return [];
  const { guildId, channelId, messageId } = card.message;
  return [md`[card](${markdownOfOurs(`https://discord.com/channels/${guildId}/${channelId}/${messageId}`)})`];
}

/** `, 3 times`; nothing for the first call. */
export function timesWords(times: number): Escaped {
  return times < 2 ? md`` : md`, ${times} times`;
}

/** Of a button that does something about the call of this player: `Claim Ann`. */
export function labelOfCall(verb: string, callerName: string): string {
  return cut(`${verb} ${plainText(shownName(callerName))}`, 80);
}
