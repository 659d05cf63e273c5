import type { BanEnd } from "../../domain/ban-end.ts";
import { Failure } from "../../domain/failure.ts";
import type { Binding } from "../../domain/guild.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { HALTED, haltAt, type ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import { afterBan, type BanRow, banRows } from "./later-bans.ts";

/** Time limit for reading who is in the server and what its log says. */
const READ_WITHIN_MS = 10_000;
/** A log this young shows what was typed before. */
const FRESH_MS = 5_000;
const READ_AGAIN_MS = 60_000;
const EMPTY_AGAIN_MS = 5 * 60_000;
const HELD_UP_AGAIN_MS = 60_000;

export interface CheckLiftPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly snapshots: Pick<Snapshots, "fresh">;
  readonly health: ServiceHealth;
  /** What the automatic runs of a server have to wait for, in milliseconds. */
  readonly share: { inMs(source: SourceId): number };
  readonly serviceTime: Pick<ServiceTime, "ms">;
  readonly clock: Clock;
  /** Whether a case says that this player was banned after that moment. Rejects where the history does not answer. */
  isBannedAgain(end: BanEnd): Promise<boolean>;
  standingBan: StandingBan;
}

/** What ends a wait before its time: somebody joins, or automatic commands are resumed. */
export type WaitEnd = "players" | "resume";

/** Whose ban is to end, when it was sent, and when it ends. */
export type EndingBan = Pick<BanEnd, "guildId" | "bindingId" | "playerId" | "sentAtMs" | "endsAtMs">;

/** The number of the case of a ban from before that lasts longer, if there is one. Rejects where the history does not answer. */
export type StandingBan = (end: EndingBan) => Promise<number | undefined>;

export type LiftCheck =
  | { readonly kind: "go"; readonly binding: Binding }
  /** `ofServer`: the others of that server wait for the same. */
  | {
      readonly kind: "wait";
      readonly inMs: number;
      readonly why: string;
      readonly ofServer: boolean;
      readonly endsBy?: WaitEnd | undefined;
    }
  | { readonly kind: "unlinked" }
  | { readonly kind: "later"; readonly row: BanRow | undefined }
  /** The number of its case. */
  | { readonly kind: "earlier"; readonly caseNumber: number };

/** Whether the un-ban of a ban whose time is over may leave now. Rejects with a Failure of the history's. */
export async function checkLift(ports: CheckLiftPorts, end: BanEnd): Promise<LiftCheck> {
  const { bindings, settings, health, share, serviceTime } = ports;
  const binding = (await bindings.list(end.guildId)).find(({ id }) => id === end.bindingId);
  if (binding === undefined) return { kind: "unlinked" };
  const { automaticPause } = await settings.of(end.guildId);
  if (automaticPause !== undefined)
    return wait("Automatic commands are paused.", HELD_UP_AGAIN_MS, { endsBy: "resume" });
  const held = whyHeld(health, binding, ports.clock.nowMs());
  if (held !== undefined) return wait(held, HELD_UP_AGAIN_MS);
  const inMs = share.inMs(binding.source);
  if (inMs > 0) return wait("Other commands come first.", inMs);

  const state = await read(ports, binding);
  if (typeof state === "string") return wait(state, READ_AGAIN_MS);
  const rows = banRows(state.lists.commandLogs?.value ?? []);
  const present = state.lists.players?.value.map(({ player }) => player) ?? [];
  const nowS = Math.floor((serviceTime.ms() ?? ports.clock.nowMs()) / 1_000);
  const { later } = afterBan(end, { rows, present, nowS });
  if (later !== undefined) return { kind: "later", row: later };
  if (state.status.currentPlayers === 0)
    return wait("Nobody is in the server.", EMPTY_AGAIN_MS, { endsBy: "players" });
  // That answer said what time it is.
  const earlyMs = end.endsAtMs - (serviceTime.ms() ?? end.endsAtMs);
  if (earlyMs > 0)
    return wait("Its time is not over by the game service's clock.", earlyMs, { ofServer: false });
  if (await ports.isBannedAgain(end)) return { kind: "later", row: undefined };
  const earlier = end.liftsEarlier === true ? undefined : await ports.standingBan(end);
  return earlier === undefined ? { kind: "go", binding } : { kind: "earlier", caseNumber: earlier };
}

function wait(
  why: string,
  inMs: number,
  { ofServer = true, endsBy }: { readonly ofServer?: boolean; readonly endsBy?: WaitEnd } = {},
): LiftCheck {
  return { kind: "wait", why, inMs, ofServer, endsBy };
}

function whyHeld(health: ServiceHealth, { source }: Binding, nowMs: number): string | undefined {
  if (health.parked(source) !== undefined) return "The server key is wrong or expired.";
  const permission = health.commandPermission(source);
  if (permission.kind === "refused" && nowMs < permission.untilMs) return permission.why;
  const halt = haltAt(health, nowMs);
  return halt === undefined ? undefined : `${HALTED[halt.why]}.`;
}

/** Who is there and the log as of now; or why they could not be read. */
async function read({ snapshots, clock }: CheckLiftPorts, { source, guildId }: Binding) {
  const abort = new AbortController();
  const cancel = clock.after(READ_WITHIN_MS, () =>
    abort.abort(new Failure("unreachable", "The server could not be read in time.")),
  );
  try {
    const lists = ["commandLogs", "players"] as const;
    return await snapshots.fresh(source, lists, { maxAgeMs: FRESH_MS, signal: abort.signal, guildId });
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  } finally {
    cancel();
  }
}
