import type { DutyType } from "./duty.ts";
import { Failure } from "./failure.ts";
import { momentOf } from "./moment.ts";

/** Reads totals of hours that another bot kept: lines of member, type, minutes and as of, as CSV. Pure. */

/** What somebody had done when it was written down. */
export interface ImportedTotal {
  readonly userId: string;
  readonly typeId: string;
  readonly seconds: number;
  readonly asOfS: number;
}

export interface RefusedLine {
  readonly line: number;
  readonly why: string;
}

export interface ReadTotals {
  readonly totals: readonly (ImportedTotal & { readonly line: number })[];
  readonly refused: readonly RefusedLine[];
}

export interface ReadingOptions {
  /** The first is meant where a line names none. */
  readonly types: readonly DutyType[];
  readonly nowMs: number;
  readonly zone: string;
}

export const MOST_TOTALS = 200;
const MOST_CHARACTERS = 20_000;
/** What is older is not kept. */
const OLDEST_MS = 365 * 86_400_000;
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** @throws Failure "bad-command" where there is too much of it, or nothing to import to. */
export function readTotals(text: string, options: ReadingOptions): ReadTotals {
  if (options.types.length === 0)
    throw new Failure("bad-command", "No duty types are set up yet. Add one with /duty type add.");
  const lines = text.length > MOST_CHARACTERS ? [] : text.split(/\r\n|\r|\n/);
  if (text.length > MOST_CHARACTERS || lines.length > MOST_TOTALS + 1)
    throw new Failure(
      "bad-command",
      `${MOST_TOTALS} lines at a time are the maximum. Import the rest after it.`,
    );
  const separator =
    [",", ";", "\t"].toSorted((a, b) => countOf(lines[0], b) - countOf(lines[0], a))[0] ?? ",";
  const totals: ReadTotals["totals"][number][] = [];
  const refused: RefusedLine[] = [];
  const seen = new Set<string>();
  for (const [at, raw] of lines.entries()) {
    const line = at + 1;
    if (raw.trim() === "" || (at === 0 && /member/i.test(raw))) continue;
    const total = totalOf(cellsOf(raw, separator), options);
    const isTwice = typeof total === "object" && seen.has(totalKey(total));
    if (typeof total === "string") refused.push({ line, why: total });
    else if (isTwice) refused.push({ line, why: "is there twice" });
    else {
      seen.add(totalKey(total));
      totals.push({ ...total, line });
    }
  }
  return { totals, refused };
}

/** One total of one member, kind of shift and time counts once. */
export function totalKey({ userId, typeId, asOfS }: Omit<ImportedTotal, "seconds">): string {
  return `${userId} ${typeId} ${asOfS}`;
}

/** Or why not. */
function totalOf(
  [member = "", typed = "", minutes = "", asOf = "", ...more]: readonly string[],
  { types, nowMs, zone }: ReadingOptions,
): ImportedTotal | string {
  const isFormula = (cell: string) => /^[=+@-]/.test(cell) && !/^[+-]\d+$/.test(cell);
  if ([member, typed, minutes, asOf].some(isFormula)) return "begins like a formula";
  if (more.some((cell) => cell !== "")) return "has more than member, type, minutes and as of";
  const userId = /^(?:<@!?)?(\d{15,20})>?$/.exec(member)?.[1];
  if (userId === undefined) return "needs the member's Discord id (15 to 20 digits)";
  const type = typed === "" ? types[0] : types.find(({ name }) => name.toLowerCase() === typed.toLowerCase());
  if (type === undefined) return "names a duty type that does not exist";
  if (!/^[1-9]\d{0,5}$/.test(minutes)) return "needs whole minutes, from 1 to 999999";
  const asOfMs = timeOf(asOf, nowMs, zone);
  if (asOfMs === undefined) return 'needs a day such as "2026-11-01", not one to come';
  if (nowMs - asOfMs > OLDEST_MS) return "is older than a year, which is as long as hours are kept";
  return { userId, typeId: type.id, seconds: Number(minutes) * 60, asOfS: Math.floor(asOfMs / 1_000) };
}

function timeOf(asOf: string, nowMs: number, zone: string): number | undefined {
  if (ISO.test(asOf)) {
    const atMs = Date.parse(asOf.replace(" ", "T"));
    return Number.isNaN(atMs) || atMs > nowMs ? undefined : atMs;
  }
  try {
    return momentOf(asOf === "" ? "today" : asOf, { nowMs, zone });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Quoted cells too; the apostrophe with which a spreadsheet keeps a long number goes. */
function cellsOf(line: string, separator: string): readonly string[] {
  const cells = [""];
  let isQuoted = false;
  for (const sign of line) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === separator && !isQuoted) cells.push("");
    else cells[cells.length - 1] += sign;
  }
  return cells.map((cell) => cell.trim().replace(/^'(?=\d)/, ""));
}

function countOf(line: string | undefined, sign: string): number {
  return (line ?? "").split(sign).length;
}
