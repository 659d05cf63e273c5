import { endOf } from "../../domain/ban-end.ts";
import { Failure } from "../../domain/failure.ts";
import { EMPTY_POLICY, type StaffPolicy } from "../../domain/guild.ts";
import type { PlayerRef, ServerState } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { Decision, ParsedCommand, ResolvedTarget, RunPlan, RunRequest } from "../../domain/run.ts";
import { whyNotAsked } from "../bans/asked-rules.ts";
import type { StandingBan } from "../bans/check-lift.ts";
import { nearestCommand, nearestNames } from "../catalogue/did-you-mean.ts";
import { inverseOf } from "../catalogue/inverse-command.ts";
import { parseCommand, withTarget } from "../catalogue/parse-command.ts";
import { refuseSecondName, refuseWhoIsNotMeant, withIds } from "../catalogue/strangers.ts";
import { refuseFireKind, refuseTargetCount } from "../catalogue/target-count.ts";
import { type People, resolveGoal, resolveTargets } from "../catalogue/targets.ts";
import { type KnownPeoplePorts, knownPeople } from "../permission/known-people.ts";
import { type CommandAtServer, decide, decideVerb } from "../permission/permission-rules.ts";
import { PLAN_LIVES_MS } from "./pending-plans.ts";
import { planWarnings, reasonsToConfirm } from "./plan-warnings.ts";

/** A player list this young is not asked for again. */
const FRESH_PEOPLE_MS = 10_000;
/** Time limit for reading the player list; then an older one is used, because a person waits for the card. */
const READ_WITHIN_MS = 2_500;
/** The same text with an unknown outcome in this time may have run, so sending it again needs a confirmation. */
const UNKNOWN_WITHIN_MS = 30 * 60_000;

export interface PlanPorts extends KnownPeoplePorts {
  readonly snapshots: Pick<Snapshots, "latest" | "fresh">;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly health: ServiceHealth;
  readonly clock: Clock;
  readonly random: Random;
  readonly standingBan: StandingBan;
}

/**
 * Makes the plan of a run: reads the text, finds whom it hits, and decides whether it is allowed. Sends no command; may
 * read players and staff once. Rejects with Failure "bad-command", or with the failure of that read where nothing can be
 * decided without the lists.
 */
export async function makePlan(
  ports: PlanPorts,
  request: RunRequest,
  expectedWaitMs: number,
): Promise<RunPlan> {
  const command = parseCommand(request.text);
  refuseTargetCount(command);
  refuseTerm(request, command);
  if (request.only !== undefined) refuseSecondName(command);
  const { actor, ownPlayerId } = request;
  const isLift = request.origin === "ban-end";
  const { policies, automaticPause } = await ports.settings.of(actor.guildId);
  const policy = policies[request.binding.id] ?? EMPTY_POLICY;
  const mayVerb = isLift ? OF_THE_COMMUNITY : decideVerb(policy, actor.roleIds, command);
  if (mayVerb.allowed) refuseFireKind(command);
  // For a person who may not use the verb at all nothing is read from the service.
  const { people, unread } = await readPeople(ports, request, {
    command,
    isRead: mayVerb.allowed && !isLift,
  });
  const decision = isLift ? mayVerb : decided(policy, request, { command, people });
  if (mayVerb.allowed && !decision.allowed && people === undefined && unread !== undefined) throw unread;
  const byId = decision.allowed && people !== undefined ? withIds(command, people) : undefined;
  if (byId !== undefined) return await makePlan(ports, { ...request, text: byId }, expectedWaitMs);
  const targets = people === undefined ? [] : resolveTargets(command, people);
  if (decision.allowed && people !== undefined) {
    refuseWhoIsNotMeant(request, { targets, goal: resolveGoal(command, people) });
  }
  if (request.term !== undefined && decision.allowed) {
    const only = onlyTarget(command, targets);
    if (request.only === undefined) {
      const text = withTarget(request.text, command.targetTexts[0] ?? "", String(only.id));
      return await makePlan(ports, { ...request, text, only }, expectedWaitMs);
    }
    if (only.id !== request.only.id) throw new Failure("bad-command", NOT_ONE_PLAYER);
  }
  const repeats = await earlierUnknown(ports, request);
  const { meant, instead } = nearestCommand(
    command,
    (verb) => decideVerb(policy, actor.roleIds, verb).allowed,
  );
  // The approval of a ban that was asked for is its confirmation; rules and ranks were confirmed when they were turned on.
  const isOfPlan = request.origin === "rule" || request.origin === "rank";
  const isConfirmed = isLift || request.askedBy !== undefined || isOfPlan;
  const confirmReasons = isConfirmed
    ? []
    : reasonsToConfirm({
        command,
        targets,
        repeats,
        meant,
        instead,
        ownPlayerId,
        people,
        earlierBan: decision.allowed ? await earlierBan(ports, request) : undefined,
        hasEnd: request.term !== undefined,
      });
  const isAsked = confirmReasons.length > 0 || (command.danger === "severe" && !isConfirmed);
  const inverse = inverseOf(command, targets);
  const nowMs = ports.clock.nowMs();
  return {
    id: request.runId ?? ports.random.id(),
    request,
    command,
    decision,
    targets,
    ...(people === undefined ? {} : { playersSeen: { atMs: nowMs - people.ageMs, ageMs: people.ageMs } }),
    confirm: command.mass ? "name" : isAsked ? "button" : "none",
    confirmReasons,
    warnings: planWarnings(command, {
      haltUntilMs: ports.health.halt()?.untilMs,
      nowMs,
      isSlip: meant !== undefined || instead !== undefined,
      people,
      waitsForResume: request.term !== undefined && automaticPause !== undefined,
    }),
    expectedWaitMs,
    ...(meant === undefined ? {} : { meant }),
    ...(instead === undefined ? {} : { instead }),
    near: decision.allowed ? nearestNames(command, { targets, people }) : [],
    inverse,
    expiresAtMs: nowMs + PLAN_LIVES_MS,
  };
}

