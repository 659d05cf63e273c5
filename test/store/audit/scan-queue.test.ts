import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { ScanQueue } from "../../../src/store/audit/scan-queue.ts";

/** Scans that end when they are let go, and the order in which they began. */
function rig() {
  const queue = new ScanQueue();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const scan = (guildId: string, name: string) =>
    queue.run(guildId, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { queue, began, scan, end };
}

describe("scans of the audit", () => {
  test("run one of a guild and two of the process at a time", async () => {
    const { began, scan, end } = rig();
    const all = [scan("a", "a1"), scan("a", "a2"), scan("b", "b1"), scan("c", "c1")];
    await end("");
    assert.deepEqual(began, ["a1", "b1"]);
    await end("b1");
    assert.deepEqual(began, ["a1", "b1", "c1"]);
    await end("a1");
    assert.deepEqual(began, ["a1", "b1", "c1", "a2"]);
    await end("c1");
    await end("a2");
    assert.deepEqual(await Promise.all(all), ["a1", "a2", "b1", "c1"]);
  });

  test("of a guild that asks without pause hold up only that guild, and are refused past a few", async () => {
    const { began, scan, end } = rig();
    const busy = [scan("a", "a1"), scan("a", "a2"), scan("a", "a3"), scan("a", "a4")];
    await assert.rejects(
      scan("a", "a5"),
      (error: unknown) => error instanceof Failure && error.code === "busy",
    );
    const quiet = scan("b", "b1");
    await end("");
    assert.deepEqual(began, ["a1", "b1"]);
    for (const name of ["b1", "a1", "a2", "a3", "a4"]) await end(name);
    assert.equal(await quiet, "b1");
    await Promise.all(busy);
  });

  test("that fail give their turn back", async () => {
    const { queue } = rig();
    for (let n = 0; n < 5; n += 1) {
      await assert.rejects(
        queue.run("a", () => Promise.reject(new Error("the store is away"))),
        /the store is away/,
      );
    }
    assert.equal(await queue.run("a", async () => "fine"), "fine");
  });
});
