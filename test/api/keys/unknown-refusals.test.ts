import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { isFailure } from "../../support/failures.ts";
import { stranger, World, within } from "../../support/limit-run.ts";

const UNKNOWN = { code: 4444, codeChance: 1, codeStatus: 403, only: "reads" } as const;

describe("a 403 with a code that nobody has described may be one that the service counts against us", () => {
  test("so of typed keys no guild has more than its share", async () => {
    const world = new World({ seed: 1, keys: 1 });
    await within(world, world.client.read(world.source(0), [], { priority: "poll" }));
    const sent = world.service.counts.requests;
    world.service.faults.set(UNKNOWN);
    for (let n = 0; n < 6; n++) {
      world.service.addServer(`typed-${n}`);
      await assert.rejects(
        within(world, world.client.verifyKey(new ServerKey(`typed-${n}`), stranger("guild"))),
      );
    }
    assert.equal(world.service.counts.requests - sent, 2);
    await world.close();
  });

  test("so all servers together draw no more of them in an hour than wrong keys may", async () => {
    const world = new World({ seed: 2, keys: 40 });
    world.service.faults.set(UNKNOWN);
    for (let minute = 0; minute < 59; minute++) {
      for (const source of world.sources)
        void world.client.read(source, [], { priority: "poll" }).catch(() => {});
      await world.clock.advance(60_000);
    }
    const drawn = world.service.counts.byStatus.get(403) ?? 0;
    assert.ok(drawn > 0 && drawn <= 8, `${drawn}`);
    await world.close();
  });

  test("but commands of a server that can be read cost nothing, so that one community cannot stop all", async () => {
    const world = new World({ seed: 5, keys: 2 });
    const [refused = world.source(0), other = world.source(1)] = world.sources;
    await within(world, world.client.read(refused, [], { priority: "poll" }));
    world.service.faults.set({ ...UNKNOWN, only: "commands" });
    for (let n = 0; n < 12; n++) {
      await assert.rejects(
        within(world, world.client.command(refused, ":h hi")),
        isFailure("not-authorised"),
      );
      await within(world, world.client.read(other, [], { priority: "person" }));
    }
    assert.equal(world.client.badKeys().refusedLastHour, 0);
    await world.close();
  });

  test("and commands of a server that cannot be read are few", async () => {
    const world = new World({ seed: 6, keys: 2 });
    const [refused = world.source(0), other = world.source(1)] = world.sources;
    await within(world, world.client.read(refused, [], { priority: "poll" }));
    world.service.faults.set({ ...UNKNOWN, only: "all", onlyKeys: [world.key(0)] });
    await assert.rejects(within(world, world.client.read(refused, [], { priority: "poll" })));
    for (let n = 0; n < 12; n++) {
      await assert.rejects(within(world, world.client.command(refused, ":h hi")));
      await within(world, world.client.read(other, [], { priority: "person" }));
      await world.clock.advance(10_000);
    }
    assert.equal(world.refusalsRead.get(world.key(0)), 8);
    await world.close();
  });

  test("while the known codes of good keys cost nothing", async () => {
    const world = new World({ seed: 3, keys: 20 });
    world.service.faults.set({ ...UNKNOWN, code: 4000 });
    for (const source of world.sources)
      await assert.rejects(within(world, world.client.read(source, [], { priority: "poll" })));
    assert.equal(world.service.counts.byStatus.get(403), 20);
    assert.equal(world.client.badKeys().refusedLastHour, 0);
    await world.close();
  });
});

test("a code that only repeats the status is none: the key is asked once more, then parked", async () => {
  const world = new World({ seed: 4, keys: 3 });
  for (const source of world.sources)
    await within(world, world.client.read(source, [], { priority: "poll" }));
  world.service.faults.set({ ...UNKNOWN, code: 403, onlyKeys: [world.key(0)] });
  for (let n = 0; n < 5; n++) {
    await within(world, world.client.read(world.source(0), [], { priority: "poll" })).catch(() => {});
    await within(world, world.client.read(world.source(1), [], { priority: "poll" }));
    await world.clock.advance(30_000);
  }
  assert.equal(world.refusalsRead.get(world.key(0)), 2);
  assert.ok(world.client.parked(world.source(0)) !== undefined);
  await world.close();
});
