/** Why a role is not one that Marshal gives; "unknown": Discord has not told of it. */
export type RoleBar =
  | "everyone"
  | "managed"
  | "powers"
  | "marshal-lacks"
  | "above-marshal"
  | "asker-lacks"
  | "above-asker"
  | "unknown";

/** Which roles may be given, by what the gateway told. */
export interface GrantableRoles {
  /**
   * What stands against Marshal giving a role; undefined: nothing. With `by`, also what stands against that member's
   * choosing it: nobody gives through Marshal what they could not give themselves.
   */
  roleBar(
    guildId: string,
    roleId: string,
    by?: { readonly userId: string; readonly roleIds: readonly string[] },
  ): RoleBar | undefined;
  /** The owner of the Discord server, who has nobody above. */
  isOwner(guildId: string, userId: string): boolean;
}

export interface MemberRole {
  readonly guildId: string;
  readonly userId: string;
  readonly roleId: string;
}

/** given and taken: done. refused: Discord does not allow it. gone: the member or the role is. */
export type RoleOutcome = "done" | "refused" | "gone";

/** Gives roles to members and takes them. Rejects where the outcome is not known: both can be done again. */
export interface MemberRoles {
  has(role: MemberRole): Promise<boolean>;
  give(role: MemberRole): Promise<RoleOutcome>;
  take(role: MemberRole): Promise<RoleOutcome>;
}
