import type { AlertEntry, AlertRule } from "../alert.ts";
import type { SinkRefusalReason } from "../failure.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { PlayerLocation } from "../model.ts";
import type { OpenCallCard } from "./mod-calls.ts";

/** Pure rendering of what alerts/ posts, implemented in discord/render. */
export interface AlertRenderer {
  alert(view: AlertView): MessageBody;
  /** Which alert a message of ours is; undefined: it is none. */
  keyOf(posted: Pick<PostedMessage, "cards" | "componentIds">): string | undefined;
  /** What `/alert test` posts. */
  example(rule: AlertRule, serverName: string): MessageBody;
  /** The channel of an alert takes no message. */
  refused(rule: AlertRule, why: SinkRefusalReason): MessageBody;
}

/** Of people whom an alert tells of, as far as a young list of players says. */
export interface Whereabouts {
  readonly locations: ReadonlyMap<number, PlayerLocation>;
  readonly leftIds: ReadonlySet<number>;
}

export interface AlertView {
  /** Stands in the id of a button, so that the message is found again. */
  readonly key: string;
  readonly rule: AlertRule;
  readonly serverName: string;
  /** At least one. */
  readonly entries: readonly AlertEntry[];
  /** Further ones that are not kept. */
  readonly more: number;
  readonly whereabouts: Whereabouts;
  /** Of an alert about moderator calls: the cards that show open calls of its server. */
  readonly callCards: readonly OpenCallCard[];
  /** It happened long before Marshal could read of it. */
  readonly isLate: boolean;
  /** So long after that its message came: Discord could not be reached, or Marshal did not run. */
  readonly postedLateMs: number | undefined;
  /** Where people were then is recorded. */
  readonly hasReplay: boolean;
  /** Was pinged by the message; an edit keeps the mention. */
  readonly pingedRoleId: string | undefined;
  /** Instead of the role. */
  readonly pingedUserIds?: readonly string[] | undefined;
  /** Discord refuses the names or commands on it. */
  readonly isWithoutWords?: boolean | undefined;
}
