import { createHash } from "node:crypto";
import type { AlertEntry, AlertRow, AlertRule, AlertVictim } from "../domain/alert.ts";

/** What one message is about, and how further matters fold into it. Changes only the state that it is given. */

/** An entry with what it is known by within its alert. */
export interface KeptEntry extends AlertEntry {
  readonly id: string;
}

/** One message of an alert. */
export interface Incident {
  /** Made from the matter itself: finds the message in its channel again, and is the nonce of its post. */
  readonly key: string;
  readonly channelId: string;
  /** How often it was given another channel. Discord knows a nonce in all channels, so each has one of its own. */
  readonly moves?: number | undefined;
  /** Pinged by its post; absent in quiet hours, and for what happened long ago. */
  readonly roleId?: string | undefined;
  readonly isSilent: boolean;
  readonly isLate: boolean;
  /** The message for all further subjects, beyond those with messages of their own. */
  readonly isShared: boolean;
  /** When the first matter happened, by the service's clock, epoch seconds. */
  readonly eventS: number;
  /** The same by the host's clock. Absent: before this was noted. */
  readonly eventAtMs?: number | undefined;
  /** By the host's clock. */
  readonly openedAtMs: number;
  entries: KeptEntry[];
  /** Entries beyond those that are kept. */
  more: number;
  version: number;
  /** What its message says; 0: it may not stand in the channel yet. */
  shown: number;
  messageId?: string | undefined;
  /** Its message says that it may stand there twice. */
  isMarked?: boolean | undefined;
  /** When that was posted, or found, by the host's clock. Absent: before this was noted. */
  postedAtMs?: number | undefined;
  /** People who were pinged instead of the role. */
  pingedUserIds?: readonly string[] | undefined;
  /** Discord refuses the names or commands on its message, which leaves them out. */
  isWithoutWords?: boolean | undefined;
  /** Nothing more is done about its message: somebody deleted it, or it could not be posted for too long. */
  isGone?: boolean | undefined;
}

/** Messages of one alert at the same time; further subjects share one message. */
const MOST_OF_THEIR_OWN = 4;
const MOST_ENTRIES = 40;
const ROWS_KEPT = 8;
const MOST_VICTIMS = 20;
/** What happened longer ago, because the server could not be read, is posted without a ping. */
const LATE_AFTER_S = 600;
/** Clocks differ: what happened up to this long after the start may have been posted before it. */
const DOUBT_MS = 120_000;
/** A further call joins the message of a call that was posted within this time. */
export const CALLS_JOIN_S = 600;
const MOST_CALLS = 10;

/** What is known when something is posted. */
export interface Opening {
  readonly rule: AlertRule;
  /** The service's present, epoch seconds. */
  readonly presentS: number;
  readonly nowMs: number;
  readonly isQuiet: boolean;
  /** When this process began, by the host's clock. */
  readonly startedMs: number;
  /** The first message of late matters of this answer, which takes in all of them. */
  lateIncident?: Incident | undefined;
}

/** Adds a new matter of `eventS`: as a message of its own, or to one that goes on. */
export function tell(
  incidents: Incident[],
  entry: KeptEntry,
  {
    eventS,
    opening,
    withinS,
  }: { readonly eventS: number; readonly opening: Opening; readonly withinS: number },
): void {
  const { rule, isQuiet, nowMs, presentS, startedMs } = opening;
  const isLate = presentS - eventS > LATE_AFTER_S;
  const eventAtMs = nowMs - (presentS - eventS) * 1_000;
  // What was told in time stands in the message that it then belonged to.
  const joins = !isLate || isOfBefore({ eventS, eventAtMs }, startedMs);
  const going = joins ? sharedBy(incidents, { entry, eventS, withinS, opening }) : undefined;
  const shared = going ?? (isLate ? opening.lateIncident : undefined);
  if (shared !== undefined) {
    join(shared, entry);
    return;
  }
  const isCrowd = !isLate && goingOn(incidents, eventS, withinS).length >= MOST_OF_THEIR_OWN;
  const incident: Incident = {
    key: keyOf(rule.id, entry.id),
    channelId: rule.channelId,
    ...(isLate || isQuiet || rule.roleId === undefined ? {} : { roleId: rule.roleId }),
    isSilent: isLate || isQuiet,
    isLate,
    isShared: isCrowd,
    eventS,
    eventAtMs,
    openedAtMs: nowMs,
    entries: [entry],
    more: 0,
    version: 1,
    shown: 0,
  };
  if (isLate) opening.lateIncident = incident;
  incidents.push(incident);
}

/** An earlier process may have told it, and a power cut may have taken what was noted of that. */
export function isOfBefore(matter: Pick<Incident, "eventS" | "eventAtMs">, startedMs: number): boolean {
  return eventMs(matter) <= startedMs + DOUBT_MS;
}

/** The service's clock may be ahead of ours, or ours of Discord's: what was posted stands after the earlier of both. */
export function eventMs({
  eventS,
  eventAtMs = eventS * 1_000,
}: Pick<Incident, "eventS" | "eventAtMs">): number {
  return Math.min(eventS * 1_000, eventAtMs);
}

/** Adds a matter that began before this one to the message of this one, whose key stays. */
export function addBefore(incidents: Incident[], entryId: string, earlier: KeptEntry): void {
  const incident = incidents.findLast(({ entries }) => entries.some(({ id }) => id === entryId));
  if (incident === undefined || incident.entries.length >= MOST_ENTRIES) return;
  const at = incident.entries.findIndex(({ id }) => id === entryId);
  incident.entries.splice(at, 0, earlier);
  incident.version += 1;
}

