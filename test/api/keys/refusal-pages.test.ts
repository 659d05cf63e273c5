import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { stranger, World, within } from "../../support/limit-run.ts";

const HOUR_MS = 3_600_000;

/** Each server is asked as by a poller; how often each was read, and how often they might have been. */
async function polled(
  world: World,
  forMs: number,
): Promise<{ readonly reads: number[]; readonly rounds: number }> {
  const reads = world.sources.map(() => 0);
  let rounds = 0;
  for (const endMs = world.clock.monotonicMs() + forMs; world.clock.monotonicMs() < endMs; rounds++) {
    for (const [n, source] of world.sources.entries()) {
      const isRead = await within(world, world.client.read(source, [], { priority: "poll" })).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Failure) return false;
          throw error;
        },
      );
      reads[n] = (reads[n] ?? 0) + Number(isRead);
    }
    await world.clock.advance(20_000);
  }
  return { reads, rounds };
}

describe("a service that refuses keys with a text that is no JSON", () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
  ])
    test(`one bad key stops the others once, whichever was taken last: ${order}`, async () => {
      const world = new World({ seed: 1, keys: 3 });
      for (const n of order)
        await within(world, world.client.read(world.source(n), [], { priority: "poll" }));
      world.service.faults.set({ envelope: "html", onlyKeys: [world.key(2)] });
      world.service.regenerateKey(world.key(2));
      const { reads, rounds } = await polled(world, 12 * HOUR_MS);
      // A quarter of an hour at its first page.
      assert.ok((reads[0] ?? 0) > 0.95 * rounds && (reads[1] ?? 0) > 0.95 * rounds, `${reads} of ${rounds}`);
      assert.ok(world.client.parked(world.source(2)) !== undefined);
      assert.ok((world.service.counts.badKeyRequests.get(world.key(2)) ?? 0) <= 3);
      assert.equal(world.events.filter(({ kind }) => kind === "key-parked").length, 1);

      // From then on a wrong key that somebody types is one as well.
      world.service.faults.set({ envelope: "html", onlyKeys: ["wrong-typed"] });
      const typed = world.client.verifyKey(new ServerKey("wrong-typed"), stranger("g"));
      await assert.rejects(within(world, typed), { code: "key-rejected" });
      assert.equal(world.client.halt(), undefined);
      await world.close();
    });

  test("a page of the network that comes again after its end parks nobody, and is asked seldom", async () => {
    const world = new World({ seed: 2, keys: 4 });
    await polled(world, HOUR_MS);
    for (let times = 0; times < 6; times++) {
      const before = world.service.counts.requests;
      world.service.blocks.showPage("127.0.0.1", world.clock.nowMs(), HOUR_MS);
      await polled(world, HOUR_MS);
      assert.ok(world.service.counts.requests - before <= 12, `${world.service.counts.requests - before}`);
      await polled(world, 2 * HOUR_MS);
    }
    for (const source of world.sources) assert.equal(world.client.parked(source), undefined);
    const { reads, rounds } = await polled(world, HOUR_MS);
    assert.deepEqual(
      reads,
      reads.map(() => rounds),
    );
    await world.close();
  });
});
