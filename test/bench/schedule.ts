import { type Candidate, choose, type EmptyDebt } from "../../src/watch/schedule.ts";
import { newSourceStats, observed } from "../../src/watch/source-stats.ts";
import { seededRandom } from "../support/clock.ts";
import { makeWorld, snapshotOf, upTo, type World, type WorldServer } from "./schedule-world.ts";

export const name = "schedule";

const HOURS = 3;
const WARM_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;

interface Delays {
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly over10Min: number;
  readonly entries: number;
}

/** The real schedule against round robin over the same world, and both against the optimum (design 9). */
export async function run() {
  const world = makeWorld(seededRandom(20260101), HOURS);
  const lines: string[] = [];
  const figures = { meanOverOptimum: 0, meanOverRoundRobin: 0, p95OverRoundRobin: 0, unpostedOver10Min: 0 };
  for (const perS of [10, 5]) {
    const ours = measure(world, bySchedule(world, perS), perS);
    const robin = measure(world, byRoundRobin(world), perS);
    const { rootSquaredS, entries } = world.roots(WARM_MS);
    const optimumMs = (1_000 * rootSquaredS) / (2 * perS * entries);
    figures.unpostedOver10Min += ours.over10Min;
    lines.push(
      `${perS} polls/s, ${ours.entries} entries: mean ${s(ours.meanMs)} (round robin ${s(robin.meanMs)}, ` +
        `optimum ${s(optimumMs)}), p95 ${s(ours.p95Ms)} (${s(robin.p95Ms)}), later than 10 min ` +
        `${ours.over10Min} (${robin.over10Min})`,
    );
    if (perS !== 10) continue;
    figures.meanOverOptimum = round(ours.meanMs / optimumMs);
    figures.meanOverRoundRobin = round(ours.meanMs / robin.meanMs);
    figures.p95OverRoundRobin = round(ours.p95Ms / robin.p95Ms);
  }
  const ok =
    figures.meanOverOptimum <= 1.35 &&
    figures.meanOverRoundRobin <= 0.4 &&
    figures.p95OverRoundRobin <= 0.5 &&
    figures.unpostedOver10Min === 0;
  return { ok, figures, lines };
}

type Poll = (nowMs: number) => WorldServer | undefined;

function bySchedule(world: World, perS: number): Poll {
  const random = seededRandom(7);
  const candidates = new Map<string, Candidate & { readonly server: WorldServer }>();
  for (const server of world.servers) {
    const track = newSourceStats(0, random.next());
    candidates.set(server.source, {
      server,
      source: server.source,
      track,
      maxAgeMs: TEN_MINUTES_MS,
      notBeforeMs: 0,
    });
  }
  let lanes: EmptyDebt = { owedToEmpty: 0 };
  return (nowMs) => {
    const choice = choose(candidates.values(), lanes, perS, nowMs);
    if (choice.kind === "wait") return undefined;
    lanes = choice.lanes;
    const chosen = candidates.get(choice.source);
    if (chosen === undefined) return undefined;
    const track = observed(chosen.track, snapshotOf(chosen.server, nowMs));
    candidates.set(choice.source, { ...chosen, track });
    return chosen.server;
  };
}

function byRoundRobin(world: World): Poll {
  let next = 0;
  return () => world.servers[next++ % world.servers.length];
}

/** Polls at a steady rate; delays of all entries that happened after the warm-up, unseen ones counted to the end. */
function measure(world: World, poll: Poll, perS: number): Delays {
  const seen = new Map<string, number>();
  const delays: number[] = [];
  const note = (server: WorldServer, nowMs: number) => {
    const from = seen.get(server.source) ?? 0;
    const to = upTo(server.events, nowMs);
    for (const { atMs } of server.events.slice(from, to)) if (atMs >= WARM_MS) delays.push(nowMs - atMs);
    seen.set(server.source, to);
  };
  for (let nowMs = 0; nowMs < world.endMs; nowMs += 1_000 / perS) {
    const server = poll(nowMs);
    if (server !== undefined) note(server, nowMs);
  }
  for (const server of world.servers) note(server, world.endMs);
  delays.sort((a, b) => a - b);
  return {
    meanMs: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    p95Ms: delays[Math.floor(delays.length * 0.95)] ?? 0,
    over10Min: delays.filter((delay) => delay > TEN_MINUTES_MS).length,
    entries: delays.length,
  };
}

function s(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