function decided(
  policy: StaffPolicy,
  { actor, ownPlayerId, askedBy }: RunRequest,
  about: CommandAtServer,
): Decision {
  const why = askedBy === undefined ? undefined : whyNotAsked(policy, about.command, about.people);
  return why === undefined ? decide(policy, { ...actor, ownPlayerId }, about) : { allowed: false, why };
}

const OF_THE_COMMUNITY: Decision = { allowed: true, why: "The end of a ban needs nobody's rights." };
const NOT_ONE_PLAYER =
  "A ban with an end is for one player whom Marshal has seen. Choose a name from the list.";

/** @throws Failure "bad-command" where something else than a ban is to end. */
function refuseTerm({ term }: RunRequest, { verb, mass }: ParsedCommand): void {
  if (term === undefined || (verb === "ban" && !mass)) return;
  throw new Failure("bad-command", "Only a ban of one player can end by itself. Leave the end out.");
}

/** The player whose ban can be lifted by id later: names change, and a banned player matches no beginning of one. */
function onlyTarget(command: ParsedCommand, targets: readonly ResolvedTarget[]): Required<PlayerRef> {
  const [only, ...more] = targets.flatMap(({ players }) => players);
  // Of somebody whose name nobody knows a later ban by name would be missed.
  const isKnown = only?.id !== undefined && only.name !== String(only.id);
  if (command.targetTexts.length !== 1 || !isKnown || more.length > 0) {
    throw new Failure("bad-command", NOT_ONE_PLAYER);
  }
  return { name: only.name, id: only.id };
}

async function readPeople(
  ports: PlanPorts,
  { binding }: RunRequest,
  { command, isRead }: { readonly command: ParsedCommand; readonly isRead: boolean },
): Promise<{ readonly people: People | undefined; readonly unread: Failure | undefined }> {
  const about = { guildId: binding.guildId, command };
  const known = () => knownPeople(ports, ports.snapshots.latest(binding.source), about);
  if (command.targetTexts.length === 0 || !isRead) return { people: await known(), unread: undefined };
  const abort = new AbortController();
  const cancel = ports.clock.after(READ_WITHIN_MS, () =>
    abort.abort(new Failure("unreachable", "The player list could not be read in time.")),
  );
  try {
    const state: ServerState = await ports.snapshots.fresh(binding.source, ["players", "staff"], {
      maxAgeMs: FRESH_PEOPLE_MS,
      signal: abort.signal,
      guildId: binding.guildId,
    });
    return { people: await knownPeople(ports, state, about), unread: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { people: await known(), unread: error };
  } finally {
    cancel();
  }
}

/** The case of a ban from before that lasts longer than this one; undefined as well where no history says. */
async function earlierBan(
  { standingBan, clock }: PlanPorts,
  { term, only, binding: { guildId, id: bindingId } }: RunRequest,
): Promise<number | undefined> {
  if (term === undefined || only === undefined) return undefined;
  const sentAtMs = clock.nowMs();
  const end = { guildId, bindingId, playerId: only.id, sentAtMs, endsAtMs: endOf(term, sentAtMs) };
  return await standingBan(end).catch((error: unknown) => {
    if (error instanceof Failure) return undefined;
    throw error;
  });
}

/** Whether this guild sent the same text to this server lately with an unknown outcome. */
async function earlierUnknown({ audit, clock }: PlanPorts, { binding, text }: RunRequest): Promise<boolean> {
  const runs = await audit.recentRuns(binding.source, clock.nowMs() - UNKNOWN_WITHIN_MS);
  return runs.some((run) => run.status === "unknown" && run.guildId === binding.guildId && run.text === text);
}
