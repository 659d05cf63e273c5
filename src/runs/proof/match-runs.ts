import type { ProofState } from "../../domain/run.ts";

/** A run as the log could show it; times in epoch seconds. */
export interface SentRun {
  readonly id: string;
  readonly text: string;
  readonly sentS: number;
  /** When its answer came; for a run that is under way, now. */
  readonly endS: number;
  /** The second of the row that it was matched with before. That row stays its own, also when the log has dropped it. */
  readonly seenAtS?: number;
  /** Under way, so nothing is concluded from a missing row. */
  readonly open?: boolean;
}

/** A row of CommandLogs by "Remote Server". */
export interface RemoteRow {
  readonly text: string;
  readonly atS: number;
}

export interface Matched {
  /** Only the runs about which this window says something. */
  readonly proofs: ReadonlyMap<string, { readonly proof: ProofState; readonly atS?: number }>;
  /** Rows that no run of ours accounts for. */
  readonly foreign: readonly RemoteRow[];
}

/** How far a row may be from its run, because the two clocks differ, and logs and answers are late. */
const EARLY_S = 10;
const LATE_S = 30;

/**
 * Matches runs and rows one to one by text, order and time. Another program may have sent the same
 * text, so a match is "consistent with the log", no more. `span` is the whole window, rows of players included:
 * only a window that reaches past both ends of a sending can tell that it left no row. Pure.
 */
export function matchRuns(
  runs: readonly SentRun[],
  rows: readonly RemoteRow[],
  span: { readonly oldestS: number; readonly newestS: number } | undefined,
): Matched {
  const free = [...rows].sort((a, b) => a.atS - b.atS);
  const owner = new Map<string, number>();
  for (const run of runs) {
    if (run.seenAtS === undefined) continue;
    const at = free.findIndex((row) => sameText(row, run) && row.atS === run.seenAtS);
    if (at !== -1) free.splice(at, 1);
    owner.set(run.id, run.seenAtS);
  }
  const left: RemoteRow[] = [];
  for (const row of free) {
    const run = earliestDeadline(runs.filter((one) => !owner.has(one.id) && covers(one, row)));
    if (run === undefined) left.push(row);
    else owner.set(run.id, row.atS);
  }
  return conclude({ runs, left, owner, span });
}

interface Assigned {
  readonly runs: readonly SentRun[];
  /** Rows without a run. */
  readonly left: readonly RemoteRow[];
  /** The second of the row of each run that has one. */
  readonly owner: ReadonlyMap<string, number>;
  readonly span: { readonly oldestS: number; readonly newestS: number } | undefined;
}

function conclude({ runs, left, owner, span }: Assigned): Matched {
  const proofs = new Map<string, { readonly proof: ProofState; readonly atS?: number }>();
  for (const run of runs) {
    const atS = owner.get(run.id);
    if (atS !== undefined) proofs.set(run.id, { proof: "seen", atS });
    else if (run.open !== true && span !== undefined && spans(span, run)) {
      proofs.set(run.id, { proof: "not-seen" });
    }
  }
  const foreign: RemoteRow[] = [];
  for (const row of left) {
    const twice = runs.findLast((run) => proofs.get(run.id)?.proof === "seen" && covers(run, row));
    const atS = twice === undefined ? undefined : owner.get(twice.id);
    if (twice === undefined || atS === undefined) foreign.push(row);
    else proofs.set(twice.id, { proof: "seen-twice", atS });
  }
  return { proofs, foreign };
}

function sameText(row: RemoteRow, run: SentRun): boolean {
  return row.text.trim() === run.text.trim();
}

function covers(run: SentRun, row: RemoteRow): boolean {
  return sameText(row, run) && row.atS >= run.sentS - EARLY_S && row.atS <= run.endS + LATE_S;
}

function spans(span: { readonly oldestS: number; readonly newestS: number }, run: SentRun): boolean {
  return span.oldestS < run.sentS - EARLY_S && span.newestS > run.endS + LATE_S;
}

/** Gives a row to the run whose time ends first, which leaves the fewest runs without a row. */
function earliestDeadline(runs: readonly SentRun[]): SentRun | undefined {
  return runs.reduce<SentRun | undefined>(
    (best, run) => (best === undefined || run.endS < best.endS ? run : best),
    undefined,
  );
}
