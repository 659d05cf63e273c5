import { stillS } from "../domain/duty.ts";
import type { AnsweredCalls, DutyStore } from "../domain/ports/duty-store.ts";
import type { Board, BoardLine } from "../domain/ports/staffing.ts";
import { isExcusing, type Quota, type QuotaLine } from "../domain/quota.ts";
import type { DutyBook } from "./duty-book.ts";
import { byHandIn, countedIn } from "./quota-lines.ts";
import { periodAround } from "./quota-periods.ts";
import type { Span } from "./shift-parts.ts";
import type { MemberRecord, WorkRecords } from "./work-records.ts";

/** The board: what everybody did in a time, how they stand with their quota, and who did nothing yet. */

export interface BoardPorts {
  readonly store: DutyStore;
  readonly book: DutyBook;
  readonly records: WorkRecords;
  nowS(): number;
  zoneOf(guildId: string): Promise<string>;
}

const NOTHING_DONE = {
  ...{ countedS: 0, unsureS: 0, addedS: 0, takenS: 0, importedS: 0, stillS: 0, shifts: 0, calls: 0 },
  isExpected: false,
} as const;

/** Since when the period that runs counts. */
function beginningOf({ period, sinceS }: Quota, atS: number, zone: string): number {
  return Math.max(sinceS, periodAround(period, atS, zone).fromS);
}

/** Everybody who did something in that time, or of whom something is asked. The most hours first. */
export async function boardOf(ports: BoardPorts, guildId: string, span: Span): Promise<Board> {
  const { store, book, records, nowS } = ports;
  const { setup } = await book.page(guildId);
  const found = await records.of(guildId, span);
  const calls = Map.groupBy(await store.calls({ guildId, ...span }), ({ playerId }) => playerId);
  const atS = Math.min(span.untilS - 1, nowS());
  const { lines: quotas, from: quotasFrom } = await standing(ports, guildId, { atS, untilS: span.untilS });
  const idle = found.filter(({ userId, shifts }) => shifts.length === 0 && !quotas.has(userId));
  const roleIds = setup.types.flatMap(({ requiredRoleId }) => requiredRoleId ?? []);
  const expected = await records.holding(
    guildId,
    idle.map(({ userId }) => userId),
    roleIds,
  );

  const lines: BoardLine[] = found.map((record) => ({
    ...workOf(record, span),
    calls: callsOf(record, calls),
    leave: record.leaves.find((one) => isExcusing(one) && one.fromS <= atS && one.untilS > atS),
    quota: quotas.get(record.userId),
    isExpected: expected.has(record.userId),
  }));
  // The period of their quota began before this time, in which they did nothing.
  const listed = new Set(found.map(({ userId }) => userId));
  const others = [...quotas].filter(([userId]) => !listed.has(userId));
  for (const [userId, quota] of others) lines.push({ ...NOTHING_DONE, userId, quota });

  lines.sort((a, b) => b.countedS - a.countedS || (a.userId < b.userId ? -1 : 1));
  const zone = await ports.zoneOf(guildId);
  return { ...span, zone, lines, types: setup.types, quotasFrom };
}

/** As with hours, what an account did counts for who had it then. */
function callsOf({ links }: MemberRecord, answered: ReadonlyMap<number, readonly AnsweredCalls[]>): number {
  const own = links.flatMap(({ playerId, fromS, untilS = Number.POSITIVE_INFINITY }) =>
    (answered.get(playerId) ?? []).filter(({ atS }) => atS >= fromS && atS < untilS),
  );
  return own.reduce((sum, { calls }) => sum + calls, 0);
}

function workOf(record: MemberRecord, span: Span) {
  const { userId, shifts, corrections, stills } = record;
  const imported = corrections.filter(
    ({ importId, atS }) => importId !== undefined && atS >= span.fromS && atS < span.untilS,
  );
  const parts = shifts.flatMap((shift) => shift.parts);
  return {
    userId,
    ...countedIn(record, span),
    ...byHandIn(record, span),
    importedS: imported.reduce((sum, { seconds }) => sum + seconds, 0),
    stillS: stillS(parts, stills, span),
    shifts: shifts.length,
  };
}

/** When the running period of the quotas began, the earliest of several. Undefined: there is no quota. */
export async function periodBegan(
  { book, zoneOf, nowS }: BoardPorts,
  guildId: string,
): Promise<number | undefined> {
  const zone = await zoneOf(guildId);
  const { quotas } = (await book.page(guildId)).setup;
  const began = quotas.map((quota) => beginningOf(quota, nowS(), zone));
  return began.length === 0 ? undefined : Math.min(...began);
}

interface Standing {
  readonly lines: ReadonlyMap<string, QuotaLine>;
  readonly from: Board["quotasFrom"];
}

/** How everybody stands, or stood at the end of a time; of several quotas of one person the one of which the most is missing. */
async function standing(
  { book, records, zoneOf }: BoardPorts,
  guildId: string,
  { atS, untilS }: { readonly atS: number; readonly untilS: number },
): Promise<Standing> {
  const zone = await zoneOf(guildId);
  const found = new Map<string, QuotaLine>();
  const from = new Map<string, Board["quotasFrom"][number]>();
  // One that was set, or reset, later asked for nothing then.
  const quotas = (await book.page(guildId)).setup.quotas.filter(({ sinceS }) => sinceS <= atS);
  for (const quota of quotas) {
    const fromS = beginningOf(quota, atS, zone);
    from.set(`${quota.period} ${fromS}`, { period: quota.period, fromS });
    const lines = await records.lines(guildId, quota, periodAround(quota.period, atS, zone), untilS);
    for (const line of lines) {
      const before = found.get(line.userId);
      const missing = ({ needS, countedS }: QuotaLine) => needS - countedS;
      if (before === undefined || missing(line) > missing(before)) found.set(line.userId, line);
    }
  }
  return { lines: found, from: [...from.values()] };
}
