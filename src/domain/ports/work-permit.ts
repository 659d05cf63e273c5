/**
 * Whether this process may post, run commands and ask at this moment. Where several processes share a store one of them
 * holds the permit for a guild; a process alone on its store needs none.
 */
export interface WorkPermit {
  /** Why not, in words for people; undefined: it may. To be asked right before the first byte of each request. */
  refusal(): string | undefined;
  /** Resolves when it may; never, once it is over. */
  granted(): Promise<void>;
  /**
   * Without the permit another process may serve: resolves when that one has had its time to answer, so that nobody reads
   * of the trouble of this one.
   */
  othersFirst(): Promise<void>;
  /** Aborted when this process may no longer do any of it, and what it holds in memory may be out of date. */
  readonly over: AbortSignal;
}
