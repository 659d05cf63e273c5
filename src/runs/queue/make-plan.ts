import { Failure } from "../../domain/failure.ts";
import { emptyPolicy } from "../../domain/guild.ts";
import type { ServerState } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { ParsedCommand, ResolvedTarget, RunPlan, RunRequest } from "../../domain/run.ts";
import { parseCommand, warnedLength } from "../catalogue/parse-command.ts";
import { type People, peopleOf, resolveTargets } from "../catalogue/targets.ts";
import { findVerb, usageOf } from "../catalogue/verbs.ts";
import { decide, decideVerb } from "../permission/policy.ts";
import { PLAN_LIVES_MS } from "./pending-plans.ts";

/** A player list this young is not asked for again. */
const FRESH_PEOPLE_MS = 10_000;
/** An interaction waits: rather an older list than a late card. */
const READ_WITHIN_MS = 2_500;
/** Beyond this age of the player list the plan says so. */
const OLD_PEOPLE_MS = 60_000;
/** The same text with an unknown outcome this recently may have run: asking again is asked about. */
const UNKNOWN_WITHIN_MS = 30 * 60_000;

export interface PlanPorts {
  readonly snapshots: Snapshots;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly health: ServiceHealth;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Reads, resolves and judges; sends no command. May read players and staff (one call, shared).
 * @throws Failure "bad-command"; or what kept the lists from being read, where nothing can be judged without them.
 */
export async function makePlan(
  ports: PlanPorts,
  request: RunRequest,
  expectedWaitMs: number,
): Promise<RunPlan> {
  const command = parseCommand(request.text);
  const { guildId } = request.actor;
  const policy = (await ports.settings.of(guildId)).policies[request.binding.id] ?? emptyPolicy;
  const mayVerb = decideVerb(policy, request.actor.roleIds, command);
  // Whoever may not use the verb at all costs the service nothing.
  const { people, unread } = await readPeople(ports, request, command, mayVerb.allowed);
  const decision = decide(policy, request.actor, command, people);
  if (mayVerb.allowed && !decision.allowed && people === undefined && unread !== undefined) throw unread;
  const targets = people === undefined ? [] : resolveTargets(command.targetTexts, people);
  const repeats = await earlierUnknown(ports, request);
  const confirmReasons = reasonsToConfirm(command, targets, repeats);
  const inverse = inverseOf(command, targets);
  const nowMs = ports.clock.nowMs();
  return {
    id: ports.random.id(),
    request,
    command,
    decision,
    targets,
    ...(people === undefined ? {} : { playersAgeMs: people.ageMs }),
    confirm: command.mass ? "name" : confirmReasons.length > 0 ? "button" : "none",
    confirmReasons,
    warnings: warnings(command, targets, people, unread, ports.health.halt()?.untilMs, nowMs),
    expectedWaitMs,
    ...(inverse === undefined ? {} : { inverse }),
    expiresAtMs: nowMs + PLAN_LIVES_MS,
  };
}

async function readPeople(
  ports: PlanPorts,
  { binding }: RunRequest,
  command: ParsedCommand,
  allowed: boolean,
): Promise<{ readonly people: People | undefined; readonly unread: Failure | undefined }> {
  const known = () => peopleOf(ports.snapshots.latest(binding.source), ports.clock.nowMs());
  if (command.targetTexts.length === 0 || !allowed) return { people: known(), unread: undefined };
  const abort = new AbortController();
  const cancel = ports.clock.after(READ_WITHIN_MS, () =>
    abort.abort(new Failure("unreachable", "The player list could not be read in time.")),
  );
  try {
    const state: ServerState = await ports.snapshots.fresh(
      binding.source,
      ["players", "staff"],
      FRESH_PEOPLE_MS,
      { signal: abort.signal, guildId: binding.guildId },
    );
    return { people: peopleOf(state, ports.clock.nowMs()), unread: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { people: known(), unread: error };
  } finally {
    cancel();
  }
}

/** Whether this guild sent the same text to this server lately and does not know what came of it. */
async function earlierUnknown({ audit, clock }: PlanPorts, { binding, text }: RunRequest): Promise<boolean> {
  const runs = await audit.recentRuns(binding.source, clock.nowMs() - UNKNOWN_WITHIN_MS);
  return runs.some((run) => run.status === "unknown" && run.guildId === binding.guildId && run.text === text);
}

/** Empty: it may be sent at once. */
function reasonsToConfirm(
  command: ParsedCommand,
  targets: readonly ResolvedTarget[],
  repeats: boolean,
): readonly string[] {
  const hit = new Set(targets.flatMap(({ players }) => players.map(({ name, id }) => `${name}:${id ?? ""}`)));
  const reasons: string[] = [];
  if (command.danger === "severe") reasons.push(`:${command.verb} cannot be taken back easily.`);
  if (command.mass) reasons.push("It hits everyone in the server.");
  else if (hit.size > 1) reasons.push(`It hits ${hit.size} players.`);
  if (!command.mass && targets.some(({ staff }) => staff)) reasons.push("A target is staff of the server.");
  const odd = targets.find(({ text, players }) => players.length === 0 && !/^\w+$/.test(text));
  if (odd !== undefined) reasons.push(`Nobody knows whom "${odd.text}" hits.`);
  if (repeats)
    reasons.push("The same command was sent lately with an unknown outcome: it may run a second time.");
  return reasons;
}

function warnings(
  command: ParsedCommand,
  targets: readonly ResolvedTarget[],
  people: People | undefined,
  unread: Failure | undefined,
  haltUntilMs: number | undefined,
  nowMs: number,
): readonly string[] {
  const said: string[] = [];
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined) said.push(`:${command.verb} is not in the catalogue; the game may not know it.`);
  if (command.text.length > warnedLength) {
    said.push(`It is ${command.text.length} characters long; the game may cut or refuse it.`);
  }
  if (verb?.args[0] === "targets" && command.targetTexts.length === 0) {
    said.push(`It names no player. Usage: ${usageOf(verb)}`);
  }
  for (const { text, players } of targets) {
    if (players.length === 0) said.push(`Nobody in the server matches "${text}".`);
  }
  if (/,\s|\s,/.test(command.text) && command.targetTexts.length > 1) {
    said.push("There is a space at a comma: the game may read only the names before it.");
  }
  if (command.targetTexts.length > 0) {
    if (people === undefined) said.push("The player list is not known: the targets were not resolved.");
    else if (unread !== undefined || people.ageMs > OLD_PEOPLE_MS) {
      said.push(`The player list is ${Math.round(people.ageMs / 1000)} s old.`);
    }
  }
  if (haltUntilMs !== undefined && haltUntilMs > nowMs) {
    said.push(
      `The service asked to wait until <t:${Math.ceil(haltUntilMs / 1000)}:T>; it is queued until then.`,
    );
  }
  return said;
}

/** The text that would undo it, with the exact names of this moment: a banned player matches no prefix any more. */
function inverseOf(command: ParsedCommand, targets: readonly ResolvedTarget[]): string | undefined {
  const inverse = findVerb(findVerb(command.verb ?? "")?.inverse ?? "");
  if (inverse === undefined) return undefined;
  if (inverse.args[0] === "targets") {
    const names = command.targetTexts.flatMap((text) => {
      const found = targets.find((target) => target.text === text)?.players ?? [];
      const keep = found.length === 0 || /^(all|others|\d+)$/i.test(text);
      return keep ? [text] : found.map(({ name }) => name);
    });
    return names.length === 0 ? undefined : `:${inverse.verb} ${[...new Set(names)].join(",")}`;
  }
  const rest = inverse.args.length > 0 && command.rest !== undefined ? ` ${command.rest}` : "";
  return `:${inverse.verb}${rest}`;
}
