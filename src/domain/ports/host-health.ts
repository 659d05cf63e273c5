/** The health of the whole bot, as far as a guild may see it. */
export interface HostHealth {
  /** Whether the store can be written. */
  storeWorks(): boolean;
  /** What waits to be posted for a guild. */
  waitingPosts(guildId: string): WaitingPosts;
  /** The service's limit of which the smallest share is left; undefined before the first answer. */
  requestsLeft(): RequestsLeft | undefined;
}

export interface WaitingPosts {
  readonly waiting: number;
  /** How long the first of them has waited. */
  readonly oldestMs: number;
}

export interface RequestsLeft {
  readonly left: number;
  readonly limit: number;
  /** Epoch milliseconds: then there are `limit` again. */
  readonly resetAtMs: number;
}
