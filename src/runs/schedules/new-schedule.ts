import { Failure } from "../../domain/failure.ts";
import { type Actor, EMPTY_POLICY, type GuildSettings } from "../../domain/guild.ts";
import type { NewSchedule } from "../../domain/ports/schedules.ts";
import type { Schedule } from "../../domain/schedule.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { refuseFireKind, refuseTargetCount } from "../catalogue/target-count.ts";
import { decideVerb } from "../permission/permission-rules.ts";
import { textOf, whyNotScheduled } from "./may-schedule.ts";
import { anchorOf } from "./next-time.ts";

export interface NewScheduleFacts {
  readonly settings: GuildSettings;
  readonly id: string;
  readonly nowMs: number;
}

/**
 * The schedule that somebody wants. Pure. @throws Failure "bad-command" for what cannot be scheduled; "denied" where
 * they may not run it.
 */
export function newSchedule(
  actor: Actor,
  { binding, what, rule, onlyWithPlayers }: NewSchedule,
  { settings, id, nowMs }: NewScheduleFacts,
): Schedule {
  const text = textOf(what, settings.presets);
  if (text === undefined) throw new Failure("bad-command", "That preset no longer exists.");
  const command = parseCommand(text);
  const refused = whyNotScheduled(what, command);
  if (refused !== undefined) throw new Failure("bad-command", refused);
  refuseTargetCount(command);
  const policy = settings.policies[binding.id] ?? EMPTY_POLICY;
  const decision = decideVerb(policy, actor.roleIds, command);
  if (!decision.allowed) throw new Failure("denied", decision.why, { wants: decision.wants });
  refuseFireKind(command);
  return {
    id,
    guildId: actor.guildId,
    bindingId: binding.id,
    what,
    rule,
    anchorMs: anchorOf(settings.timeZone ?? DEFAULT_ZONE, nowMs),
    onlyWithPlayers,
    ownerId: actor.userId,
    ownerName: actor.userName,
    channelId: actor.channelId,
    createdAtMs: nowMs,
    claimedMs: nowMs,
    failures: 0,
  };
}
