import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JoinEntry, Snapshot, SourceId } from "../../../src/domain/model.ts";
import { LatestSnapshots } from "../../../src/watch/latest-snapshots.ts";
import { leastEmptyShare, type Why } from "../../../src/watch/schedule/poll-shares.ts";
import { Schedule } from "../../../src/watch/schedule/schedule.ts";
import type { Candidate } from "../../../src/watch/schedule/schedule-entry.ts";
import { newSourceStats, type SourceStats, statsAfter } from "../../../src/watch/schedule/source-stats.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { serverStatus } from "../../support/server-status.ts";
import { GateClient, id } from "../watch-rig.ts";

const NOW = 10_000_000;

function stats(more: Partial<SourceStats> & { readonly ageS: number }): SourceStats {
  const { ageS, ...rest } = more;
  const base = { ...newSourceStats(NOW, 0), polled: true, occupied: true, polledAtMs: NOW - ageS * 1_000 };
  return { ...base, ...rest };
}

function candidate(source: string, its: SourceStats, more: Partial<Candidate> = {}): Candidate {
  return { source: id(source), stats: its, notBeforeMs: 0, ...more };
}

/** What is chosen first among servers of a guild that was just polled, after enough polls for every share to be owed. */
function chosen(candidates: readonly Candidate[]): string {
  const schedule = new Schedule();
  const idle = candidate("idle", stats({ ageS: 0.001 }), { notBeforeMs: NOW - 100_000 });
  for (let polls = 0; polls < 20; polls++) {
    schedule.put({ ...idle, stats: { ...idle.stats, polledAtMs: NOW - 100_000 } });
    schedule.next({ nowMs: NOW - 50_000, pollsPerS: 10, peopleShare: 0 });
  }
  schedule.remove(id("idle"));
  for (const one of [candidate("peer", stats({ ageS: 0 }), { notBeforeMs: NOW + 600_000 }), ...candidates])
    schedule.put({ guildId: "g", ...one });
  const choice = schedule.next({ nowMs: NOW, pollsPerS: 10, peopleShare: 0 });
  return choice.kind === "poll" ? `${choice.source} ${choice.why}` : `wait ${(choice.untilMs ?? NaN) - NOW}`;
}

describe("schedule: the choice", () => {
  test("weighs rate by the square of the age", () => {
    const busy = candidate("busy", stats({ ageS: 5, weighedPerS: 1 }));
    const calm = candidate("calm", stats({ ageS: 20, weighedPerS: 0.05 }));
    assert.equal(chosen([calm, busy]), "busy busy");
    assert.equal(chosen([candidate("calm", stats({ ageS: 23, weighedPerS: 0.05 })), busy]), "calm busy");
  });

  test("takes an occupied server for one that brings something in ten minutes at least", () => {
    const quiet = candidate("quiet", stats({ ageS: 100, weighedPerS: 0 }));
    assert.equal(chosen([quiet, candidate("busy", stats({ ageS: 4, weighedPerS: 1 }))]), "quiet busy");
  });

  test("puts the bound first, then loss, then demands past their age", () => {
    const busy = candidate("busy", stats({ ageS: 60, weighedPerS: 3 }));
    const overdue = candidate("overdue", stats({ ageS: 31, weighedPerS: 0 }), { maxAgeMs: 30_000 });
    const losing = candidate("losing", stats({ ageS: 10, weighedPerS: 1, lossPerS: 0.11 }));
    const old = candidate("old", stats({ ageS: 560, occupied: false }));
    assert.equal(chosen([busy, overdue, losing, old]), "old bound");
    assert.equal(chosen([busy, overdue, losing]), "losing loss");
    assert.equal(chosen([busy, overdue]), "overdue overdue");
    assert.equal(chosen([busy]), "busy busy");
  });

  test("puts a guild that got less than its even share before those with faster logs", () => {
    const guilds = { calm: "g1", busy: "g2" };
    const calm = candidate("calm", stats({ ageS: 5, weighedPerS: 0.01 }), { guildId: guilds.calm });
    const busy = candidate("busy", stats({ ageS: 4, weighedPerS: 4 }), { guildId: guilds.busy });
    assert.equal(chosen([calm, busy]), "calm fair");
  });

  test("never asks one server more than once a second, an empty one not more than every five", () => {
    assert.equal(chosen([candidate("a", stats({ ageS: 0.4, weighedPerS: 9 }))]), "wait 600");
    assert.equal(chosen([candidate("a", stats({ ageS: 2, occupied: false }))]), "wait 3000");
    assert.equal(chosen([candidate("a", stats({ ageS: 0.6 }), { maxAgeMs: 500 })]), "a overdue");
  });

  test("leaves a source alone until its back-off is over", () => {
    assert.equal(chosen([candidate("a", stats({ ageS: 50 }), { notBeforeMs: NOW + 700 })]), "wait 700");
  });

  test("waits for nothing in particular when there is nothing", () => {
    const choice = new Schedule().next({ nowMs: NOW, pollsPerS: 10, peopleShare: 0 });
    assert.deepEqual(choice, { kind: "wait", untilMs: undefined });
  });

  test("polls a server that was never polled within a round", () => {
    const fresh = candidate("new", newSourceStats(NOW, 0.5));
    const busy = candidate("busy", stats({ ageS: 60, weighedPerS: 4, lossPerS: 1 }));
    assert.equal(chosen([busy, fresh]), "new bound");
  });

  test("looks at no more than a few dozen of 10,000 servers", () => {
    const schedule = new Schedule();
    const random = seededRandom(1);
    let reads = 0;
    for (let index = 0; index < 10_000; index++) {
      const its = stats({ ageS: 10 + random.next() * 500, weighedPerS: random.next() ** 4 });
      const { polledAtMs } = its;
      const counted = Object.defineProperty({ ...its }, "polledAtMs", {
        get: () => {
          reads += 1;
          return polledAtMs;
        },
      });
      schedule.put(candidate(`s${index}`, counted));
    }
    schedule.next({ nowMs: NOW, pollsPerS: 10, peopleShare: 0 });
    reads = 0;
    for (let polls = 0; polls < 100; polls++) schedule.next({ nowMs: NOW, pollsPerS: 10, peopleShare: 0 });
    assert.ok(reads < 100 * 100, `${reads} looks for 100 choices`);
  });
});

