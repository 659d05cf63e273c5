import type { AlertPerson, AlertRow, AlertRule } from "../domain/alert.ts";
import { alertKind } from "../domain/alert-kinds.ts";
import { CHANGES, type ChangeEntry, type JournalList } from "../domain/changes.ts";
import type { CommandEntry, KillEntry, PlayerRef } from "../domain/model.ts";
import type { JournalItem } from "../domain/ports/journal.ts";
import type { Facts, MemberRun, OutsideRow, Surroundings } from "./facts.ts";
import type { CountedIds, OwnRows, ServerState } from "./server-state.ts";
import { LATE_S } from "./windows/sprees.ts";

/** From what happened to what is counted: which rows an alert has not counted yet, and whose they are. */

/** A new row, and by whom it is counted. */
export interface Sighting {
  readonly subject: string;
  readonly who?: AlertPerson;
  readonly row: AlertRow;
}

/** A run is known when its answer is, which may take minutes; a command of others once no run of ours made it. */
const OWN_ROWS_LATE_S = 900;
const SERVER = "server";

/** What the journal brought of one log, and up to where it is written. */
export interface LogNews {
  readonly list: JournalList;
  readonly lineage: string;
  readonly nextSeq: number;
  readonly items: readonly JournalItem[];
}

/**
 * What was not counted yet, of the logs whose rows these alerts count; from now on it is. Of a log that none of them
 * counted before, all that it shows is of the past. `isBegun`: there was such a log.
 */
export function takeNews({ marks }: ServerState, rules: readonly AlertRule[], logs: readonly LogNews[]) {
  const lists = new Set(rules.map(({ kind }) => alertKind(kind).counts));
  const items: JournalItem[] = [];
  let isBegun = false;
  for (const log of logs) {
    if (!lists.has(log.list)) continue;
    const mark = marks.get(log.list);
    const fresh = mark === undefined ? [] : log.items.filter(({ seq }) => seq >= seqOf(mark, log.lineage));
    items.push(...fresh);
    isBegun ||= mark === undefined;
    const seq = Math.max(log.nextSeq, (log.items.at(-1)?.seq ?? 0) + 1);
    const newestS = fresh.reduce(newestOf, mark?.newestS ?? Number.NEGATIVE_INFINITY);
    marks.set(log.list, { lineage: log.lineage, seq, newestS });
  }
  return { items, isBegun };
}

/** Numbers of another journal say nothing: then all that it brings is new. */
function seqOf({ lineage, seq }: { readonly lineage: string; readonly seq: number }, of: string): number {
  return lineage === of ? seq : 0;
}

function newestOf(newestS: number, item: JournalItem): number {
  return item.kind === "gap" ? newestS : Math.max(newestS, item.entry.atS);
}

/** What no alert counts any more begins anew with the next one that does. Answers whether there was such a thing. */
export function forgetUncounted({ marks, counted }: ServerState, rules: readonly AlertRule[]): boolean {
  const lists = new Set(rules.map(({ kind }) => alertKind(kind).counts));
  const own = new Set(rules.map(({ kind }) => alertKind(kind).ownRows));
  let isChanged = false;
  for (const list of marks.keys()) if (!lists.has(list)) isChanged = marks.delete(list);
  for (const rows of counted.keys()) if (!own.has(rows)) isChanged = counted.delete(rows);
  return isChanged;
}

/** The second up to which no further row can come that this alert counts. */
export function floorOf({ marks, counted }: ServerState, { kind }: AlertRule, presentS: number): number {
  const list = alertKind(kind).counts;
  const mark = list && marks.get(list);
  const own = alertKind(kind).ownRows;
  return Math.min(
    list === undefined ? Number.POSITIVE_INFINITY : Math.min(mark?.newestS ?? -1, presentS) - LATE_S,
    (own && counted.get(own)?.floorS) ?? Number.POSITIVE_INFINITY,
  );
}

