import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import type { NamedRole, Options } from "../src/discord/command.ts";
import { Failure } from "../src/domain/failure.ts";

/** How an edit takes a ping away: a role that is typed can only be another one. */
export const noPingOption: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.Boolean,
  name: "no-ping",
  description: "Stop pinging a role",
};

/** What an edit does to a ping: another role, none, or (undefined) what is set. */
export type PingChange = NamedRole | "none" | undefined;

/** @throws Failure "bad-command" for a role and none of them. */
export function pingChangeOf(options: Options): PingChange {
  const role = options.role("ping");
  if (options.boolean("no-ping") !== true) return role;
  if (role !== undefined) throw new Failure("bad-command", "Choose a role or no-ping, not both.");
  return "none";
}

/** The role of an edited ping. */
export function pingRoleAfter(change: PingChange, before: string | undefined): string | undefined {
  if (change === "none") return undefined;
  return change === undefined ? before : change.roleId;
}
