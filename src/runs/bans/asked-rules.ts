import type { AskedBan } from "../../domain/asked-ban.ts";
import type { StaffPolicy } from "../../domain/guild.ts";
import type { ParsedCommand, RunRecord } from "../../domain/run.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { type People, resolveTargets } from "../catalogue/targets.ts";
import { decide, decideVerb } from "../permission/permission-rules.ts";

/** Who may be banned at somebody's asking, by whom, and what becomes of it. Pure. */

const NOBODY = "nobody";
const MOST_OF_GUILD = 100;
const MOST_OF_PERSON = 10;

/** Why no ban of this player can be asked for, whoever approves it; undefined: it can. */
export function whyNotAsked(
  policy: StaffPolicy,
  command: ParsedCommand,
  people: People | undefined,
): string | undefined {
  if (people === undefined)
    return "Marshal has not read the player and staff lists yet. Try again in a minute.";
  const [staff] = resolveTargets(command, people).flatMap((target) => target.staff);
  if (staff !== undefined) return `${staff.name} is staff in the game. A ban of staff can't be asked for.`;
  // By the rights of somebody who may ban and has no rank.
  const rights = { ...policy, denied: [], roleTiers: {}, allowed: [{ roleId: NOBODY, verb: "ban" }] };
  const decision = decide(rights, { roleIds: [NOBODY] }, { command, people });
  return decision.allowed ? undefined : decision.why;
}

/** Why no more can be asked for beside these; undefined: it can. */
export function whyNoOther(all: readonly AskedBan[], wanted: AskedBan): string | undefined {
  const { player, bindingId, askerId } = wanted;
  if (all.some((one) => one.player.id === player.id && one.bindingId === bindingId))
    return "A ban of this player is asked for already. See /run bans.";
  const isFull =
    all.length >= MOST_OF_GUILD || all.filter((one) => one.askerId === askerId).length >= MOST_OF_PERSON;
  return isFull ? "Too many ban requests are waiting. Answer some first." : undefined;
}

/** The roles that may ban. */
export function rolesThatBan(policy: StaffPolicy): readonly string[] {
  const command = parseCommand(":ban somebody");
  const named = [...Object.keys(policy.roleTiers), ...policy.allowed.map(({ roleId }) => roleId)];
  return [...new Set(named)].filter((roleId) => decideVerb(policy, [roleId], command).allowed);
}

/** Failures after which an approved ban is tried again: they pass. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  "server-empty",
  "queue-full",
  "expired",
  "busy",
  "paused",
  "rate-limited",
  "blocked",
  "store",
]);

/** Whether an approved ban that did not run is sent again: not where a person took it out of the queue. */
export function isTriedAgain({
  ran,
  failureCode,
  status,
}: Pick<RunRecord, "ran" | "failureCode"> & Partial<Pick<RunRecord, "status">>): boolean {
  return ran === "no" && status !== "cancelled" && PASSING.has(failureCode);
}

/** An approved ban waits so long for players: by then nobody expects it. */
export const APPROVED_FOR_MS = 24 * 60 * 60_000;
/** So long somebody may say yes. */
const OPEN_FOR_MS = 3 * 24 * 60 * 60_000;

/** Its time is over: nobody has answered, or nobody was there. */
export function isOld({ askedAtMs, approval }: AskedBan, nowMs: number): boolean {
  return approval === undefined ? nowMs - askedAtMs >= OPEN_FOR_MS : nowMs - approval.atMs >= APPROVED_FOR_MS;
}

/** Of one whose answer, or what came of it, the store may lack. */
export function whyUnsure({ approval, runId }: AskedBan): string {
  if (runId !== undefined) return "Nobody knows whether it was sent.";
  const what = approval === undefined ? "have been approved or refused already" : "already have been sent";
  return `The database was restored from an older copy, so it may ${what}.`;
}

/** It was not sent after all. */
export function withoutRun({ runId: _, ...asked }: AskedBan): AskedBan {
  return asked;
}
