import type { MessageBody } from "../message.ts";
import type { ServerState } from "../model.ts";

/** A message that shows a linked server and is kept current: one a server and channel. */
export interface Panel {
  readonly guildId: string;
  readonly bindingId: string;
  readonly channelId: string;
  readonly createdBy: string;
}

export interface Panels {
  /**
   * Posts it, or answers "stands" where there is one already. Rejects with the SinkRefusal of the first post, and
   * with Failure "bad-command" where the guild has as many as it may, or nothing was read of the server yet.
   */
  add(panel: Panel): Promise<"posted" | "stands">;
  /** Those of a Discord server, oldest first. */
  list(guildId: string): readonly Panel[];
  /** Removes the message and forgets the panel. False: there was none. */
  remove(panel: Omit<Panel, "createdBy">): Promise<boolean>;
}

export interface PanelRenderer {
  /** Everything but its age: an older panel that says the same needs no edit. `mark` finds the message again. */
  current(state: ServerState, panel: { readonly bindingId: string; readonly mark: string }): MessageBody;
  /** The last state that was shown, marked with its time. */
  silent(body: MessageBody, goodAtMs: number): MessageBody;
  /** For the person who made it, when Discord no longer takes its edits. */
  stopped(channelId: string, why: string): MessageBody;
}

/** Removes one of our own messages. Rejects with SinkRefusal. */
export interface Remover {
  remove(channelId: string, messageId: string): Promise<void>;
}
