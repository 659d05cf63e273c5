import type { MemberRole, MemberRoles } from "../domain/ports/member-roles.ts";
import type { Turns } from "../domain/ports/turns.ts";
import { inTurn } from "./in-turn.ts";

/** The same, each request in its turn: four a second at most, so that posts keep theirs. */
export function pacedRoles(roles: MemberRoles, turns: Turns): MemberRoles {
  const paced =
    <T>(request: "read" | "edit", work: (role: MemberRole) => Promise<T>) =>
    async (role: MemberRole): Promise<T> => {
      const { guildId, userId } = role;
      const wanted = { class: "round", guildId, channelId: `member ${guildId} ${userId}`, request } as const;
      return await inTurn(await turns.take(wanted), () => work(role));
    };
  return {
    has: paced("read", (role) => roles.has(role)),
    give: paced("edit", (role) => roles.give(role)),
    take: paced("edit", (role) => roles.take(role)),
  };
}
