import type { FailureCode } from "../failure.ts";
import type { ListName, ServerState, Snapshot, SourceId } from "../model.ts";

export interface FreshOptions {
  /** How old each list may be. */
  readonly maxAgeMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Whose person waits: people are served in turn over guilds. */
  readonly guildId?: string | undefined;
}

/** A source whose polls fail, one after the other. */
export interface Failing {
  /** Of the first, monotonic milliseconds. */
  readonly sinceMs: number;
  /** Of the latest. */
  readonly code: FailureCode;
}

export interface Snapshots {
  latest(source: SourceId): ServerState | undefined;
  /** The latest state if each list is young enough, else the answer of one read, shared by all who ask at once. */
  fresh(source: SourceId, lists: readonly ListName[], options: FreshOptions): Promise<ServerState>;
  /** That polls of a source get no usable answer; undefined where the latest got one, or a later read of anybody. */
  failing(source: SourceId): Failing | undefined;
}

/** Receives each polled answer. The poller awaits it, so a slow store slows polling and loses nothing. */
export interface SnapshotListener {
  take(snapshot: Snapshot): Promise<void>;
}
