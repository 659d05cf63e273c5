import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LATEST_ROW_AHEAD_MS, withoutFutureRows } from "../../src/domain/future-rows.ts";
import type { JoinEntry, Lists } from "../../src/domain/model.ts";
import { World } from "../support/limit-run.ts";

const NOW_MS = 1_700_000_000_000;

function join(atS: number): JoinEntry {
  return { kind: "join", atS, player: { name: "p" }, joined: true };
}

async function read(world: World) {
  const answer = world.client.read(world.source(0), ["joinLogs", "players"], { priority: "poll" });
  let done = false;
  void answer.finally(() => {
    done = true;
  });
  await world.clock.until(() => done);
  return await answer;
}

describe("rows from the future", () => {
  test("later than ten minutes from now are left out and counted, list by list", () => {
    const call = { team: "Police", unitIds: [], startedAtS: 4_000_000_000, callNumber: 1 };
    const latestS = (NOW_MS + LATEST_ROW_AHEAD_MS) / 1_000;
    const lists: Partial<Lists> = {
      joinLogs: [join(latestS), join(latestS + 1), join(4_000_000_000)],
      emergencyCalls: [call],
      queue: [4_000_000_000],
    };
    const sifted = withoutFutureRows(lists, NOW_MS);
    assert.deepEqual(sifted.lists, { joinLogs: [join(latestS)], emergencyCalls: [], queue: [4_000_000_000] });
    assert.deepEqual(sifted.setAside, { joinLogs: 2, emergencyCalls: 1 });
  });

  test("cost nothing where there are none: the lists are the very same", () => {
    const lists: Partial<Lists> = { joinLogs: [join(1)], players: [] };
    assert.equal(withoutFutureRows(lists, NOW_MS).lists, lists);
  });

  test("never leave the client, whose answer counts them; the log tells it once an hour, not at each poll", async () => {
    const skewMs = -7_200_000;
    const world = new World({ seed: 5, keys: 1, skewMs, service: { town: { intensity: "busy" } } });
    world.service.faults.set({ farFuture: 0.3 });
    await world.clock.advance(1_800_000);
    const metric = "marshal_service_rows_set_aside_total list=joinLogs";
    let counted = 0;
    for (let polls = 0; polls < 5; polls++) {
      const { lists, setAsideRows } = await read(world);
      assert.ok((lists.joinLogs?.length ?? 0) > 0);
      for (const { atS } of lists.joinLogs ?? []) assert.ok(atS < 3_999_999_999);
      assert.ok((setAsideRows?.joinLogs ?? 0) > 0);
      counted += setAsideRows?.joinLogs ?? 0;
      await world.clock.advance(600_000);
    }
    assert.equal(world.metrics.sums.get(metric), counted);
    assert.equal(world.logged.length, 1, world.logged.join("\n"));
    assert.match(world.logged[0] ?? "", /set aside: their time lies in the future/);
    await world.clock.advance(1_200_000);
    await read(world);
    assert.equal(world.logged.length, 2);
    await world.close();
  });

  test("are judged by the service's Date, whatever our own clock says", async () => {
    for (const skewMs of [-7_200_000, 7_200_000]) {
      const world = new World({ seed: 6, keys: 1, skewMs, service: { town: { intensity: "busy" } } });
      await world.clock.advance(1_800_000);
      const { lists, setAsideRows } = await read(world);
      assert.ok((lists.joinLogs?.length ?? 0) > 0);
      assert.equal(setAsideRows, undefined);
      await world.close();
    }
  });

  test("are not judged by the Date of one answer alone that is hours off; one that answers go on to state is believed", async () => {
    for (const dateOffMs of [-7_200_000, 7_200_000]) {
      const world = new World({ seed: 6, keys: 1, service: { town: { intensity: "busy" } } });
      await world.clock.advance(1_800_000);
      await read(world);
      const aheadOf = async () => {
        await world.clock.advance(10_000);
        const { serviceAtMs = 0, setAsideRows } = await read(world);
        const aheadMs = Math.round((serviceAtMs - world.service.nowMs()) / 10_000) * 10_000;
        return { aheadMs: aheadMs + 0, isRowSetAside: setAsideRows !== undefined };
      };
      world.service.faults.next({ dateOffMs });
      const right = { aheadMs: 0, isRowSetAside: false };
      assert.deepEqual([await aheadOf(), await aheadOf()], [right, right]);
      world.service.faults.set({ dateOffMs });
      await aheadOf();
      assert.deepEqual(await aheadOf(), { aheadMs: dateOffMs, isRowSetAside: dateOffMs < 0 });
      await world.close();
    }
  });

  test("that cannot be read are logged once an hour, too", async () => {
    const world = new World({ seed: 7, keys: 1, service: { town: { intensity: "busy" } } });
    world.service.faults.set({ missingField: 0.5 });
    for (let polls = 0; polls < 5; polls++) {
      await read(world);
      await world.clock.advance(60_000);
    }
    assert.deepEqual(
      world.logged.map((line) => /could not be read/.test(line)),
      [true],
    );
    await world.close();
  });
});