/** New rows as they are counted. `of`: those that one alert counts, oldest first. */
export function freshSightings(
  { counted }: ServerState,
  rules: readonly AlertRule[],
  { presentS, kills = [], punishing = [], changes = [], runs = [], serviceAheadS = 0, outside = [] }: Facts,
  around: Surroundings,
) {
  const kinds = new Set(rules.map(({ kind }) => kind));
  const take = <T extends MemberRun | OutsideRow>(
    rows: OwnRows,
    some: readonly T[],
    idOf: (row: T) => string,
  ) => takeUncounted(counted, { rows, some, idOf, presentS });
  const killed = kinds.has("kills") ? kills.filter(isOfOthers) : [];
  const ran = kinds.has("punishments") ? take("runs", runs, ({ id }) => id) : [];
  const strange = kinds.has("outside") ? take("outside", outside, outsideId) : [];
  const punished = punishing.map((row) => punishedBy(row, around.memberOf(row.player)));
  if (ran.length > 0) punished.push(...ran.map((run) => sightingOfRun(run, serviceAheadS)));
  if (ran.length > 0) punished.sort((a, b) => a.row.atS - b.row.atS);
  return {
    isChanged: killed.length + punished.length + changes.length + strange.length > 0,
    of(rule: AlertRule): readonly Sighting[] {
      switch (rule.kind) {
        case "kills":
          return countedBy(rule, killed, around).map(sightingOfKill);
        case "punishments":
          return punished;
        case "outside":
          return strange.map(({ atS, text }) => ({ subject: SERVER, row: { atS, text } }));
        case "teams":
          return changes.filter(({ what }) => CHANGES[what].list === "teams").map(sightingOfChange);
        case "calls":
        case "full":
        case "empty":
          return [];
      }
    },
  };
}

interface Uncounted<T> {
  readonly rows: OwnRows;
  readonly some: readonly T[];
  readonly idOf: (row: T) => string;
  readonly presentS: number;
}

/** Rows that come again after a crash are known by their ids, for as long as they may come. */
function takeUncounted<T extends { readonly atS: number }>(
  counted: Map<OwnRows, CountedIds>,
  { rows, some, idOf, presentS }: Uncounted<T>,
): readonly T[] {
  const known = counted.get(rows) ?? { floorS: Number.NEGATIVE_INFINITY, ids: new Map<string, number>() };
  const fresh = some.filter((row) => row.atS > known.floorS && !known.ids.has(idOf(row)));
  if (fresh.length === 0) return [];
  const newestS = Math.max(...fresh.map(({ atS }) => atS));
  const floorS = Math.max(known.floorS, Math.min(newestS, presentS) - OWN_ROWS_LATE_S);
  const all = [...known.ids, ...fresh.map((row) => [idOf(row), row.atS] as const)];
  const ids = new Map(all.filter(([, atS]) => atS > floorS));
  counted.set(rows, { floorS, ids });
  return fresh.toSorted((a, b) => a.atS - b.atS);
}

function countedBy({ withoutTeams }: AlertRule, kills: readonly KillEntry[], { teamOf }: Surroundings) {
  if (withoutTeams === undefined) return kills;
  const leftOut = new Set(withoutTeams.map((name) => name.toLowerCase()));
  return kills.filter(({ killer }) => !leftOut.has(teamOf(killer) ?? ""));
}

function nameOf({ id, name }: PlayerRef): string {
  return id === undefined ? `n${name}` : `p${id}`;
}

/** Nobody kills themselves in rage at others. */
function isOfOthers({ killer, killed }: KillEntry): boolean {
  return killer.id === undefined && killed.id === undefined
    ? killer.name !== killed.name
    : killer.id !== killed.id;
}

function outsideId({ atS, ordinal, text }: OutsideRow): string {
  return `${atS} ${ordinal} ${text}`;
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

function sightingOfChange({ atS, player, values }: ChangeEntry): Sighting {
  return { subject: nameOf(player), who: player, row: { atS, text: values.join(" → ") } };
}

/** As the game's log has it, among whose rows it is counted. */
function sightingOfRun({ atS, userId, userName, text, hit }: MemberRun, serviceAheadS: number): Sighting {
  const row = { atS: atS + serviceAheadS, text, ...(hit === undefined ? {} : { other: hit }) };
  return { subject: `u${userId}`, who: { name: userName, userId }, row };
}
