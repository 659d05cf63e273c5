/** Who allowed Marshal to mention them in what it posts. Nobody did who did not say so; each community is asked apart. */
export interface Mentions {
  isAllowed(guildId: string, userId: string): Promise<boolean>;
  allow(guildId: string, userId: string): Promise<void>;
  forbid(guildId: string, userId: string): Promise<void>;
  /** Of these people those who allowed it, in their order, at most so many. */
  whoAllowed(guildId: string, userIds: readonly string[], most: number): Promise<readonly string[]>;
}
