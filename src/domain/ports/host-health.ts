/** The health of the whole bot, as far as a guild may see it. */
export interface HostHealth {
  /** Whether the store can be written. */
  storeWorks(): boolean;
  /** What waits to be posted for a guild. */
  waitingPosts(guildId: string): WaitingPosts;
}

export interface WaitingPosts {
  readonly waiting: number;
  /** How long the first of them has waited. */
  readonly oldestMs: number;
}
