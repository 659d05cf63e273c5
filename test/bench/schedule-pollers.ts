import { FinerCalls } from "../../src/history/positions/finer-calls.ts";
import { Schedule } from "../../src/watch/schedule/schedule.ts";
import { newSourceStats, type SourceStats, statsAfter } from "../../src/watch/schedule/source-stats.ts";
import { seededRandom } from "../support/clock.ts";
import { BURSTS_PER_S, isOpen, snapshotOf, type WorldServer } from "./schedule-world.ts";

/** Which server is polled at that moment, if any. */
export type Poll = (nowMs: number) => WorldServer | undefined;

/** The project's own schedule, each server a guild's of its own; `followsCalls`: all of them save positions. */
export function bySchedule(servers: readonly WorldServer[], perS: number, followsCalls = false): Poll {
  const random = seededRandom(7);
  let presentMs = 0;
  const finerUntilMs = new Map<string, number>();
  const calls = new FinerCalls({
    clock: { nowMs: () => presentMs, monotonicMs: () => presentMs },
    demands: {
      put: (_, [demand]) => {
        if (demand !== undefined) finerUntilMs.set(demand.source, demand.untilMs ?? 0);
      },
    },
    presentS: () => presentMs / 1_000,
    linksOf: (source) => [{ guildId: source, bindingId: source, linkedAtS: 0 }],
    tracks: () => followsCalls,
    callsOnCards: () => [],
  });
  const schedule = new Schedule();
  const tracks = new Map<string, { readonly server: WorldServer; readonly stats: SourceStats }>();
  const put = (server: WorldServer, stats: SourceStats) => {
    const { source } = server;
    tracks.set(source, { server, stats });
    const finerMs = (finerUntilMs.get(source) ?? 0) > presentMs ? 5_000 : undefined;
    schedule.put({ source, stats, notBeforeMs: 0, finerMs });
  };
  for (const server of servers) put(server, newSourceStats(0, random.next()));
  return (nowMs) => {
    const choice = schedule.next({ nowMs, pollsPerS: perS, peopleShare: 0 });
    const known = choice.kind === "poll" ? tracks.get(choice.source) : undefined;
    if (known === undefined) return undefined;
    presentMs = nowMs;
    const snapshot = snapshotOf(known.server, nowMs);
    calls.take(snapshot);
    put(known.server, statsAfter(known.stats, snapshot, nowMs));
    return known.server;
  };
}

/** One after the other. */
export function byRoundRobin(servers: readonly WorldServer[]): Poll {
  let next = 0;
  return () => servers[next++ % servers.length];
}

/**
 * Knows the rate of every server and how often one fills, but must look to find out who is occupied. It polls where the
 * delay that one poll takes away is the greatest: with entries that come at rate r since age a, r a^2 / 2; where the
 * server was empty, a c(a) - C(a), with c(a) the expected rate times age and C its integral.
 */
export function byInformed(servers: readonly WorldServer[]): Poll {
  const random = seededRandom(11);
  const known = servers.map((server) => ({
    server,
    atMs: -random.next() * 600_000,
    wasOpen: false,
  }));
  const worth = ({ server, atMs, wasOpen }: (typeof known)[number], nowMs: number) => {
    const ageS = (nowMs - atMs) / 1_000;
    if (wasOpen) return (server.ratePerS * ageS * ageS) / 2;
    const h = BURSTS_PER_S;
    const still = Math.exp(-h * ageS);
    const cost = ageS - (1 - still) / h;
    const sum = (ageS * ageS) / 2 - ageS / h + (1 - still) / (h * h);
    return server.ratePerS * (ageS * cost - sum);
  };
  return (nowMs) => {
    let best = known[0];
    let most = Number.NEGATIVE_INFINITY;
    for (const one of known) {
      const its = worth(one, nowMs);
      if (its <= most) continue;
      best = one;
      most = its;
    }
    if (best === undefined) return undefined;
    best.atMs = nowMs;
    best.wasOpen = isOpen(best.server, nowMs);
    return best.server;
  };
}