interface Polled {
  readonly polls: Map<SourceId, number[]>;
  readonly whys: Map<Why, number>;
  readonly total: number;
}

/** Drives a schedule: `statsAt` is what each poll finds, `perS` polls a second go out. */
function drive(
  sources: readonly Omit<Candidate, "stats" | "notBeforeMs">[],
  how: {
    readonly perS: number;
    readonly forS: number;
    readonly peopleShare?: number;
    readonly statsAt: (source: SourceId, nowMs: number) => Partial<SourceStats>;
  },
): Polled {
  const schedule = new Schedule();
  const random = seededRandom(9);
  const bySource = new Map(sources.map((one) => [one.source, one]));
  const polls = new Map<SourceId, number[]>(sources.map(({ source }) => [source, []]));
  const whys = new Map<Why, number>();
  for (const one of sources) {
    schedule.put({ ...one, stats: newSourceStats(0, random.next()), notBeforeMs: 0 });
  }
  let total = 0;
  for (let nowMs = 0; nowMs < how.forS * 1_000; nowMs += 1_000 / how.perS) {
    const choice = schedule.next({ nowMs, pollsPerS: how.perS, peopleShare: how.peopleShare ?? 0 });
    if (choice.kind === "wait") continue;
    total += 1;
    polls.get(choice.source)?.push(nowMs);
    whys.set(choice.why, (whys.get(choice.why) ?? 0) + 1);
    const one = bySource.get(choice.source);
    const found = { ...newSourceStats(nowMs, 0), polled: true, ...how.statsAt(choice.source, nowMs) };
    if (one !== undefined) schedule.put({ ...one, stats: found, notBeforeMs: 0 });
  }
  return { polls, whys, total };
}

function named(prefix: string, count: number, more: Partial<Candidate> = {}) {
  return Array.from({ length: count }, (_, index) => ({ source: id(`${prefix}${index}`), ...more }));
}

function countOf({ polls }: Polled, prefix: string): number {
  return [...polls].reduce((sum, [source, its]) => sum + (source.startsWith(prefix) ? its.length : 0), 0);
}

