import type { NamedRole } from "../src/discord/command.ts";
import { type Escaped, md, roleMention } from "../src/domain/escaped.ts";

/** Discord shows such a mention and notifies nobody: better said now than found out when nobody came. */
export function silentPing({ roleId, pingable }: NamedRole): Escaped[] {
  if (pingable) return [];
  return [
    md`⚠ **${roleMention(roleId)} would not be notified:** Marshal may not mention this role. Turn on “Allow anyone to @mention this role” in the role's settings, or give Marshal the permission Mention Everyone.`,
  ];
}
