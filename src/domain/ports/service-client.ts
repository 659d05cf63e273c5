import type { CommandAnswer, ListName, ServerStatus, Snapshot, SourceId } from "../model.ts";
import type { ServerKey } from "../server-key.ts";

/** People waiting go before polls. */
export type Priority = "person" | "poll";

export interface ReadOptions {
  readonly priority: Priority;
  /** The guild whose person waits: people are served in turn over guilds. */
  readonly guildId?: string | undefined;
  readonly signal?: AbortSignal;
  /**
   * Called when the gate lets the request through, right before it is written: once for a read, also where a halt or a
   * 429 sends it back to wait again, and never for a read that is refused or given up at the gate. The poller chooses
   * the next source only then, so that the choice is as late as it can be.
   */
  readonly onSent?: () => void;
}

export interface CommandOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called synchronously right before the first byte is written, however long the gate held the command. false rejects
   * with Failure "expired" (ran "no"), so that a permission which was withdrawn in between is gone.
   */
  readonly mayStart?: (() => boolean) | undefined;
  /** The guild whose person waits. */
  readonly guildId?: string | undefined;
}

/** Every call passes the gate; rejects with Failure. */
export interface ServiceClient {
  read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot>;
  /** Sent at most once; after an unknown outcome the Failure says ran "unknown". */
  command(source: SourceId, text: string, options?: CommandOptions): Promise<CommandAnswer>;
}

/** Who types a key. */
export interface TypedBy {
  readonly guildId: string;
  /** It has a server linked, or has had Marshal for a day: strangers' wrong keys do not keep it from linking. */
  readonly isKnown: boolean;
}

/** Verifies a key that no guild has linked yet by one `GET /v1/server`, within the guild's budget for wrong keys. */
export interface KeyVerifier {
  verifyKey(key: ServerKey, by: TypedBy): Promise<ServerStatus>;
  typedTries(by: TypedBy): TypedTries;
  /** The service refused it in the last day: `verifyKey` says so from memory, and it costs nothing. */
  wasRefused(key: ServerKey): boolean;
}

/** How many wrong keys a guild may still type, and from when on where it may not now, epoch milliseconds. */
export interface TypedTries {
  readonly left: number;
  readonly fromMs: number | undefined;
  /** A key of theirs that got no answer still counts, and may be asked about again now. */
  readonly hasUnanswered?: boolean;
}
