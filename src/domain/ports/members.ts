import type { Actor } from "../guild.ts";

export interface Members {
  /** One REST read of the member: the roles of this moment. Rejects when it cannot be read. */
  now(guildId: string, userId: string): Promise<Pick<Actor, "roleIds" | "manageGuild">>;
}
