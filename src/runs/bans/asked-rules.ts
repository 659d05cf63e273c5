import type { AskedBan } from "../../domain/asked-ban.ts";
import type { StaffPolicy } from "../../domain/guild.ts";
import type { ParsedCommand, RunRecord } from "../../domain/run.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { type People, resolveTargets } from "../catalogue/targets.ts";
import { decide, decideVerb } from "../permission/permission-rules.ts";

/** Who may be banned at somebody's asking, by whom, and what becomes of it. Pure. */

const NOBODY = "nobody";

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

const MOST_OF_GUILD = 100;
const MOST_OF_PERSON = 10;

/** Why this one can't be asked for beside those of its guild that wait; undefined: it can. */
export function whyNoMore(waiting: readonly AskedBan[], asked: AskedBan): string | undefined {
  const { player, bindingId, askerId } = asked;
  if (waiting.some((one) => one.player.id === player.id && one.bindingId === bindingId))
    return "A ban of this player is asked for already. See /run bans.";
  const own = waiting.filter((one) => one.askerId === askerId);
  return waiting.length >= MOST_OF_GUILD || own.length >= MOST_OF_PERSON
    ? "Too many ban requests are waiting. Answer some first."
    : undefined;
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

/** It was not sent after all. */
export function withoutRun({ runId: _, ...asked }: AskedBan): AskedBan {
  return asked;
}
