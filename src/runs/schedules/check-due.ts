import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding, GuildSettings } from "../../domain/guild.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Members } from "../../domain/ports/members.ts";
import { HALTED, haltAt, type ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { RunRequest } from "../../domain/run.ts";
import type { Schedule } from "../../domain/schedule.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { type OwnerNow, textOf, whyNotScheduled, whyNotTheirs } from "./may-schedule.ts";

/** Time limit for finding out whether anybody is in the server. */
const READ_WITHIN_MS = 10_000;
/** A state this young says whether anybody is in the server. */
const FRESH_MS = 60_000;
/** A command of this server that could only be sent later than this is left out. */
const LONGEST_HOLD_MS = 60_000;

export interface CheckPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly members: Members;
  readonly snapshots: Pick<Snapshots, "fresh">;
  readonly health: ServiceHealth;
  readonly clock: Clock;
}

export type Check =
  | { readonly kind: "go"; readonly request: RunRequest }
  /** `isFailure`: somebody has to mend something, or it will be so the next time. */
  | { readonly kind: "skip"; readonly why: string; readonly isFailure: boolean }
  /** `also`: whether another schedule of the same owner ends for the same reason. */
  | { readonly kind: "end"; readonly why: string; also(other: Schedule): boolean };

const none = () => false;

/**
 * Checks everything about a due schedule anew: server, text, the rights of its owner as Discord tells them now, and
 * whether anybody is there. Rejects with the failure of a read.
 */
export async function checkDue(ports: CheckPorts, schedule: Schedule): Promise<Check> {
  const { guildId, bindingId, what } = schedule;
  const binding = (await ports.bindings.list(guildId)).find(({ id }) => id === bindingId);
  if (binding === undefined) return { kind: "end", why: "Its server is no longer linked.", also: none };
  const settings = await ports.settings.of(guildId);
  const text = textOf(what, settings.presets);
  if (text === undefined) return { kind: "end", why: "Its preset was deleted.", also: none };

  if (settings.automaticPause !== undefined)
    return { kind: "skip", why: "Automatic commands are paused.", isFailure: false };
  const held = whyHeld(ports, binding);
  if (held !== undefined) return { kind: "skip", why: held, isFailure: false };

  const readAtMs = ports.clock.nowMs();
  const owner = await ownerNow(ports, schedule);
  if (owner === undefined) {
    return { kind: "skip", why: "Marshal could not read its owner's roles.", isFailure: true };
  }
  const lost = whyEnded(settings, owner, { schedule, text });
  if (lost !== undefined) {
    const also = (other: Schedule) => endsToo(settings, owner, other);
    return { kind: "end", why: lost, also };
  }
  const refused = whyNotScheduled(what, parseCommand(text));
  if (refused !== undefined) return { kind: "skip", why: refused, isFailure: true };

  if (schedule.onlyWithPlayers && (await isEmpty(ports, binding))) {
    return { kind: "skip", why: "Nobody was in the server.", isFailure: false };
  }
  return { kind: "go", request: requestOf(schedule, { binding, text, owner, readAtMs }) };
}

async function ownerNow(
  { members }: CheckPorts,
  { guildId, ownerId }: Schedule,
): Promise<OwnerNow | undefined> {
  try {
    return await members.now(guildId, ownerId);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Why nothing is sent to this server now. What waits for minutes would be out of date then. */
function whyHeld({ health, clock }: CheckPorts, { source }: Binding): string | undefined {
  if (health.parked(source) !== undefined) return "The server key is wrong or expired.";
  const halt = haltAt(health, clock.nowMs());
  if (halt !== undefined) return `${HALTED[halt.why]}.`;
  if (health.commandReadyAtMs(source) - clock.nowMs() > LONGEST_HOLD_MS) {
    return "The game service is not taking commands for this server right now.";
  }
  return undefined;
}

function whyEnded(
  settings: GuildSettings,
  owner: OwnerNow,
  { schedule: { bindingId }, text }: { readonly schedule: Schedule; readonly text: string },
): string | undefined {
  return whyNotTheirs(settings, owner, { bindingId, command: parseCommand(text) });
}

function endsToo(settings: GuildSettings, owner: OwnerNow, other: Schedule): boolean {
  const text = textOf(other.what, settings.presets);
  try {
    return text !== undefined && whyEnded(settings, owner, { schedule: other, text }) !== undefined;
  } catch (error) {
    // Its own time will say what is wrong with its text.
    if (error instanceof Failure) return false;
    throw error;
  }
}

async function isEmpty({ snapshots, clock }: CheckPorts, binding: Binding): Promise<boolean> {
  const abort = new AbortController();
  const cancel = clock.after(READ_WITHIN_MS, () =>
    abort.abort(
      new Failure("unreachable", "Marshal could not check in time whether anyone is in the server."),
    ),
  );
  const { source, guildId } = binding;
  try {
    const state = await snapshots.fresh(source, [], { maxAgeMs: FRESH_MS, signal: abort.signal, guildId });
    return state.status.currentPlayers === 0;
  } finally {
    cancel();
  }
}

interface RequestFacts {
  readonly binding: Binding;
  readonly text: string;
  readonly owner: OwnerNow;
  readonly readAtMs: number;
}

function requestOf(schedule: Schedule, { binding, text, owner, readAtMs }: RequestFacts): RunRequest {
  const { ownerId: userId, ownerName: userName, guildId, channelId } = schedule;
  const actor: Actor = { userId, userName, guildId, channelId, ...owner, askedAtMs: readAtMs };
  return { actor, binding, text, origin: "schedule" };
}
