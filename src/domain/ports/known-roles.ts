/** What is known of a member's roles. */
export interface HeldRoles {
  /** None: they have none, or are not in the Discord server. */
  readonly roleIds: readonly string[];
  /** When they were asked for, by the monotonic clock. */
  readonly readAtMs: number;
}

/**
 * Roles of members. Discord tells of changes only where it lets Marshal view the audit log, so what is known has an age.
 * No call rejects: of a member who could not be read nothing young is known.
 */
export interface KnownRoles {
  of(guildId: string, userId: string): HeldRoles | undefined;
  /** Reads those of whom nothing so young is known, a hundred at a time. Answers who is known so well now. */
  read(
    guildId: string,
    userIds: readonly string[],
    maxAgeMs: number,
  ): Promise<ReadonlyMap<string, HeldRoles>>;
  /** Reads one member now, unless that young roles are known; undefined: it did not work. */
  readOne(guildId: string, userId: string, maxAgeMs: number): Promise<HeldRoles | undefined>;
}
