import type { Actor, Binding } from "../guild.ts";
import type { ServerStatus } from "../model.ts";
import type { ServerKey } from "../server-key.ts";

/** Typed keys that wait for their Yes: in memory only, for minutes, each for the person who typed it. */
export interface PendingLinks {
  /** One for each person: an earlier one of theirs is forgotten. @throws Failure "bad-command" as checkRoom does. */
  put(pending: PendingLink): string;
  /** Before a key is asked about. @throws Failure "bad-command" when five other people of the guild have one waiting. */
  checkRoom(guildId: string, userId: string): void;
  /** Takes it out: a second press finds nothing. Undefined when it expired or is another person's. */
  take(id: string, actor: Actor): PendingLink | undefined;
  /**
   * Takes it out and links it; a press that comes meanwhile gets the same outcome, because its answer stands in the same
   * message and would take the first one's place. Undefined as `take` answers.
   */
  once(
    id: string,
    actor: Actor,
    link: (pending: PendingLink) => Promise<JustLinked>,
  ): Promise<JustLinked> | undefined;
}

/** A server that a Yes has linked. */
export interface JustLinked {
  readonly binding: Binding;
  readonly roleIds: readonly string[];
  /** Its key was replaced. */
  readonly replaced: boolean;
  /** Commands ran with the old one. */
  readonly hadCommands: boolean;
  readonly feedsBack: number;
}

export interface PendingLink {
  readonly key: ServerKey;
  /** What the service said of it: proven, not saved. Absent: it does not look like a key, and nothing was asked yet. */
  readonly status?: ServerStatus;
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
}
