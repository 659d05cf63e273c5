import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Why } from "../../../src/watch/schedule/poll-shares.ts";
import { Schedule } from "../../../src/watch/schedule/schedule.ts";
import { newSourceStats } from "../../../src/watch/schedule/source-stats.ts";
import { seededRandom } from "../../support/clock.ts";
import { id } from "../watch-rig.ts";

interface Server {
  readonly source: SourceId;
  readonly guildId: string;
  readonly weighedPerS: number;
  readonly occupied: boolean;
}

interface World {
  readonly servers: readonly Server[];
  readonly perS: number;
}

interface Poll {
  readonly source: SourceId;
  readonly atMs: number;
  readonly why: Why;
}

const MINUTE_MS = 60_000;
const FROM_MS = 30 * MINUTE_MS;
const UNTIL_MS = 40 * MINUTE_MS;
const END_MS = 60 * MINUTE_MS;

/** Guilds with one to three servers, a few of them empty, whose logs are fast and slow as those of real ones are. */
function worldOf(seed: number): World {
  const random = seededRandom(seed);
  const guilds = 15 + Math.floor(random.next() * 60);
  const servers = Array.from({ length: guilds }, (_, guild) =>
    Array.from({ length: 1 + Math.floor(random.next() ** 3 * 3) }, (_, server) => ({
      source: id(`s${guild}-${server}`),
      guildId: `g${guild}`,
      weighedPerS: 0.5 / (1 + Math.floor(random.next() * guilds)),
      occupied: server === 0 || random.next() < 0.5,
    })),
  ).flat();
  return { servers, perS: 2 + random.next() * 8 };
}

/** All polls of an hour; from the 30th minute to the 40th these servers are to be looked at every five seconds. */
function polled({ servers, perS }: World, wanted: readonly SourceId[] = []): readonly Poll[] {
  const schedule = new Schedule();
  const bySource = new Map(servers.map((server) => [server.source, server]));
  const random = seededRandom(9);
  const stats = new Map(servers.map(({ source }) => [source, newSourceStats(0, random.next())]));
  let isOn = false;
  const put = (source: SourceId) => {
    const its = stats.get(source);
    const guildId = bySource.get(source)?.guildId;
    const finerMs = isOn && wanted.includes(source) ? 5_000 : undefined;
    if (its !== undefined) schedule.put({ source, guildId, stats: its, notBeforeMs: 0, finerMs });
  };
  for (const { source } of servers) put(source);
  const polls: Poll[] = [];
  for (let nowMs = 0; nowMs < END_MS; nowMs += 1_000 / perS) {
    if (isOn !== (nowMs >= FROM_MS && nowMs < UNTIL_MS)) {
      isOn = !isOn;
      for (const source of wanted) put(source);
    }
    const choice = schedule.next({ nowMs, pollsPerS: perS, peopleShare: 0 });
    if (choice.kind === "wait") continue;
    polls.push({ source: choice.source, atMs: nowMs, why: choice.why });
    const { weighedPerS = 0, occupied = true } = bySource.get(choice.source) ?? {};
    stats.set(choice.source, { ...newSourceStats(nowMs, 0), polled: true, occupied, weighedPerS });
    put(choice.source);
  }
  return polls;
}

/**
 * The least part that a guild has of what it is due: what it had without that, or an even share where it had more. The
 * same of each server that does not ask, of a guild that asks and had no more than its even share.
 */
