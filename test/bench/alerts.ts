import { answersWhilePictures } from "./alerts-pictures.ts";
import { measurePosting } from "./alerts-posted.ts";
import { sendRows } from "./alerts-rows.ts";
import { type BenchResult, figure, quantile } from "./bench.ts";

export const name = "alerts";

/** ALERT_ROWS=100000 for a look while something is changed; the figure is of a million. */
const ROWS = Number(process.env.ALERT_ROWS ?? 1_000_000);
const BOUNDS = { usPerRow: 5, postedWithinS: 2 } as const;

/** One part of the bench: its figures, whether they are reached, and what was measured in words. */
type Part = Pick<BenchResult, "ok" | "figures" | "lines">;

/** Each part by itself; their figures stand together. */
const PARTS: readonly (() => Promise<Part>)[] = [rowsThroughAlerts, postedAfterItsPoll, answersWhilePictures];

export async function run(): Promise<BenchResult> {
  const parts: Part[] = [];
  for (const part of PARTS) parts.push(await part());
  return {
    ok: parts.every(({ ok }) => ok),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    lines: parts.flatMap(({ lines }) => lines),
  };
}

/** Rows of busy servers through alerts of every kind. */
async function rowsThroughAlerts(): Promise<Part> {
  const { rows, usPerRow, messages, edits } = await sendRows(ROWS);
  return {
    ok: usPerRow <= BOUNDS.usPerRow,
    figures: { rows, usPerRow: figure(usPerRow, 2) },
    lines: [
      `${rows} rows through alerts of every kind on 20 servers: ${figure(usPerRow, 2)} us a row, with what is written ` +
        `and posted because of them (${messages} messages, ${edits} edits); at most ${BOUNDS.usPerRow}`,
    ],
  };
}

/** From the answer that shows a spree to its message. */
async function postedAfterItsPoll(): Promise<Part> {
  const { sprees, seconds } = await measurePosting();
  const postedWithinS = figure(Math.max(...seconds), 3);
  return {
    ok: postedWithinS <= BOUNDS.postedWithinS,
    figures: { postedWithinS },
    lines: [
      `${sprees} kill sprees: the alert stood in its channel after ${figure(quantile(seconds, 0.5), 3)} s (median), ` +
        `${postedWithinS} s at most, from the answer that showed it; at most ${BOUNDS.postedWithinS} s`,
    ],
  };
}
