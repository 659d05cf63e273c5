import { type Escaped, md, roleMention } from "../src/domain/escaped.ts";
import type { PingChange } from "./no-ping.ts";

/** Discord shows such a mention and notifies nobody: better said now than found out when nobody came. */
export function silentPing(ping: PingChange): Escaped[] {
  if (ping === undefined || ping === "none" || ping.pingable) return [];
  return [
    md`⚠ **${roleMention(ping.roleId)} would not be notified:** Marshal may not mention this role. Turn on “Allow anyone to @mention this role” in the role's settings, or give Marshal the permission Mention Everyone.`,
  ];
}