describe("schedule: shares", () => {
  test("polls each of more servers than the rate serves within one and a half rounds, whatever is about to be lost", () => {
    const sources = [...named("losing", 300), ...named("empty", 1_200), ...named("quiet", 500)];
    const forS = 4_000;
    const { polls } = drive(sources, {
      perS: 2,
      forS,
      statsAt: (source) =>
        source.startsWith("losing")
          ? { weighedPerS: 5, lossPerS: 0.2 }
          : { occupied: source.startsWith("quiet") },
    });
    for (const [source, its] of polls) {
      assert.ok((its[0] ?? Number.POSITIVE_INFINITY) <= 1_500_000, `${source} waits for its first poll`);
      for (const [index, atMs] of [...its, forS * 1_000].entries()) {
        const waitMs = atMs - (its[index - 1] ?? atMs);
        assert.ok(waitMs <= 1_500_000, `${source} waited ${waitMs / 1_000} s`);
      }
    }
  });

  test("gives empty servers 15 % of a large budget, 30 % of a small one, and all of it when nobody else is there", () => {
    assert.equal(leastEmptyShare(20), 0.15);
    assert.equal(leastEmptyShare(10).toFixed(2), "0.15");
    assert.equal(leastEmptyShare(1), 0.3);
    for (const [perS, share] of [
      [20, 0.15],
      [3, 0.3],
    ] as const) {
      const polled = drive([...named("busy", 100), ...named("empty", 100)], {
        perS,
        forS: 3_000,
        statsAt: (source) => (source.startsWith("busy") ? { weighedPerS: 1 } : { occupied: false }),
      });
      const got = countOf(polled, "empty") / polled.total;
      assert.ok(Math.abs(got - share) < 0.02, `${got} of the polls at ${perS} a second`);
    }
    const alone = drive(named("empty", 10), { perS: 1, forS: 100, statsAt: () => ({ occupied: false }) });
    assert.equal(alone.total, 100);
  });

  test("gives empty servers more where they fill often, so that their first players are seen soon", () => {
    let opened = 0;
    const polled = drive(named("s", 300), {
      perS: 3,
      forS: 6_000,
      statsAt: (source, nowMs) => {
        const phaseS = Number(source.slice(1)) * 4;
        const isOpen = (nowMs / 1_000 + phaseS) % 1_200 < 300;
        opened += isOpen ? 1 : 0;
        return { occupied: isOpen, weighedPerS: 0.2, occupiedS: 600 };
      },
    });
    const share = 1 - opened / polled.total;
    assert.ok(share > 0.35 && share < 0.5, `${share} of the polls`);
  });

  test("leaves 200 quiet guilds nine tenths of their polls beside a guild with 500 busy servers", () => {
    const quiet = named("quiet", 200);
    const statsAt = (source: SourceId) =>
      source.startsWith("quiet") ? { weighedPerS: 0.05 } : { weighedPerS: 5, lossPerS: 2 };
    const how = { perS: 25, forS: 1_200, statsAt };
    const without = countOf(drive(quiet, how), "quiet");
    const beside = drive([...quiet, ...named("many", 500, { guildId: "hostile" })], how);
    const kept = countOf(beside, "quiet") / without;
    assert.ok(kept >= 0.9, `${kept} of their polls`);
  });

  test("leaves 200 quiet guilds six tenths of their polls beside 50 guilds in league whose logs are too fast", () => {
    const quiet = named("quiet", 200);
    for (const [quietPerS, fast] of [
      [0, { weighedPerS: 100, lossPerS: 2 }],
      [0.05, { weighedPerS: 100, lossPerS: 20 }],
      [0.02, { weighedPerS: 4, lossPerS: 0.2 }],
    ] as const) {
      for (const servers of [1, 10]) {
        const statsAt = (source: SourceId) =>
          source.startsWith("quiet") ? { weighedPerS: quietPerS } : fast;
        const how = { perS: 35, forS: 1_200, statsAt };
        const without = countOf(drive(quiet, how), "quiet");
        const league = named("guild", 50).flatMap(({ source }) =>
          named(`fast-${source}-`, servers, { guildId: source }),
        );
        const kept = countOf(drive([...quiet, ...league], how), "quiet") / without;
        assert.ok(
          kept >= 0.6,
          `${kept} of their polls beside ${servers} servers each, ${fast.lossPerS} lost a second`,
        );
      }
    }
  });

  test("gives demands with an age a fifth of the polls, and less where people wait", () => {
    const sources = [...named("aged", 500, { maxAgeMs: 5_000 }), ...named("busy", 100)];
    const statsAt = (source: SourceId) => ({ weighedPerS: source.startsWith("busy") ? 2 : 0 });
    for (const [peopleShare, share] of [
      [0, 0.2],
      [0.4, 0.1],
      [0.6, 0],
    ] as const) {
      const { whys, total } = drive(sources, { perS: 10, forS: 1_000, peopleShare, statsAt });
      const got = (whys.get("overdue") ?? 0) / total;
      assert.ok(Math.abs(got - share) < 0.01, `${got} of the polls while people hold ${peopleShare}`);
    }
  });

  test("counts a guild's servers by what they are: nine empty ones cost a busy one nothing", () => {
    const sources = [
      ...named("one", 1, { guildId: "big" }),
      ...named("empty", 9, { guildId: "big" }),
      ...named("peer", 20),
    ];
    const polled = drive(sources, {
      perS: 3,
      forS: 3_000,
      statsAt: (source) => (source.startsWith("empty") ? { occupied: false } : { weighedPerS: 0.2 }),
    });
    const ratio = countOf(polled, "one") / (countOf(polled, "peer") / 20);
    assert.ok(ratio > 0.9 && ratio < 1.1, `${ratio} of what others get`);
  });
});

