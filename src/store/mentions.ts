import { z } from "zod";
import type { Documents } from "../domain/ports/documents.ts";
import type { Mentions } from "../domain/ports/mentions.ts";

const allowed = z.object({ guildId: z.string() });

export type AllowedMention = z.infer<typeof allowed>;

/** For the store: checks on reading. */
export function parseAllowedMention(value: unknown): AllowedMention {
  return allowed.parse(value);
}

/** One document for each person and guild, there as long as they allow it. */
export function createMentions(documents: Documents<AllowedMention>): Mentions {
  const keyOf = (guildId: string, userId: string) => `${guildId}:${userId}`;
  const isAllowed = async (guildId: string, userId: string) =>
    (await documents.get(keyOf(guildId, userId))) !== undefined;
  return {
    isAllowed,
    allow: (guildId, userId) => documents.set(keyOf(guildId, userId), { guildId }),
    forbid: (guildId, userId) => documents.delete(keyOf(guildId, userId)),
    async whoAllowed(guildId, userIds, most) {
      const found: string[] = [];
      for (const userId of userIds) {
        if (found.length >= most) break;
        if (await isAllowed(guildId, userId)) found.push(userId);
      }
      return found;
    },
  };
}
