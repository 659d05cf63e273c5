import type { AlertKind, AlertPerson, AlertRow, AlertRule } from "../domain/alert.ts";
import type { CommandEntry, KillEntry, PlayerRef } from "../domain/model.ts";
import { type Facts, type MemberRun, type OutsideRow, oldestFirst, type Surroundings } from "./facts.ts";
import type { ServerState, Stream } from "./server-state.ts";
import { floorAfter, raiseFloor, seenUpTo, takeUnseen } from "./windows/seen-rows.ts";
import { type Dated, LATE_S } from "./windows/sprees.ts";

/** From what logs show to what is counted: which rows are new, and whose they are. */

/** A new row, and by whom it is counted. */
export interface Sighting {
  readonly subject: string;
  readonly who?: AlertPerson;
  readonly row: AlertRow;
}

/** A run is known when its answer is, which may take minutes. */
const RUN_LATE_S = 900;
/** A command of others is posted once it is sure that none of our runs made it. */
const OUTSIDE_LATE_S = 900;
const SERVER = "server";
/** Which alerts count which rows. */
export const KIND_OF = {
  kills: "kills",
  commands: "punishments",
  runs: "punishments",
  outside: "outside",
} as const satisfies Readonly<Record<Stream, AlertKind>>;

/** How rows of a stream are taken. `newestS`: of all that the log shows, where `rows` are some of them. */
interface Take<T> {
  readonly identityOf: (row: T) => string;
  readonly newestS?: number;
}

/** The rows that were not seen before; from now on they are. `of`: those that one alert counts, oldest first. */
export function freshSightings(
  state: ServerState,
  rules: readonly AlertRule[],
  { presentS, kills, commands, runs, outside }: Facts,
  around: Surroundings,
) {
  const kinds = new Set(rules.map(({ kind }) => kind));
  let isChanged = false;
  const take = <T extends Dated>(
    stream: Stream,
    rows: readonly T[] | undefined,
    { identityOf, newestS = newest(rows) }: Take<T>,
  ): readonly T[] => {
    if (rows === undefined) return [];
    const isLog = stream === "kills" || stream === "commands";
    const seen = state.seen.get(stream) ?? seenUpTo(Number.NEGATIVE_INFINITY);
    // What a log shows at the first look happened before.
    const isBaseline = isLog && !state.seen.has(stream);
    const lateS = isLog ? LATE_S : stream === "runs" ? RUN_LATE_S : OUTSIDE_LATE_S;
    const floorS = floorAfter(seen, { newestS, presentS, lateS });
    const fresh = takeUnseen(seen, oldestFirst(rows), { identityOf, floorS });
    if (fresh.length === 0 && !isBaseline) return [];
    isChanged = true;
    state.seen.set(stream, seen);
    raiseFloor(seen, floorS);
    return isBaseline ? [] : fresh;
  };
  const killed = kinds.has("kills")
    ? take("kills", newKills(state, kills), { identityOf: killIdentity, newestS: newest(kills) })
    : [];
  const isCounted = kinds.has("punishments");
  const commanded = isCounted
    ? take("commands", commands?.punishing, { ...commands, identityOf: commandIdentity })
    : [];
  const ran = isCounted ? take("runs", runs, { identityOf: ({ id }) => id }) : [];
  const strange = kinds.has("outside") ? take("outside", outside, { identityOf: outsideIdentity }) : [];
  const punished = commanded.map((row) => punishedBy(row, around.memberOf(row.player)));
  if (ran.length > 0) punished.push(...ran.map(sightingOfRun));
  if (ran.length > 0) punished.sort((a, b) => a.row.atS - b.row.atS);
  return {
    isChanged,
    of(rule: AlertRule): readonly Sighting[] {
      switch (rule.kind) {
        case "kills":
          return countedBy(rule, killed, around).map(sightingOfKill);
        case "punishments":
          return punished;
        case "outside":
          return strange.map(({ atS, text }) => ({ subject: SERVER, row: { atS, text } }));
        default:
          return [];
      }
    },
  };
}

function countedBy({ withoutTeams }: AlertRule, kills: readonly KillEntry[], { teamOf }: Surroundings) {
  if (withoutTeams === undefined) return kills;
  const leftOut = new Set(withoutTeams.map((name) => name.toLowerCase()));
  return kills.filter(({ killer }) => !leftOut.has(teamOf(killer) ?? ""));
}

function newest(rows: readonly { readonly atS: number }[] | undefined): number {
  return rows?.reduce((latestS, { atS }) => Math.max(latestS, atS), 0) ?? 0;
}

function nameOf({ id, name }: PlayerRef): string {
  return id === undefined ? `n${name}` : `p${id}`;
}

/** Those that may not have been counted: the others cost a comparison. */
function newKills({ seen }: ServerState, kills: readonly KillEntry[] | undefined) {
  const countedS = seen.get("kills")?.floorS ?? Number.NEGATIVE_INFINITY;
  return kills?.filter((row) => row.atS > countedS && isOfOthers(row));
}

/** Nobody kills themselves in rage at others. */
function isOfOthers({ killer, killed }: KillEntry): boolean {
  return killer.id === undefined && killed.id === undefined
    ? killer.name !== killed.name
    : killer.id !== killed.id;
}

function killIdentity({ killer, killed }: KillEntry): string {
  return `${nameOf(killer)} ${nameOf(killed)}`;
}

function commandIdentity({ player, text }: CommandEntry): string {
  return `${nameOf(player)} ${text}`;
}

function outsideIdentity({ ordinal, text }: OutsideRow): string {
  return `${ordinal} ${text}`;
}

function sightingOfKill({ atS, killer, killed }: KillEntry): Sighting {
  return { subject: nameOf(killer), who: killer, row: { atS, other: killed } };
}

function punishedBy({ atS, player, text }: CommandEntry, userId: string | undefined): Sighting {
  return {
    subject: userId === undefined ? nameOf(player) : `u${userId}`,
    who: { ...player, ...(userId === undefined ? {} : { userId }) },
    row: { atS, text },
  };
}

function sightingOfRun({ atS, userId, userName, text }: MemberRun): Sighting {
  return { subject: `u${userId}`, who: { name: userName, userId }, row: { atS, text } };
}
