import type { Case, Watch } from "../case.ts";
import type { SinkRefusalReason } from "../failure.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { PlayerRef } from "../model.ts";

/** Pure rendering of what history/ posts of its own accord, implemented in discord/render. */
export interface CaseRenderer {
  card(view: CasePostView): MessageBody;
  /** In place of the card of a case that is gone. */
  erased(number: number): MessageBody;
  /** Discord does not take that in its place. */
  notErased(
    card: { readonly guildId: string; readonly channelId: string; readonly messageId: string },
    number: number,
  ): MessageBody;
  /** The number of the case that a message of ours shows; undefined: it shows none. */
  numberOf(posted: Pick<PostedMessage, "cards">): number | undefined;
  /** A watched player has joined. */
  watchAlert(view: WatchAlertView): MessageBody;
  /** Which join a message of ours tells of; undefined: it is no such message. */
  alertKeyOf(posted: Pick<PostedMessage, "cards" | "componentIds">): string | undefined;
  /** No more cases are kept. */
  full(most: number): MessageBody;
  /** The channel of cases or of the watchlist takes no message. */
  closed(what: "cases" | "watches", channelId: string, why: SinkRefusalReason): MessageBody;
}

export interface CasePostView {
  readonly one: Case;
  /** How many of this player count, where the case is a warning. */
  readonly warnings?: number;
  /** The case shows where people were, or will. */
  readonly hasReplay: boolean;
  /** The game's log is being read for its command. */
  readonly isSought: boolean;
  /** The case that lifted it, where it is a ban. */
  readonly lift: Case | undefined;
}

export interface WatchAlertView {
  readonly watch: Watch;
  readonly player: Required<PlayerRef>;
  readonly bindingId: string;
  readonly serverName: string;
  /** When they joined, epoch seconds. */
  readonly joinedAtS: number;
  /** Stands in the id of a button, so that the message is found again. */
  readonly key: string;
  readonly pingRoleId: string | undefined;
  /** The message did not get through at first. */
  readonly isLate: boolean;
  /** Joins shortly before this one that have no message of their own. */
  readonly earlierJoins: number;
  /** Discord refuses names or words on it. */
  readonly isWithoutWords?: boolean | undefined;
}
