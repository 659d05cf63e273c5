/** What a process that ended in order left behind. */
export interface CleanEnd {
  /** Feeds of which messages may stand in Discord that the store does not know of. */
  readonly unsettled: readonly string[];
}

/**
 * Whether the process before ended in order. After any other end, a kill or a power cut, the store may know less than
 * what stands in Discord's channels.
 */
export interface CleanStop {
  /**
   * Takes away what the process before left, and returns it; undefined where it left nothing. When it resolves that
   * is gone for good, so that a power cut a moment later cannot bring it back. Called once, before anything is posted.
   * Rejects when the store fails.
   */
  take(): Promise<CleanEnd | undefined>;
  /** Everything has ended and is written. Kept even if the power goes the moment after. */
  leave(end: CleanEnd): Promise<void>;
}