function answer(askedAtMs: number, seconds: readonly number[], players = 5): Snapshot {
  const rows: JoinEntry[] = seconds.map((atS) => ({
    kind: "join",
    atS,
    player: { name: "p" },
    joined: true,
  }));
  const status = serverStatus({ currentPlayers: players });
  return {
    source: id("a"),
    askedAtMs,
    takenAtMs: askedAtMs,
    status,
    lists: { joinLogs: rows },
    skippedRows: {},
  };
}

/** The same moment by both clocks. */
function look(stats: SourceStats, snapshot: Snapshot): SourceStats {
  return statsAfter(stats, snapshot, snapshot.askedAtMs);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: Math.min(count, 50) }, (_, index) => count - index);
}

describe("rates", () => {
  test("learn how fast a log grows, and do not count its first window", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 200; polls++) its = look(its, answer(polls * 10_000, upTo(polls * 5)));
    assert.ok(Math.abs(its.weighedPerS - 0.5) < 0.05, `${its.weighedPerS} a second, not 0.5`);
  });

  test("say when the log would lose rows: half of its 50 at 0.5 a second is 50 s", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 200; polls++) its = look(its, answer(polls * 10_000, upTo(polls * 5)));
    assert.ok(Math.abs(1 / its.lossPerS - 50) < 6, `${1 / its.lossPerS} s`);
  });

  test("tell by a full first window how soon it will have moved on, by a short or an old one nothing", () => {
    const first = (atS: number, seconds: readonly number[]) =>
      look(newSourceStats(0, 0), answer(atS * 1_000, seconds)).lossPerS;
    assert.ok(Math.abs(1 / first(50, upTo(50)) - 25) < 2, "50 rows in 50 s: half of them are new in 25 s");
    assert.ok(1 / first(5_000, upTo(50)) > 1_000, "the same rows an hour later");
    assert.ok(1 / first(20, upTo(20)) > 1_000, "a log that is not full yet");
  });

  test("measure a log that is new from end to end by the time it spans, not by the time since the last poll", () => {
    const first = look(newSourceStats(0, 0), answer(0, upTo(50)));
    const overrun = look(first, answer(600_000, upTo(600)));
    assert.ok(
      Math.abs(1 / overrun.lossPerS - 25) < 1,
      `${1 / overrun.lossPerS} s until half of 50 rows are new`,
    );
  });

  test("notice a spree at once", () => {
    const calm = look(look(newSourceStats(0, 0), answer(0, upTo(50))), answer(600_000, upTo(50)));
    const spree = look(calm, answer(610_000, upTo(80)));
    assert.ok(spree.lossPerS >= 3 / 25);
  });

  test("are not slowed by a night without players", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 100; polls++) its = look(its, answer(polls * 10_000, upTo(polls * 5)));
    const before = its.weighedPerS;
    its = look(its, answer(1_010_000, upTo(500), 0));
    its = look(its, answer(30_000_000, upTo(500), 0));
    assert.equal(its.occupied, false);
    assert.ok(its.weighedPerS > before * 0.9);
  });

  test("weigh mod calls ten times", () => {
    const call = (atS: number) => ({ kind: "modCall", atS, caller: { name: "p" } }) as const;
    const calls = (askedAtMs: number, atS: readonly number[]): Snapshot => ({
      ...answer(askedAtMs, []),
      lists: { modCalls: atS.map(call) },
    });
    const first = look(newSourceStats(0, 0), calls(0, []));
    const rate = look(first, calls(60_000, [1, 2, 3])).weighedPerS;
    const joins = look(look(newSourceStats(0, 0), answer(0, [])), answer(60_000, [1, 2, 3])).weighedPerS;
    assert.ok(Math.abs(rate / joins - 10) < 1e-9);
  });
});

describe("latest answers", () => {
  test("are not replaced by one that was asked for earlier", () => {
    const clock = new VirtualClock(NOW);
    const latest = new LatestSnapshots({ client: new GateClient(clock), clock });
    latest.record(answer(NOW - 1_000, [1, 2]), clock.monotonicMs() - 1_000);
    latest.record(answer(NOW - 5_000, [1], 0), clock.monotonicMs() - 5_000);
    const state = latest.latest(id("a"));
    assert.equal(state?.lists.joinLogs?.value.length, 2);
    assert.equal(state?.status.currentPlayers, 5);
  });
});
