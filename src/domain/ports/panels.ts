import type { OnRoster } from "../duty-roster.ts";
import type { FailureCode } from "../failure.ts";
import type { MessageBody } from "../message.ts";
import type { ServerState } from "../model.ts";

/** A message that shows a linked server and is kept current: one a server and channel. */
export interface Panel {
  readonly guildId: string;
  readonly bindingId: string;
  readonly channelId: string;
  readonly createdBy: string;
}

/** With what its message shows. */
export interface ShownPanel extends Panel {
  /** Absent until it was posted. */
  readonly body?: MessageBody;
  /** When that was true, epoch milliseconds. */
  readonly goodAtMs?: number;
}

export interface Panels {
  /**
   * Posts it, or answers "stands" where there is one already, and "follows" where Discord does not answer soon. Rejects
   * with the SinkRefusal of the first post, and with Failure "bad-command" where the guild has as many as it may, or
   * nothing was read of the server yet.
   */
  add(panel: Panel): Promise<"posted" | "stands" | "follows">;
  /** Those of a Discord server, oldest first. */
  list(guildId: string): readonly ShownPanel[];
  /** Forgets the panel; its message goes as soon as Discord takes that. False: there was none. */
  remove(panel: Omit<Panel, "createdBy">): Promise<boolean>;
}

export interface PanelRenderer {
  /** `mark` finds the message again; `seenAtMs` is the time that it shows; `onDuty`: there. */
  current(
    state: ServerState,
    panel: {
      readonly bindingId: string;
      readonly mark: string;
      readonly seenAtMs: number;
      readonly onDuty?: readonly OnRoster[];
    },
  ): MessageBody;
  /** The last state that was shown, with what keeps a newer one from being read. */
  stale(body: MessageBody, why: StaleCause): MessageBody;
  /** For the person who made it, when Discord no longer takes its edits. */
  stopped(channelId: string, why: string): MessageBody;
}

/** What keeps a server from being read: its key, the service's word, or its silence. */
export type StaleCause =
  | { readonly kind: "key" | "refused" | "silent" }
  /** Each poll ends in a failure; the code is the latest's. */
  | { readonly kind: "failing"; readonly code: FailureCode }
  /** Nothing is asked before `untilMs`; "held": nothing with this key. */
  | { readonly kind: "waits" | "held" | "blocked"; readonly untilMs: number };
