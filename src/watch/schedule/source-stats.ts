import type { ListName, Snapshot } from "../../domain/model.ts";

/** What the schedule knows of one list of a source: how fast it grows and how long it gets. */
interface Growth {
  /** Second of the newest row seen; for calls, of the newest start. */
  readonly newestS: number;
  /** The longest window seen, in rows. */
  readonly longest: number;
  /** New rows and seconds with players, both fading over half an hour. */
  readonly rows: number;
  readonly seconds: number;
  /** New rows a second since the poll before the latest: a spree shows here first. */
  readonly latestPerS: number;
}

type Growing = "joinLogs" | "killLogs" | "commandLogs" | "modCalls" | "emergencyCalls";

/** What the schedule remembers of a source between polls. Rates are entries a second. */
export interface SourceStats {
  /** When the latest answer was asked for, monotonic milliseconds; before the first poll a moment drawn at random. */
  readonly polledAtMs: number;
  readonly polled: boolean;
  /** Players were there at the latest poll; unknown counts as occupied. */
  readonly occupied: boolean;
  readonly growth: { readonly [L in Growing]?: Growth };
  /** Sum over the lists of weight x rate; mod and emergency calls weigh 10. */
  readonly weighedPerS: number;
  /** Seconds with players on which that rate is based. */
  readonly occupiedS: number;
  /** How much of half the longest window seen the fullest log grows in a second; 1 / this is a safe time to wait. */
  readonly lossPerS: number;
}

const FADE_S = 2_700;
const CALL_WEIGHT = 10;
/** First ages are spread over this time, so that sources are not polled in step after a restart. */
const FIRST_AGE_MS = 600_000;
/** The rate assumed at first: each player makes a row in ten minutes. It counts like one minute of watching. */
const PRIOR_PER_PLAYER_S = 1 / 600;
const PRIOR_WATCH_S = 60;
/** Logs are assumed to hold at least this many rows. */
const SHORTEST_LOG_ROWS = 30;

const LIST_WEIGHTS: { readonly [L in Growing]: number } = {
  joinLogs: 1,
  killLogs: 1,
  commandLogs: 1,
  modCalls: CALL_WEIGHT,
  emergencyCalls: CALL_WEIGHT,
};

/** A source that was never polled; `draw` in [0, 1). */
export function newSourceStats(nowMs: number, draw: number): SourceStats {
  const polledAtMs = nowMs - draw * FIRST_AGE_MS;
  return { polledAtMs, polled: false, occupied: true, growth: {}, weighedPerS: 0, occupiedS: 0, lossPerS: 0 };
}

/**
 * The statistics after an answer that was asked for at `askedMs`, monotonic milliseconds. Rates count only time with
 * players, so that an empty night does not slow the evening.
 */
export function statsAfter(known: SourceStats, snapshot: Snapshot, askedMs: number): SourceStats {
  const sinceS = known.polled ? Math.max(0, (askedMs - known.polledAtMs) / 1_000) : 0;
  const { currentPlayers } = snapshot.status;
  const occupiedS = known.occupied || currentPlayers > 0 ? sinceS : 0;
  const growth: { [L in Growing]?: Growth } = {};
  let weighedPerS = 0;
  let lossPerS = 0;
  for (const list of Object.keys(LIST_WEIGHTS) as Growing[]) {
    const times = timesOf(snapshot, list);
    const before = known.growth[list];
    let after = before;
    if (times !== undefined) {
      after = before === undefined ? firstSeen(times, snapshot) : grown(before, times, occupiedS);
    }
    if (after === undefined) continue;
    growth[list] = after;
    weighedPerS += LIST_WEIGHTS[list] * perS(after, currentPlayers);
    if (list !== "emergencyCalls") lossPerS = Math.max(lossPerS, lossRate(after));
  }
  const occupied = currentPlayers > 0;
  const watchedS = Math.max(0, ...Object.values(growth).map(({ seconds }) => seconds));
  return { polledAtMs: askedMs, polled: true, occupied, growth, weighedPerS, occupiedS: watchedS, lossPerS };
}

function lossRate(growth: Growth): number {
  const rate = Math.max(perS(growth, 0), growth.latestPerS);
  return rate / (Math.max(growth.longest, SHORTEST_LOG_ROWS) / 2);
}

function timesOf(snapshot: Snapshot, list: ListName & Growing): readonly number[] | undefined {
  if (list === "emergencyCalls") return snapshot.lists.emergencyCalls?.map((call) => call.startedAtS);
  return snapshot.lists[list]?.map((row) => row.atS);
}

/**
 * The first window does not say how fast the log grows on the whole. But a long window that spans a short time is about
 * to lose rows, so after a restart a busy server is read again before that.
 */
function firstSeen(times: readonly number[], { askedAtMs }: Snapshot): Growth {
  const newestS = newestOf(times, 0);
  const oldestS = times.reduce((oldest, atS) => Math.min(oldest, atS), newestS);
  const spanS = Math.max(newestS, askedAtMs / 1_000) - oldestS;
  const latestPerS = times.length < SHORTEST_LOG_ROWS ? 0 : times.length / Math.max(spanS, 5);
  return { newestS, longest: times.length, rows: 0, seconds: 0, latestPerS };
}

function newestOf(times: readonly number[], knownS: number): number {
  return times.reduce((newest, atS) => Math.max(newest, atS), knownS);
}

function grown(before: Growth, times: readonly number[], sinceS: number): Growth {
  const newestS = newestOf(times, before.newestS);
  const rows = times.filter((atS) => atS > before.newestS).length;
  // A log that is new from end to end has lost rows: it tells of the time that it spans, not of all since the last poll.
  const isOverrun = rows === times.length && rows >= SHORTEST_LOG_ROWS;
  const occupiedS = isOverrun ? Math.min(sinceS, newestS - Math.min(...times) + 1) : sinceS;
  const kept = Math.exp(-occupiedS / FADE_S);
  return {
    newestS,
    longest: Math.max(before.longest, times.length),
    rows: before.rows * kept + rows,
    seconds: before.seconds * kept + occupiedS,
    latestPerS: rows / Math.max(occupiedS, 5),
  };
}

function perS(growth: Growth, players: number): number {
  return (growth.rows + players * PRIOR_PER_PLAYER_S * PRIOR_WATCH_S) / (growth.seconds + PRIOR_WATCH_S);
}
