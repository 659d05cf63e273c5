import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testInSoak, worlds } from "../../support/worlds.ts";
import { loseAnswers } from "./lost-answers-cases.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** What an hour may cost where the service bans at ten. */
const MOST_REFUSED = 9;
/** Slower: what happens is the same, and an hour of requests costs seconds. */
const AN_HOUR_LATER = { seed: 1, hours: 1.25, perSecond: 1 };
const SOON = { seed: 2, hours: 0.2, perSecond: 1.5 };
const DEAD_ARE_LOST = { share: 1, of: "dead" } as const;

describe("refusals whose answers are lost count like those that are read", () => {
  test("5 of 50 keys die, no answer to them arrives: all others are read, also an hour later", async () => {
    for (const time of [AN_HOUR_LATER, SOON]) {
      const seen = await loseAnswers({ ...time, keys: 50, dead: 5, lost: DEAD_ARE_LOST });
      const { mostRefused, bans, servedLast, good } = seen;
      assert.ok(mostRefused <= MOST_REFUSED, `seed ${time.seed}: ${mostRefused} refused within an hour`);
      assert.equal(bans, 0);
      assert.equal(servedLast, good, `seed ${time.seed}: ${servedLast} of ${good} good ones`);
    }
  });

  test("5 of 50 keys die, a minute later comes a restart: no ban, and the others are read on", async () => {
    for (const time of worlds([SOON], [AN_HOUR_LATER, { ...SOON, seed: 6 }])) {
      const seen = await loseAnswers({ ...time, keys: 50, dead: 5, lost: DEAD_ARE_LOST, end: "restart" });
      const { mostRefused, bans, servedLast, good } = seen;
      assert.ok(mostRefused <= MOST_REFUSED, `seed ${time.seed}: ${mostRefused} refused within an hour`);
      assert.equal(bans, 0);
      assert.equal(servedLast, good, `seed ${time.seed}: ${servedLast} of ${good} good ones`);
    }
  });

  test("5 of 50 keys die, a minute later comes a kill: no ban", async () => {
    for (const time of worlds([SOON], [AN_HOUR_LATER])) {
      const seen = await loseAnswers({ ...time, keys: 50, dead: 5, lost: DEAD_ARE_LOST, end: "kill" });
      assert.ok(seen.mostRefused <= MOST_REFUSED, `seed ${time.seed}: ${seen.mostRefused}`);
      assert.equal(seen.bans, 0);
    }
  });

  test("dead keys that are asked one after the other are no outage: no ban, and others are read on", async () => {
    for (const world of worlds(
      [
        { seed: 1, keys: 200, dead: 20, least: 21 },
        { seed: 16, keys: 50, dead: 10, least: 1 },
      ],
      [{ seed: 20, keys: 200, dead: 20, least: 1 }],
    )) {
      const seen = await loseAnswers({ ...world, lost: DEAD_ARE_LOST, hours: 0.2 });
      assert.ok(seen.mostRefused <= MOST_REFUSED, `seed ${world.seed}: ${seen.mostRefused} refused`);
      assert.equal(seen.bans, 0);
      assert.ok(seen.servedLast >= world.least, `seed ${world.seed}: ${seen.servedLast} good ones`);
    }
  });

  test("5 of 50 keys die and no answer to them arrives, nor one in a hundred of the others: no ban", async () => {
    for (const seed of worlds([1], [2])) {
      const world = { seed, keys: 50, dead: 5, lost: DEAD_ARE_LOST, hasBlips: true, hours: 0.5 };
      const seen = await loseAnswers(world);
      assert.ok(seen.mostRefused <= MOST_REFUSED, `seed ${seed}: ${seen.mostRefused} refused within an hour`);
      assert.equal(seen.bans, 0);
    }
  });

  test("5 of 50 keys die where one answer in a hundred is lost: the others are read on", async () => {
    for (const seed of worlds([1], [2])) {
      const lost = { share: 0.01, of: "all" } as const;
      const seen = await loseAnswers({ seed, keys: 50, dead: 5, lost, hours: 0.3 });
      assert.ok(seen.mostRefused <= MOST_REFUSED, `seed ${seed}: ${seen.mostRefused} refused within an hour`);
      assert.equal(seen.servedLast, seen.good, `seed ${seed}: ${seen.servedLast} of ${seen.good} good ones`);
    }
  });

  testInSoak(
    "5 of 50 keys die where three answers in a hundred are lost: the others are read on for the hour",
    async () => {
      const lost = { share: 0.03, of: "all" } as const;
      const seen = await loseAnswers({ seed: 1, keys: 50, dead: 5, lost, hours: 0.9 });
      assert.ok(seen.mostRefused <= MOST_REFUSED, `${seen.mostRefused} refused within an hour`);
      assert.equal(seen.bans, 0);
      assert.equal(seen.servedLast, seen.good, `${seen.servedLast} of ${seen.good} good ones`);
    },
  );

  test("two servers alone never answer, and one answer in a hundred is lost: the others are read on", async () => {
    const world = {
      seed: 1,
      keys: 50,
      dead: 2,
      lost: DEAD_ARE_LOST,
      hasBlips: true,
      hangs: true,
      hours: 0.4,
    };
    const seen = await loseAnswers(world);
    assert.equal(seen.servedLast, seen.good);
  });

  test("5 of 50 keys die where one answer of ten is lost, or three are, whatever the key: no ban", async () => {
    for (const share of [0.1, 0.3])
      for (const seed of worlds([1], [2])) {
        const lost = { share, of: "all" } as const;
        const seen = await loseAnswers({ seed, keys: 50, dead: 5, lost, hours: 1.25 });
        assert.ok(seen.mostRefused <= MOST_REFUSED, `${share}, seed ${seed}: ${seen.mostRefused}`);
        assert.equal(seen.bans, 0);
      }
  });
});

