import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JoinEntry, Snapshot } from "../../src/domain/model.ts";
import { type Candidate, choose, type EmptyDebt, emptyShare } from "../../src/watch/schedule.ts";
import { LatestSnapshots } from "../../src/watch/snapshots.ts";
import { newSourceStats, observed, type SourceStats } from "../../src/watch/source-stats.ts";
import { VirtualClock } from "../support/clock.ts";
import { GateClient, id, serverStatus } from "./watch-rig.ts";

const NOW = 10_000_000;
const none: EmptyDebt = { owedToEmpty: 0 };

function track(more: Partial<SourceStats> & { readonly ageS: number }): SourceStats {
  const { ageS, ...rest } = more;
  const base = { ...newSourceStats(NOW, 0), polled: true, occupied: true, polledAtMs: NOW - ageS * 1_000 };
  return { ...base, ...rest };
}

function candidate(source: string, its: SourceStats, more: Partial<Candidate> = {}): Candidate {
  return { source: id(source), track: its, maxAgeMs: 600_000, notBeforeMs: 0, ...more };
}

function chosen(candidates: readonly Candidate[], lanes = none): string {
  const choice = choose(candidates, lanes, 10, NOW);
  return choice.kind === "poll" ? `${choice.source} ${choice.why}` : `wait ${(choice.untilMs ?? NaN) - NOW}`;
}

describe("schedule", () => {
  it("weighs rate by the square of the age", () => {
    const busy = candidate("busy", track({ ageS: 5, weighedPerS: 1 }));
    const calm = candidate("calm", track({ ageS: 20, weighedPerS: 0.05 }));
    assert.equal(chosen([calm, busy]), "busy busy");
    assert.equal(chosen([candidate("calm", track({ ageS: 23, weighedPerS: 0.05 })), busy]), "calm busy");
  });

  it("takes an occupied server for one that brings something in ten minutes at least", () => {
    const quiet = candidate("quiet", track({ ageS: 100, weighedPerS: 0 }));
    assert.equal(chosen([quiet, candidate("busy", track({ ageS: 4, weighedPerS: 1 }))]), "quiet busy");
  });

  it("puts loss before everything, then demands past their age", () => {
    const busy = candidate("busy", track({ ageS: 60, weighedPerS: 9 }));
    const overdue = candidate("overdue", track({ ageS: 31, weighedPerS: 0 }), { maxAgeMs: 30_000 });
    const losing = candidate("losing", track({ ageS: 10, weighedPerS: 1, lossPerS: 0.11 }));
    assert.equal(chosen([busy, overdue, losing]), "losing loss");
    assert.equal(chosen([busy, overdue]), "overdue overdue");
    assert.equal(chosen([busy]), "busy busy");
  });

  it("never asks one server more than once a second, an empty one not more than every five", () => {
    assert.equal(chosen([candidate("a", track({ ageS: 0.4, weighedPerS: 9 }))]), "wait 600");
    assert.equal(chosen([candidate("a", track({ ageS: 2, occupied: false }))]), "wait 3000");
    const fresher = { maxAgeMs: 500 };
    assert.equal(chosen([candidate("a", track({ ageS: 0.6 }), fresher)]), "a overdue");
  });

  it("leaves a source alone until its back-off is over", () => {
    assert.equal(chosen([candidate("a", track({ ageS: 50 }), { notBeforeMs: NOW + 700 })]), "wait 700");
  });

  it("waits for nothing in particular when there is nothing", () => {
    assert.deepEqual(choose([], none, 10, NOW), { kind: "wait", untilMs: undefined });
  });

  it("gives empty servers 15 % of a large budget, 30 % of a small one, and all of it when nobody else is there", () => {
    assert.equal(emptyShare(20), 0.15);
    assert.equal(emptyShare(10).toFixed(2), "0.15");
    assert.equal(emptyShare(1), 0.3);
    const pair = [
      candidate("busy", track({ ageS: 60, weighedPerS: 1 })),
      candidate("empty", track({ ageS: 60, occupied: false })),
    ];
    for (const [budget, share] of [
      [20, 150],
      [3, 300],
    ] as const) {
      let lanes = none;
      let empty = 0;
      for (let polls = 0; polls < 1_000; polls++) {
        const choice = choose(pair, lanes, budget, NOW);
        assert.ok(choice.kind === "poll");
        lanes = choice.lanes;
        if (choice.why === "empty") empty += 1;
      }
      assert.ok(Math.abs(empty - share) <= 2, `${empty} of 1000 polls at ${budget} a second`);
    }
    assert.equal(chosen(pair.slice(1)), "empty empty");
  });

  it("polls a server that was never polled before one that waits its turn", () => {
    const fresh = candidate("new", newSourceStats(NOW, 0.5));
    assert.equal(chosen([candidate("calm", track({ ageS: 20, weighedPerS: 0.05 })), fresh]), "new busy");
  });
});

