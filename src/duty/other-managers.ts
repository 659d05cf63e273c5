import type { Actor } from "../domain/guild.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { Members } from "../domain/ports/members.ts";

export interface OtherManagersPorts {
  readonly accounts: Pick<GameAccounts, "list">;
  readonly members: Members;
  isManager(guildId: string, member: Pick<Actor, "roleIds" | "manageGuild">): Promise<boolean>;
}

/** Members whose roles are read for one question, newest links first: each read takes a turn at Discord. */
const MOST_READ = 24;
const AT_ONCE = 8;

/**
 * Whether anybody but this member is a Manager, among those who have linked an account: nobody tells Marshal who holds a
 * role. Who cannot be read counts as none.
 */
export async function hasOtherManager(
  { accounts, members, isManager }: OtherManagersPorts,
  { guildId, userId }: Pick<Actor, "guildId" | "userId">,
): Promise<boolean> {
  const others = (await accounts.list(guildId)).filter((one) => one.userId !== userId).slice(0, MOST_READ);
  const isOne = async (otherId: string) => {
    const member = await members.now(guildId, otherId).catch(() => undefined);
    return member !== undefined && (await isManager(guildId, member));
  };
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE).map((other) => isOne(other.userId));
    if ((await Promise.all(some)).includes(true)) return true;
  }
  return false;
}
