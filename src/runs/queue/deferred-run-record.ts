import { z } from "zod";
import type { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { SourceId } from "../../domain/model.ts";
import { type DeferredRun, RUN_ORIGINS, type RunOutcome, type RunRecord } from "../../domain/run.ts";
import { failedOutcome } from "../audit/run-record.ts";

/** How a deferred run is stored, and what it is in the audit where it never became a run. */

const actor = z.object({
  userId: z.string(),
  userName: z.string(),
  guildId: z.string(),
  channelId: z.string(),
  roleIds: z.array(z.string()),
  manageGuild: z.boolean(),
  askedAtMs: z.number(),
});
const binding = z.object({
  id: z.string(),
  guildId: z.string(),
  source: z.string().transform((text) => text as SourceId),
  name: z.string(),
  ownerId: z.number(),
  joinKey: z.string(),
  linkedBy: z.string(),
  linkedAtMs: z.number(),
});
const schema = z.object({
  id: z.string(),
  request: z.object({
    actor,
    binding,
    text: z.string(),
    origin: z.enum(RUN_ORIGINS),
  }),
  byId: z.array(z.object({ name: z.string(), id: z.number() })).exactOptional(),
  expiresAtMs: z.number(),
});

/** For the store: checks a deferred run on reading. */
export function parseDeferredRun(value: unknown): DeferredRun {
  return schema.parse(value);
}

/** Of its document: each person has one for a server. */
export function deferredKey(actor: Actor, binding: Binding): string {
  return `${actor.guildId}:${binding.id}:${actor.userId}`;
}

/** Who presses, for the run of which row and server. */
export interface DeferredPress {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly record: RunRecord;
}

export function newDeferredRun(
  id: string,
  { actor, binding, record: { text, byId } }: DeferredPress,
  expiresAtMs: number,
): DeferredRun {
  const request = { actor, binding, text, origin: "on-join" } as const;
  return { id, request, ...(byId === undefined ? {} : { byId }), expiresAtMs };
}

/** The same run, with its server as it is linked now. */
export function asLinked(run: DeferredRun, linked: readonly Binding[]): DeferredRun {
  const { binding: before } = run.request;
  const binding = linked.find(({ id, guildId }) => id === before.id && guildId === before.guildId);
  if (binding === undefined || binding.source === before.source) return run;
  return { ...run, request: { ...run.request, binding } };
}

/** The outcome of an attempt that never became a run. */
export function deferredFailed(run: DeferredRun, failure: Failure, nowMs: number): RunOutcome {
  return failedOutcome(unsent(run, nowMs), { failure, nowMs });
}

function unsent({ id, request }: DeferredRun, nowMs: number): RunRecord {
  const { actor, binding, text, origin } = request;
  return {
    id,
    guildId: actor.guildId,
    bindingId: binding.id,
    source: binding.source,
    serverName: binding.name,
    actorId: actor.userId,
    actorName: actor.userName,
    actorRoleIds: actor.roleIds,
    origin,
    text,
    askedAtMs: nowMs,
    channelId: actor.channelId,
    status: "failed",
    ran: "no",
    proof: "unchecked",
  };
}