function leastOfDue(
  world: World,
  without: readonly Poll[],
  beside: readonly Poll[],
  wanted: readonly SourceId[],
) {
  const guilds = new Map(world.servers.map(({ source, guildId }) => [source, guildId]));
  const guildOf = (source: SourceId) => guilds.get(source) ?? "";
  const occupied = new Set(world.servers.filter((server) => server.occupied).map(({ source }) => source));
  const isLater = ({ atMs }: Poll) => atMs >= FROM_MS;
  const [had, has] = [without.filter(isLater), beside.filter(isLater)];
  const even = had.filter(({ source }) => occupied.has(source)).length / new Set(guilds.values()).size;
  const guildsHad = countBy(had, guildOf);
  const asking = new Set(wanted.map(guildOf));
  const neighbourOf = (source: SourceId) => {
    const isPaying = (guildsHad.get(guildOf(source)) ?? 0) > even;
    return wanted.includes(source) || !asking.has(guildOf(source)) || isPaying ? undefined : source;
  };
  // Half an hour ends between two polls: two more or less are no difference.
  const parts = [guildOf, neighbourOf].flatMap((keyOf) => {
    const after = countBy(has, keyOf);
    return [...countBy(had, keyOf)].map(
      ([key, count]) => ((after.get(key) ?? 0) + 2) / Math.min(count, even),
    );
  });
  return Math.min(...parts);
}

function countBy(polls: readonly Poll[], keyOf: (source: SourceId) => string | undefined) {
  const counts = new Map<string, number>();
  for (const { source } of polls) {
    const key = keyOf(source);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Those with the slowest logs, each the only server of its guild. */
function quietest({ servers }: World, count: number): readonly SourceId[] {
  return servers
    .filter(({ guildId }) => servers.filter((other) => other.guildId === guildId).length === 1)
    .sort((a, b) => a.weighedPerS - b.weighedPerS)
    .slice(0, count)
    .map(({ source }) => source);
}

describe("looks that are closer together for a while", () => {
  test("leave every other guild what it had, or an even share where it had more, and its own servers theirs", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const world = worldOf(seed);
      const without = polled(world);
      const flood = world.servers.filter((_, index) => index % 2 === 0).map(({ source }) => source);
      for (const wanted of [quietest(world, 1), flood]) {
        const least = leastOfDue(world, without, polled(world, wanted), wanted);
        assert.ok(least >= 0.97, `${least} of what it is due, ${wanted.length} servers asking, seed ${seed}`);
      }
    }
  });

  test("come more than twice as often from the call on, and as before when the time is over", () => {
    const world = worldOf(5);
    const wanted = quietest(world, 1);
    const polls = polled(world, wanted);
    const looks = (fromMs: number) =>
      polls.filter(
        ({ source, atMs }) => source === wanted[0] && atMs >= fromMs && atMs < fromMs + 10 * MINUTE_MS,
      ).length;
    const before = looks(FROM_MS - 10 * MINUTE_MS);
    assert.ok(looks(FROM_MS) > 2 * before, `${looks(FROM_MS)} looks in ten minutes after ${before}`);
    assert.ok(Math.abs(looks(UNTIL_MS) - before) <= 2, `${looks(UNTIL_MS)} looks when it is over`);
    const atMs = polls.filter((poll) => poll.source === wanted[0]).map((poll) => poll.atMs);
    const between = atMs.flatMap((ms, index) => {
      const lastMs = atMs[index - 1];
      return lastMs !== undefined && lastMs >= FROM_MS && ms < UNTIL_MS ? [ms - lastMs] : [];
    });
    assert.ok(
      Math.max(...between.slice(0, 10)) <= 10_000,
      `${between.slice(0, 10)} ms between the first looks`,
    );
    assert.ok(
      Math.max(...between) <= 25_000,
      "what is left is made to last: no gap of 32 s, as before, follows",
    );
  });

  test("take a twentieth of the polls at most, however many servers ask", () => {
    const world = worldOf(2);
    const all = world.servers.map(({ source }) => source);
    const polls = polled(world, all).filter(({ atMs }) => atMs >= FROM_MS && atMs < UNTIL_MS);
    const share = polls.filter(({ why }) => why === "finer").length / polls.length;
    assert.ok(share > 0 && share <= 0.051, `${share} of the polls`);
  });

  test("are for a server with players", () => {
    const { servers, perS } = worldOf(5);
    const wanted = quietest({ servers, perS }, 1);
    const world = {
      perS,
      servers: servers.map((server) =>
        server.source === wanted[0] ? { ...server, occupied: false } : server,
      ),
    };
    assert.deepEqual(
      polled(world, wanted).filter(({ why }) => why === "finer"),
      [],
    );
  });
});
