import type { ListName, ServerState, Snapshot, SourceId } from "../model.ts";

export interface FreshOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whose person waits: people are served in turn over guilds. */
  readonly guildId?: string | undefined;
}

export interface Snapshots {
  latest(source: SourceId): ServerState | undefined;
  /** The latest if it is young enough for each list, else one call, shared by all who ask at once. */
  fresh(
    source: SourceId,
    lists: readonly ListName[],
    maxAgeMs: number,
    options?: FreshOptions,
  ): Promise<ServerState>;
}

/** The road from an answer to the feeds: awaited by the poller, so a slow store slows polling, never loses. */
export interface SnapshotListener {
  take(snapshot: Snapshot): Promise<void>;
}