describe("an outage is over when it is over", () => {
  const OUTAGES = [
    { how: "reset after", forMs: MINUTE_MS },
    { how: "silent", forMs: 5 * MINUTE_MS },
    { how: "silent", forMs: 30 * MINUTE_MS },
  ] as const;
  for (const outage of OUTAGES)
    for (const keys of worlds([1, 50], [3]))
      test(`${keys} servers, ${outage.forMs / MINUTE_MS} min (${outage.how}): polls and people are back in seconds`, async () => {
        const seen = await loseAnswers({ seed: keys, keys, dead: 0, outage, hours: 1 / 6 });
        assert.ok(seen.backMs <= 11 * SECOND_MS, `the first poll after ${seen.backMs} ms`);
        assert.ok(seen.personMs <= 12 * SECOND_MS, `a person after ${seen.personMs} ms`);
        assert.equal(seen.servedLast, keys);
      });

  for (const end of ["restart", "kill"] as const)
    test(`with a ${end} in its middle`, async () => {
      const outage = { how: "silent", forMs: 5 * MINUTE_MS } as const;
      const seen = await loseAnswers({ seed: 1, keys: 50, dead: 0, outage, end, perSecond: 6, hours: 0.2 });
      assert.ok(seen.nearlyAllMs <= 30 * SECOND_MS, `${seen.nearlyAllMs} ms`);
      assert.equal(seen.servedLast, 50);
    });

  test("where keys died in it, their refusals read or lost: no ban", async () => {
    for (const [how, lost] of worlds(
      [["reset after", DEAD_ARE_LOST]],
      [
        ["silent", undefined],
        ["reset after", undefined],
        ["silent", DEAD_ARE_LOST],
      ],
    )) {
      const outage = { how, forMs: MINUTE_MS };
      const world = { seed: 1, keys: 50, dead: 5, outage, hours: 0.2 };
      const seen = await loseAnswers(lost === undefined ? world : { ...world, lost });
      assert.ok(seen.mostRefused <= MOST_REFUSED, `${how}: ${seen.mostRefused} refused within an hour`);
      assert.equal(seen.bans, 0);
      assert.ok(seen.backMs <= 11 * SECOND_MS);
    }
  });
});
