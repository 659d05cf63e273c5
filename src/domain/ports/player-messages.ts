export interface PlayerMessage {
  readonly playerId: number;
  /** Since when they have been in the server without a break, as far as that is known; epoch milliseconds. */
  readonly visitFromMs: number | undefined;
}

/**
 * All that Marshal writes to players in the game of itself shares this: at most one message a visit and three in 24
 * hours to one player, whichever community and whatever part of Marshal it comes from.
 */
export interface PlayerMessages {
  /** Takes one; it is written when this resolves. False: that player gets none now. Rejects when the store does. */
  take(message: PlayerMessage): Promise<boolean>;
}
