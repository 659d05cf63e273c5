import { EMPTY_POLICY, type GuildSettings, type Preset } from "../../domain/guild.ts";
import { isNamed, placeholdersOf } from "../../domain/preset-text.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import type { ScheduledWhat } from "../../domain/schedule.ts";
import { nearestCommand } from "../catalogue/did-you-mean.ts";
import { findVerb } from "../catalogue/verbs.ts";
import { decideVerb, tierOf } from "../permission/permission-rules.ts";

/** What may run by itself, and by whose right. Pure. */

/** Verbs whose text everyone in the server reads; other commands are scheduled as presets, which have names. */
const ANNOUNCING: ReadonlySet<string> = new Set(["hint", "message"]);

/** The text that would be sent now; undefined: the preset is gone. */
export function textOf(what: ScheduledWhat, presets: readonly Preset[]): string | undefined {
  return what.kind === "text" ? what.text : presets.find((one) => isNamed(one, what.name))?.text;
}

/** Why a text cannot be run with nobody there to confirm it or to fill it in; undefined: it can. */
export function whyNotScheduled(what: ScheduledWhat, command: ParsedCommand): string | undefined {
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined) return unknownVerb(command);
  // Before the advice to keep it as a preset, with which this would be refused as well.
  const hitsPeople = verb.danger === "serious" && verb.args.includes("targets");
  if (verb.danger === "severe" || hitsPeople || command.mass) {
    return `:${verb.verb} is too serious to run unattended, so it can't be scheduled.`;
  }
  if (what.kind === "text" && !ANNOUNCING.has(verb.verb)) {
    return "A schedule can run an announcement (:h or :m) or a preset. Save this command with /run preset save first.";
  }
  const [asked] = what.kind === "preset" ? placeholdersOf(command.text) : [];
  if (asked !== undefined) return `This preset asks for ${asked}:. A schedule has nobody to ask.`;
  // Nobody wants to be written to, reloaded or un-banned again and again.
  return verb.args.includes("targets")
    ? `:${verb.verb} is for a player, so it can't be scheduled.`
    : undefined;
}

function unknownVerb(command: ParsedCommand): string {
  const { meant, instead } = nearestCommand(command, () => true);
  const typed = `There is no :${command.verb}`;
  if (meant !== undefined) return `${typed}. Did you mean ${meant}?`;
  return instead === undefined
    ? `${typed} that Marshal knows, so it can't be scheduled.`
    : `${typed}. ${instead}`;
}

export interface OwnerNow {
  readonly roleIds: readonly string[];
  readonly manageGuild: boolean;
}

/** Why this person has no schedule of this command on this server; undefined: they may have one. */
export function whyNotTheirs(
  { policies }: Pick<GuildSettings, "policies">,
  { roleIds, manageGuild }: OwnerNow,
  { bindingId, command }: { readonly bindingId: string; readonly command: ParsedCommand },
): string | undefined {
  const isManager = Object.values(policies).some((policy) => tierOf(policy, roleIds) === "manager");
  if (!isManager && !manageGuild) return "Only Managers can own schedules, and its owner is no longer one.";
  const policy = policies[bindingId] ?? EMPTY_POLICY;
  return decideVerb(policy, roleIds, command).allowed
    ? undefined
    : "Its owner may no longer run this command.";
}
