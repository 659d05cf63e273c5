import type { SourceId } from "../domain/model.ts";
import type { SourceStats } from "./source-stats.ts";

/** A source that could be polled now or later. */
export interface Candidate {
  readonly source: SourceId;
  readonly track: SourceStats;
  /** The tightest demand on it. */
  readonly maxAgeMs: number;
  /** Backing off after a failure until then, epoch milliseconds; 0 when it is not. */
  readonly notBeforeMs: number;
}

/** What is left of one choice for the next: how much the empty servers are owed, in polls. */
export interface EmptyDebt {
  readonly owedToEmpty: number;
}

export type Choice =
  | { readonly kind: "poll"; readonly source: SourceId; readonly why: Why; readonly lanes: EmptyDebt }
  /** Nothing may be polled before that; undefined: nothing is there at all. */
  | { readonly kind: "wait"; readonly untilMs: number | undefined };

export type Why = "loss" | "overdue" | "busy" | "empty";

/** The service counts in seconds: asking one server more often than this shows nothing sooner. */
const MIN_INTERVAL_MS = 1_000;
const MIN_EMPTY_INTERVAL_MS = 5_000;
/** More is not saved up: after a time without empty servers they get no burst. */
const MOST_OWED = 2;
/** What an occupied server is at least taken to bring. */
const QUIET_PER_S = 1 / 600;

/**
 * Which source to poll next (design 5, Schedule). Pure: the same arguments give the same choice.
 * `pollsPerS` is what the gate let through lately: on a small budget more of it goes to empty servers, because
 * there a round of them takes so long that nobody would notice their first player.
 */
export function choose(
  candidates: Iterable<Candidate>,
  lanes: EmptyDebt,
  pollsPerS: number,
  nowMs: number,
): Choice {
  const best: {
    [W in Why]?: { readonly source: SourceId; readonly score: number; readonly empty: boolean };
  } = {};
  let untilMs: number | undefined;
  for (const candidate of candidates) {
    const { source, track } = candidate;
    const readyMs = readyAtMs(candidate);
    if (readyMs > nowMs) {
      untilMs = Math.min(untilMs ?? readyMs, readyMs);
      continue;
    }
    const { why, score } = rank(candidate, nowMs);
    if (score > (best[why]?.score ?? Number.NEGATIVE_INFINITY)) {
      best[why] = { source, score, empty: !track.occupied };
    }
  }
  const owed = Math.min(MOST_OWED, lanes.owedToEmpty + emptyShare(pollsPerS));
  const emptyFirst = best.busy === undefined || (best.empty !== undefined && owed >= 1);
  const lane = emptyFirst ? "empty" : "busy";
  const why = best.loss !== undefined ? "loss" : best.overdue !== undefined ? "overdue" : lane;
  const chosen = best[why];
  if (chosen === undefined) return { kind: "wait", untilMs };
  const owedToEmpty = chosen.empty ? Math.max(0, owed - 1) : owed;
  return { kind: "poll", source: chosen.source, why, lanes: { owedToEmpty } };
}

/** 15 % of a budget of ten polls a second and more, 30 % of five and less. */
export function emptyShare(pollsPerS: number): number {
  return Math.min(0.3, Math.max(0.15, 0.45 - 0.03 * pollsPerS));
}

function readyAtMs({ track, maxAgeMs, notBeforeMs }: Candidate): number {
  if (!track.polled) return notBeforeMs;
  const intervalMs = track.occupied ? MIN_INTERVAL_MS : MIN_EMPTY_INTERVAL_MS;
  return Math.max(notBeforeMs, track.polledAtMs + Math.min(intervalMs, maxAgeMs));
}

function rank({ track, maxAgeMs }: Candidate, nowMs: number): { readonly why: Why; readonly score: number } {
  const ageMs = nowMs - track.polledAtMs;
  if (track.occupied) {
    const risk = (track.lossPerS * ageMs) / 1_000;
    if (risk >= 1) return { why: "loss", score: risk };
  }
  if (track.polled && ageMs > maxAgeMs) return { why: "overdue", score: ageMs / maxAgeMs };
  if (!track.occupied) return { why: "empty", score: ageMs };
  const ageS = ageMs / 1_000;
  // Polling at intervals that go with 1/sqrt(rate) has the least mean delay; this index leads there for any budget.
  return { why: "busy", score: Math.max(track.weighedPerS, QUIET_PER_S) * ageS * ageS };
}
