import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AddArgs, NothingAdded } from "../../src/history/queries/add-cases.ts";
import { AddsTogether } from "../../src/history/worker/adds-together.ts";
import { VirtualClock } from "../support/clock.ts";
import { kick } from "./cases/case-samples.ts";

/** A database that notes what it was asked together. */
function rig(refuse: (origins: readonly string[]) => Error | undefined = () => undefined) {
  const clock = new VirtualClock();
  const groups: string[][] = [];
  const adds = new AddsTogether({
    addAll: async (asked) => {
      const origins = asked.map(({ draft }) => draft.origin ?? "");
      groups.push(origins);
      const refusal = refuse(origins);
      if (refusal !== undefined) throw refusal;
      return asked.map(({ draft }) => ({ one: { ...draft, number: groups.length, edits: [] }, isNew: true }));
    },
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, work) => void clock.after(delayMs, work),
  });
  const add = (origin: string) => adds.add({ draft: kick({ origin }), card: undefined, most: 10 } as AddArgs);
  return { clock, groups, adds, add };
}

describe("cases that are added", () => {
  test("alone go to the database at once; those that follow soon go together", async () => {
    const { clock, groups, add } = rig();
    await add("first");
    assert.deepEqual(groups, [["first"]]);
    const later = ["b", "c", "d"].map((origin) => add(origin));
    await clock.advance(400);
    assert.equal(groups.length, 1);
    await clock.advance(200);
    assert.deepEqual(groups, [["first"], ["b", "c", "d"]]);
    assert.deepEqual(
      (await Promise.all(later)).map(({ one }) => one.origin),
      ["b", "c", "d"],
    );
    await clock.advance(1_000);
    await add("alone again");
    assert.equal(groups.length, 3);
  });

  test("with one that is refused are added one by one, and it fails alone", async () => {
    const bad = new Error("a value that does not fit");
    const { clock, groups, add } = rig((origins) =>
      origins.includes("bad") ? new NothingAdded("taken back", { cause: bad }) : undefined,
    );
    await add("first");
    const ended = Promise.allSettled([add("b"), add("bad"), add("c")]);
    await clock.advance(600);
    assert.deepEqual(
      (await ended).map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    const [, refused] = await ended;
    assert.equal(refused?.status === "rejected" ? refused.reason : undefined, bad);
    assert.deepEqual(groups, [["first"], ["b", "bad", "c"], ["b"], ["bad"], ["c"]]);
  });

  test("all fail, and none is added again, where the end of their transaction got no answer", async () => {
    const lost = new Error("the connection was lost");
    const { clock, groups, add } = rig((origins) => (origins.length > 1 ? lost : undefined));
    await add("first");
    const ended = Promise.allSettled([add("b"), add("c")]);
    await clock.advance(600);
    assert.deepEqual(
      (await ended).map((one) => (one.status === "rejected" ? one.reason : undefined)),
      [lost, lost],
    );
    assert.equal(groups.length, 2);
  });

  test("that still wait are added before the database closes", async () => {
    const { groups, adds, add } = rig();
    await add("first");
    const waiting = add("last");
    await adds.settle();
    assert.equal((await waiting).one.origin, "last");
    assert.deepEqual(groups, [["first"], ["last"]]);
  });
});
