/** The mark that a process leaves when it ends in order. */
export interface CleanEnd {
  /** Feeds, or messages by key, of which something may stand in Discord that the store does not know of. */
  readonly unsettled: readonly string[];
  /**
   * Entries up to this second, epoch seconds, may have been posted by a process before that did not end in order: what
   * has not come again since is still to be looked for.
   */
  readonly postedUpToS?: number | undefined;
}

/**
 * Whether the process before ended in order. After any other end, a kill or a power cut, the store may know less than
 * what stands in Discord's channels.
 */
export interface CleanStop {
  /**
   * Removes the mark of the process before and returns it; undefined where there is none. When it resolves the mark is
   * gone for good, so that a power cut cannot bring it back. Called once, before anything is posted. Rejects when the
   * store fails.
   */
  take(): Promise<CleanEnd | undefined>;
  /** Everything has ended and is written. Kept even if the power goes the moment after. */
  leave(end: CleanEnd): Promise<void>;
}
