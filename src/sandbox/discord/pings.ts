import type { Channel, Pings } from "./types.ts";
import type { AllowedMentions } from "./validate-message.ts";

/**
 * Whom a new message notifies: mentions in its content (never in embeds) that allowed_mentions lets through;
 * without allowed_mentions all of them. A role only if it is mentionable or the author may mention everyone,
 * and @everyone and @here only in the latter case.
 */
export function countPings(
  content: string,
  allowed: AllowedMentions | undefined,
  context: {
    readonly channel: Channel;
    readonly mayMentionAll: boolean;
    readonly isUser: (id: string) => boolean;
  },
): Pings {
  const parse = allowed?.parse ?? ["users", "roles", "everyone"];
  const lets = (kind: "users" | "roles", id: string): boolean =>
    parse.includes(kind) || (allowed?.[kind].includes(id) ?? false);
  const users = idsOf(content, /<@!?(\d+)>/g).filter((id) => lets("users", id) && context.isUser(id));
  const roles = idsOf(content, /<@&(\d+)>/g).filter((id) => {
    const role = context.channel.guild?.roles.find((one) => one.id === id);
    return role !== undefined && lets("roles", id) && (role.mentionable || context.mayMentionAll);
  });
  const everyone = context.mayMentionAll && parse.includes("everyone") && /@(everyone|here)/.test(content);
  return { users, roles, everyone };
}

function idsOf(content: string, pattern: RegExp): readonly string[] {
  const ids = new Set<string>();
  for (const match of content.matchAll(pattern)) if (match[1] !== undefined) ids.add(match[1]);
  return [...ids];
}
