import { namedById } from "../../domain/command-names.ts";
import type { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { CommandAnswer, PlayerRef } from "../../domain/model.ts";
import type { RunOutcome, RunPlan, RunRecord, RunStatus } from "../../domain/run.ts";

/** The audit row of a plan that was just asked for. */
export function newRecord(plan: RunPlan, nowMs: number): RunRecord {
  const { actor, binding, text, origin, term, undoes, tells, askedBy, only } = plan.request;
  const known = [...plan.targets.flatMap(({ players }) => players), ...(only === undefined ? [] : [only])];
  return {
    id: plan.id,
    guildId: actor.guildId,
    bindingId: binding.id,
    source: binding.source,
    serverName: binding.name,
    ...actorColumns(actor),
    origin,
    text,
    ...(plan.command.verb === undefined ? {} : { verb: plan.command.verb }),
    askedAtMs: nowMs,
    channelId: actor.channelId,
    status: "waiting",
    ran: "no",
    proof: "unchecked",
    ...byIdColumn(text, known),
    ...(plan.inverse.length === 0 ? {} : { inverse: plan.inverse }),
    ...(term === undefined ? {} : { ends: { term } }),
    ...(undoes === undefined ? {} : { undoes: undoes.id }),
    ...(tells === undefined ? {} : { tells }),
    ...(askedBy === undefined ? {} : { askedBy }),
    ...(plan.command.isInGameOnly === true ? { isInGameOnly: true } : {}),
  };
}

export function actorColumns(actor: Actor): Pick<RunRecord, "actorId" | "actorName" | "actorRoleIds"> {
  return { actorId: actor.userId, actorName: actor.userName, actorRoleIds: actor.roleIds };
}

/** One letter may begin the names of half a server. */
const MOST_HIT = 20;

export function hitColumns(
  text: string,
  { hit, alike }: Record<"hit" | "alike", readonly PlayerRef[]>,
): Pick<RunRecord, "hit" | "alike" | "byId"> {
  const names = (players: readonly PlayerRef[]) => players.slice(0, MOST_HIT).map(({ name }) => name);
  return {
    ...(alike.length === 0 ? {} : { alike: names(alike) }),
    ...(hit.length === 0 ? {} : { hit: names(hit), ...byIdColumn(text, hit) }),
  };
}

function byIdColumn(text: string, players: readonly PlayerRef[]): Pick<RunRecord, "byId"> {
  const byId = new Map(namedById(text, players).map((player) => [player.id, player]));
  return byId.size === 0 ? {} : { byId: [...byId.values()].slice(0, MOST_HIT) };
}

/** The outcome after the answer 200, which means that it ran (spec: Endpoints, POST /v2/server/command). */
export function answeredOutcome(record: RunRecord, answer: CommandAnswer): RunOutcome {
  return {
    record: {
      ...record,
      status: "done",
      sentAtMs: answer.sentAtMs,
      endedAtMs: answer.answeredAtMs,
      ran: "yes",
      message: answer.message,
      ...(answer.commandId === undefined ? {} : { commandId: answer.commandId }),
    },
  };
}

export interface FailedEnd {
  readonly failure: Failure;
  readonly nowMs: number;
  /** Given where the failure does not tell it (cancelled, expired ...). */
  readonly status?: RunStatus | undefined;
  /** Marshal itself was stopped. */
  readonly interrupted?: boolean | undefined;
}

/** The outcome of a run that ended without an answer of the game. */
export function failedOutcome(
  record: RunRecord,
  { failure, nowMs, status, interrupted }: FailedEnd,
): RunOutcome {
  return {
    record: {
      ...record,
      status: failure.ran === "unknown" ? "unknown" : (status ?? statusOf(failure)),
      endedAtMs: nowMs,
      ran: failure.ran,
      message: failure.message,
      failureCode: failure.code,
      ...(failure.knownSinceMs === undefined ? {} : { knownSinceMs: failure.knownSinceMs }),
      ...(failure.commandId === undefined ? {} : { commandId: failure.commandId }),
      ...(interrupted === true ? { interrupted } : {}),
    },
    failure,
  };
}

function statusOf(failure: Failure): RunStatus {
  if (failure.code === "denied" || failure.code === "store") return "denied";
  return failure.code === "expired" ? "expired" : "failed";
}

/** Neither waiting nor under way. */
export function isOver(status: RunStatus): boolean {
  return status !== "waiting" && status !== "sending";
}
