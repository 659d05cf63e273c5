import type { ListName, Snapshot } from "../domain/model.ts";

/** What the schedule knows of one list of a source: how fast it grows and how long it gets. */
interface Growth {
  /** Second of the newest row (or the newest call's start) that was seen. */
  readonly newestS: number;
  /** The longest window seen, in rows. */
  readonly longest: number;
  /** New rows and seconds with players, both fading over half an hour. */
  readonly rows: number;
  readonly seconds: number;
  /** New rows a second over the latest poll alone: a spree shows here first. */
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
  /** Sum over the lists of weight x rate, mod and emergency calls weighing 10. */
  readonly weighedPerS: number;
  /** How much watching with players that rate stands on, seconds. */
  readonly occupiedS: number;
  /** How fast the fullest log goes towards half the longest window seen; 1 / this is how long we may look away. */
  readonly lossPerS: number;
}

const FADE_S = 2_700;
const CALL_WEIGHT = 10;
/** First ages are spread over this long, so that a restart does not poll in step. */
const FIRST_AGE_MS = 600_000;
/** Until rates are known: each player does something once in ten minutes, believed like one minute of watching. */
const PRIOR_PER_PLAYER_S = 1 / 600;
const PRIOR_S = 60;
/** A log is not trusted to be shorter than this before it is full. */
const SHORTEST_LOG = 30;

const weights: { readonly [L in Growing]: number } = {
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
 * The track after an answer that was asked for at `askedMs`, monotonic milliseconds. Rates count only time with players:
 * an empty night does not slow the evening.
 */
export function observed(track: SourceStats, snapshot: Snapshot, askedMs: number): SourceStats {
  const sinceS = track.polled ? Math.max(0, (askedMs - track.polledAtMs) / 1_000) : 0;
  const { currentPlayers } = snapshot.status;
  const occupiedS = track.occupied || currentPlayers > 0 ? sinceS : 0;
  const growth: { [L in Growing]?: Growth } = {};
  let weighedPerS = 0;
  let lossPerS = 0;
  for (const list of Object.keys(weights) as Growing[]) {
    const times = timesOf(snapshot, list);
    const before = track.growth[list];
    const after = times === undefined ? before : grown(before, times, snapshot, occupiedS);
    if (after === undefined) continue;
    growth[list] = after;
    weighedPerS += weights[list] * perS(after, currentPlayers);
    if (list !== "emergencyCalls") lossPerS = Math.max(lossPerS, lossRate(after));
  }
  const occupied = currentPlayers > 0;
  const watchedS = Math.max(0, ...Object.values(growth).map(({ seconds }) => seconds));
  return { polledAtMs: askedMs, polled: true, occupied, growth, weighedPerS, occupiedS: watchedS, lossPerS };
}

function lossRate(growth: Growth): number {
  const rate = Math.max(perS(growth, 0), growth.latestPerS);
  return rate / (Math.max(growth.longest, SHORTEST_LOG) / 2);
}

function timesOf(snapshot: Snapshot, list: ListName & Growing): readonly number[] | undefined {
  if (list === "emergencyCalls") return snapshot.lists.emergencyCalls?.map((call) => call.startedAtS);
  return snapshot.lists[list]?.map((row) => row.atS);
}

/**
 * The first window says nothing of how fast the log has grown on the whole, but a long one that spans a short time
 * is about to lose rows: after a restart of ours a busy server is read again before that, not when its turn comes.
 */
function firstSeen(times: readonly number[], { askedAtMs }: Snapshot): Growth {
  const newestS = newestOf(times, 0);
  const oldestS = times.reduce((oldest, atS) => Math.min(oldest, atS), newestS);
  const spanS = Math.max(newestS, askedAtMs / 1_000) - oldestS;
  const latestPerS = times.length < SHORTEST_LOG ? 0 : times.length / Math.max(spanS, 5);
  return { newestS, longest: times.length, rows: 0, seconds: 0, latestPerS };
}

function newestOf(times: readonly number[], knownS: number): number {
  return times.reduce((newest, atS) => Math.max(newest, atS), knownS);
}

function grown(
  before: Growth | undefined,
  times: readonly number[],
  snapshot: Snapshot,
  occupiedS: number,
): Growth {
  if (before === undefined) return firstSeen(times, snapshot);
  const newestS = newestOf(times, before.newestS);
  const rows = times.filter((atS) => atS > before.newestS).length;
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
  return (growth.rows + players * PRIOR_PER_PLAYER_S * PRIOR_S) / (growth.seconds + PRIOR_S);
}
