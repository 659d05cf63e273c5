import type { Channel, Member, Message, Person } from "../discord/types.ts";
import type { MessageView } from "./protocol.ts";
import { messageView } from "./views.ts";

/** How many messages a page of a channel holds; the page shows about two of them at once. */
export const pageSize = 50;

export interface HistoryPage {
  readonly messages: readonly MessageView[];
  readonly hasOlder: boolean;
}

/** What a member may read there: of direct messages only their own. */
export function readable(person: Person, channel: Channel): readonly Message[] {
  return channel.guild === undefined
    ? person.member.dm === channel
      ? person.dms()
      : []
    : person.sees(channel);
}

/** The messages before the one with this id (ids grow with time), or the newest ones. */
export function historyPage(person: Person, channel: Channel, beforeId?: string): HistoryPage {
  const all = readable(person, channel);
  const end = beforeId === undefined ? all.length : firstAtOrAfter(all, beforeId);
  const start = Math.max(0, end - pageSize);
  return {
    messages: views(all.slice(start, end), person.member),
    hasOlder: start > 0,
  };
}

export function views(messages: readonly Message[], reader: Member): readonly MessageView[] {
  return messages.map((message) => messageView(message, reader));
}

/** Binary search: a channel may hold ten thousand messages, and older ones are asked for by scrolling. */
function firstAtOrAfter(messages: readonly Message[], id: string): number {
  const wanted = BigInt(id);
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const message = messages[middle];
    if (message !== undefined && BigInt(message.id) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
