import { seededRandom } from "../support/clock.ts";
import { figure } from "./bench.ts";
import { byInformed, byRoundRobin, bySchedule, type Poll } from "./schedule-pollers.ts";
import { makeBursts, makeWorld, upTo, type World } from "./schedule-world.ts";

export const name = "schedule";

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;

interface Delays {
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly over10Min: number;
  readonly entries: number;
  /** Servers that were not asked even once. */
  readonly neverPolled: number;
  /** The longest time between two polls of a server. */
  readonly longestMs: number;
}

interface Run {
  readonly perS: number;
  readonly warmMs: number;
}

/** The real schedule against round robin over the same worlds, and against what could be reached at best. */
export async function run() {
  const lines: string[] = [];
  const figures = { ...zipfWorld(lines), ...overloaded(lines), ...bursts(lines) };
  const ok =
    figures.meanOverOptimum <= 1.25 &&
    figures.meanWithCallsOverOptimum <= 1.25 &&
    figures.meanOverRoundRobin <= 0.3 &&
    figures.p95OverRoundRobin <= 0.45 &&
    figures.unpostedOver10Min === 0 &&
    figures.neverPolled === 0 &&
    figures.meanOverRoundRobinOverloaded <= 1 &&
    figures.p95OverRoundRobinOverloaded <= 1.1 &&
    figures.meanOverInformedBursts <= 1.25 &&
    figures.meanOverRoundRobinBursts <= 0.7;
  return { ok, figures, lines };
}

function zipfWorld(lines: string[]) {
  const world = makeWorld(seededRandom(20260101), 1_000, 3 * HOUR_MS);
  const figures = {
    meanOverOptimum: 0,
    meanOverRoundRobin: 0,
    p95OverRoundRobin: 0,
    unpostedOver10Min: 0,
    meanWithCallsOverOptimum: 0,
  };
  for (const perS of [10, 5]) {
    const how = { perS, warmMs: HOUR_MS };
    const ours = measure(world, bySchedule(world.servers, perS), how);
    const robin = measure(world, byRoundRobin(world.servers), how);
    const { rootSquaredS, entries } = world.roots(HOUR_MS);
    const optimumMs = (1_000 * rootSquaredS) / (2 * perS * entries);
    figures.unpostedOver10Min += ours.over10Min;
    lines.push(
      `1,000 servers, ${perS} polls/s, ${ours.entries} entries: mean ${s(ours.meanMs)} (round robin ` +
        `${s(robin.meanMs)}, optimum ${s(optimumMs)}), p95 ${s(ours.p95Ms)} (${s(robin.p95Ms)}), later than 10 min ` +
        `${ours.over10Min} (${robin.over10Min}), longest away ${s(ours.longestMs)}`,
    );
    if (perS !== 10) continue;
    const calls = measure(world, bySchedule(world.servers, perS, true), how);
    lines.push(
      `the same where each server is looked at more often while a call is open: mean ${s(calls.meanMs)}, p95 ` +
        `${s(calls.p95Ms)}, later than 10 min ${calls.over10Min}, longest away ${s(calls.longestMs)}`,
    );
    figures.meanWithCallsOverOptimum = figure(calls.meanMs / optimumMs);
    figures.meanOverOptimum = figure(ours.meanMs / optimumMs);
    figures.meanOverRoundRobin = figure(ours.meanMs / robin.meanMs);
    figures.p95OverRoundRobin = figure(ours.p95Ms / robin.p95Ms);
  }
  return figures;
}

/** More servers than can be polled in ten minutes. */
function overloaded(lines: string[]) {
  const world = makeWorld(seededRandom(20260102), 10_000, 1.5 * HOUR_MS);
  const how = { perS: 10, warmMs: HOUR_MS / 2 };
  const ours = measure(world, bySchedule(world.servers, how.perS), how);
  const robin = measure(world, byRoundRobin(world.servers), how);
  lines.push(
    `10,000 servers, 10 polls/s, ${ours.entries} entries: mean ${s(ours.meanMs)} (round robin ${s(robin.meanMs)}), ` +
      `p95 ${s(ours.p95Ms)} (${s(robin.p95Ms)}), never polled ${ours.neverPolled}, longest away ${s(ours.longestMs)}`,
  );
  return {
    neverPolled: ours.neverPolled,
    meanOverRoundRobinOverloaded: figure(ours.meanMs / robin.meanMs),
    p95OverRoundRobinOverloaded: figure(ours.p95Ms / robin.p95Ms),
  };
}

/** Servers that fill from empty; the figures are those of the worse of two worlds. */
function bursts(lines: string[]) {
  const figures = { meanOverInformedBursts: 0, meanOverRoundRobinBursts: 0 };
  for (const zipfian of [true, false]) {
    const world = makeBursts(seededRandom(20260103), 1_000, 4.5 * HOUR_MS, zipfian);
    const how = { perS: 10, warmMs: 2.25 * HOUR_MS };
    const ours = measure(world, bySchedule(world.servers, how.perS), how);
    const robin = measure(world, byRoundRobin(world.servers), how);
    const informed = measure(world, byInformed(world.servers), how);
    lines.push(
      `bursts, ${zipfian ? "rates by Zipf" : "equal rates"}, 10 polls/s, ${ours.entries} entries: mean ` +
        `${s(ours.meanMs)} (round robin ${s(robin.meanMs)}, informed ${s(informed.meanMs)}), p95 ${s(ours.p95Ms)} ` +
        `(${s(robin.p95Ms)}, ${s(informed.p95Ms)}), longest away ${s(ours.longestMs)}`,
    );
    const overInformed = figure(ours.meanMs / informed.meanMs);
    const overRobin = figure(ours.meanMs / robin.meanMs);
    figures.meanOverInformedBursts = Math.max(figures.meanOverInformedBursts, overInformed);
    figures.meanOverRoundRobinBursts = Math.max(figures.meanOverRoundRobinBursts, overRobin);
  }
  return figures;
}

/** Polls at a steady rate; delays of all entries that happened after the warm-up, unseen ones counted to the end. */
export function measure({ servers, endMs }: Omit<World, "roots">, poll: Poll, { perS, warmMs }: Run): Delays {
  const seen = new Map<string, number>();
  const polledMs = new Map<string, number>();
  const delays: number[] = [];
  let longestMs = 0;
  const note = ({ source, events }: World["servers"][number], nowMs: number) => {
    const to = upTo(events, nowMs);
    for (let index = seen.get(source) ?? 0; index < to; index++) {
      const atMs = events[index]?.atMs ?? 0;
      if (atMs >= warmMs) delays.push(nowMs - atMs);
    }
    seen.set(source, to);
    if (nowMs >= warmMs) longestMs = Math.max(longestMs, nowMs - (polledMs.get(source) ?? 0));
  };
  for (let nowMs = 0; nowMs < endMs; nowMs += 1_000 / perS) {
    const server = poll(nowMs);
    if (server === undefined) continue;
    note(server, nowMs);
    polledMs.set(server.source, nowMs);
  }
  for (const server of servers) note(server, endMs);
  delays.sort((a, b) => a - b);
  return {
    meanMs: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    p95Ms: delays[Math.floor(delays.length * 0.95)] ?? 0,
    over10Min: delays.filter((delay) => delay > TEN_MINUTES_MS).length,
    entries: delays.length,
    neverPolled: servers.length - polledMs.size,
    longestMs,
  };
}

function s(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