function answer(askedAtMs: number, seconds: readonly number[], players = 5): Snapshot {
  const rows: JoinEntry[] = seconds.map((atS) => ({
    kind: "join",
    atS,
    player: { name: "p" },
    joined: true,
  }));
  const status = { ...serverStatus, currentPlayers: players };
  return {
    source: id("a"),
    askedAtMs,
    takenAtMs: askedAtMs,
    status,
    lists: { joinLogs: rows },
    skippedRows: {},
  };
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: Math.min(count, 50) }, (_, index) => count - index);
}

describe("rates", () => {
  it("learn how fast a log grows, and do not count its first window", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 200; polls++) its = observed(its, answer(polls * 10_000, upTo(polls * 5)));
    assert.ok(Math.abs(its.weighedPerS - 0.5) < 0.05, `${its.weighedPerS} a second, not 0.5`);
  });

  it("say when the log would lose rows: half of its 50 at 0.5 a second is 50 s", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 200; polls++) its = observed(its, answer(polls * 10_000, upTo(polls * 5)));
    assert.ok(Math.abs(1 / its.lossPerS - 50) < 6, `${1 / its.lossPerS} s`);
  });

  it("tell by a full first window how soon it will have moved on, by a short or an old one nothing", () => {
    const first = (atS: number, seconds: readonly number[]) =>
      observed(newSourceStats(0, 0), answer(atS * 1_000, seconds)).lossPerS;
    assert.ok(Math.abs(1 / first(50, upTo(50)) - 25) < 2, "50 rows in 50 s: half of them are new in 25 s");
    assert.ok(1 / first(5_000, upTo(50)) > 1_000, "the same rows an hour later");
    assert.ok(1 / first(20, upTo(20)) > 1_000, "a log that is not full yet");
  });

  it("notice a spree at once", () => {
    const calm = observed(observed(newSourceStats(0, 0), answer(0, upTo(50))), answer(600_000, upTo(50)));
    const spree = observed(calm, answer(610_000, upTo(80)));
    assert.ok(spree.lossPerS >= 3 / 25);
  });

  it("are not slowed by a night without players", () => {
    let its = newSourceStats(0, 0);
    for (let polls = 1; polls <= 100; polls++) its = observed(its, answer(polls * 10_000, upTo(polls * 5)));
    const before = its.weighedPerS;
    its = observed(its, answer(1_010_000, upTo(500), 0));
    its = observed(its, answer(30_000_000, upTo(500), 0));
    assert.equal(its.occupied, false);
    assert.ok(its.weighedPerS > before * 0.9);
  });

  it("weigh mod calls ten times", () => {
    const call = (atS: number) => ({ kind: "modCall", atS, caller: { name: "p" } }) as const;
    const calls = (askedAtMs: number, atS: readonly number[]): Snapshot => ({
      ...answer(askedAtMs, []),
      lists: { modCalls: atS.map(call) },
    });
    const first = observed(newSourceStats(0, 0), calls(0, []));
    const rate = observed(first, calls(60_000, [1, 2, 3])).weighedPerS;
    const joins = observed(
      observed(newSourceStats(0, 0), answer(0, [])),
      answer(60_000, [1, 2, 3]),
    ).weighedPerS;
    assert.ok(Math.abs(rate / joins - 10) < 1e-9);
  });
});

describe("latest answers", () => {
  it("are not replaced by one that was asked for earlier", () => {
    const clock = new VirtualClock(NOW);
    const latest = new LatestSnapshots({ client: new GateClient(clock), clock });
    latest.record(answer(NOW - 1_000, [1, 2]));
    latest.record(answer(NOW - 5_000, [1], 0));
    const state = latest.latest(id("a"));
    assert.equal(state?.lists.joinLogs?.value.length, 2);
    assert.equal(state?.status.currentPlayers, 5);
  });
});