/**
 * Takes out of a message the matters that have messages of their own in the channel, by the keys of those: a power cut made
 * the store forget that they were told one by one. Answers the keys of what was taken out.
 */
export function takeOut(
  incidents: Incident[],
  key: string,
  {
    rule,
    standing,
  }: {
    readonly rule: Pick<AlertRule, "id" | "roleId">;
    readonly standing: ReadonlyMap<string, Partial<Incident>>;
  },
): readonly string[] {
  const from = incidents.find((one) => one.key === key);
  if (from === undefined) return [];
  const known = new Set(incidents.map((one) => one.key));
  const told: Incident[] = [];
  for (const entry of from.entries) {
    const own = keyOf(rule.id, entry.id);
    const stands = standing.get(own);
    if (stands === undefined || known.has(own)) continue;
    const { channelId, eventS, eventAtMs, openedAtMs } = from;
    told.push({
      key: own,
      channelId,
      ...(rule.roleId === undefined ? {} : { roleId: rule.roleId }),
      isSilent: false,
      isLate: false,
      isShared: false,
      eventS,
      eventAtMs,
      openedAtMs,
      entries: [entry],
      more: 0,
      version: 1,
      // It may say less than is known now.
      shown: 0,
      ...stands,
    });
  }
  if (told.length === 0) return [];
  from.entries = from.entries.filter((entry) => !told.some(({ entries }) => entries.includes(entry)));
  from.version += 1;
  incidents.push(...told);
  return told.map((one) => one.key);
}

/** Adds a row to an entry that a message names already. */
export function addRow(incidents: Incident[], entryId: string, row: AlertRow): void {
  change(incidents, entryId, (entry) => ({
    ...entry,
    count: entry.count + 1,
    firstS: Math.min(entry.firstS, row.atS),
    lastS: Math.max(entry.lastS, row.atS),
    // An entry of the version before has the rows of its kills.
    ...(entry.victims === undefined
      ? { rows: latest([...entry.rows, row]) }
      : { victims: withVictim(entry.victims, row) }),
  }));
}

/** What an entry begins with, oldest first: of kills who was killed, else the latest rows. */
export function beganWith(
  kind: AlertRule["kind"],
  rows: readonly AlertRow[],
): Pick<KeptEntry, "rows" | "victims"> {
  if (kind !== "kills") return { rows: latest(rows) };
  return { rows: [], victims: rows.reduce(withVictim, NOBODY) };
}

const NOBODY: readonly AlertVictim[] = [];

function withVictim(victims: readonly AlertVictim[], { other }: AlertRow): readonly AlertVictim[] {
  const { name = "", id } = other ?? {};
  const at = victims.findIndex((one) => (id === undefined ? one.name === name : one.id === id));
  if (at !== -1)
    return victims.map((one, place) => (place === at ? { ...one, deaths: one.deaths + 1 } : one));
  if (victims.length >= MOST_VICTIMS) return victims;
  return [...victims, { name, ...(id === undefined ? {} : { id }), deaths: 1 }];
}

/** Changes an entry that a message names, where it is still kept. */
export function change(incidents: Incident[], entryId: string, edit: (entry: KeptEntry) => KeptEntry): void {
  // The newest message first: after a late one of the same name it is the one that goes on.
  for (const incident of incidents.toReversed()) {
    const at = incident.entries.findIndex(({ id }) => id === entryId);
    const entry = incident.entries[at];
    if (entry === undefined) continue;
    incident.entries[at] = edit(entry);
    incident.version += 1;
    return;
  }
}

/** The latest of the rows, oldest first. */
function latest(rows: readonly AlertRow[]): readonly AlertRow[] {
  return rows.toSorted((a, b) => a.atS - b.atS).slice(-ROWS_KEPT);
}

function sharedBy(
  incidents: readonly Incident[],
  told: {
    readonly entry: KeptEntry;
    readonly eventS: number;
    readonly withinS: number;
    readonly opening: Opening;
  },
): Incident | undefined {
  const { eventS, withinS, opening } = told;
  if (opening.rule.kind === "calls") {
    const last = incidents.findLast(({ isLate }) => !isLate);
    const lastS = last?.entries.at(-1)?.lastS ?? Number.NEGATIVE_INFINITY;
    const joins = eventS - (lastS + withinS) <= CALLS_JOIN_S && (last?.entries.length ?? 0) < MOST_CALLS;
    return joins && last?.isGone !== true ? last : undefined;
  }
  return goingOn(incidents, eventS, withinS).findLast(({ isShared }) => isShared);
}

function goingOn(incidents: readonly Incident[], atS: number, withinS: number): readonly Incident[] {
  return incidents.filter(
    ({ entries, isLate }) => !isLate && entries.some(({ lastS }) => lastS + withinS >= atS),
  );
}

function join(incident: Incident, entry: KeptEntry): void {
  if (incident.entries.some(({ id }) => id === entry.id)) return;
  if (incident.entries.length < MOST_ENTRIES) incident.entries.push(entry);
  else incident.more += 1;
  incident.version += 1;
}

/** The same for the same matter, whatever was forgotten in between; fits a nonce. */
function keyOf(ruleId: string, entryId: string): string {
  return createHash("sha256")
    .update(JSON.stringify([ruleId, entryId]))
    .digest("base64url")
    .slice(0, 12);
}
