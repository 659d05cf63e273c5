import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import { createWatch } from "../../src/watch/watch.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { mostInATurn } from "../support/most-in-a-turn.ts";
import { GateClient, id } from "./watch-rig.ts";

function rig() {
  const clock = new VirtualClock();
  const client = new GateClient(clock);
  const watch = createWatch({
    client,
    health: client,
    clock,
    random: seededRandom(3),
    metrics: { count: () => undefined, observe: () => undefined },
    onDefect: () => assert.fail("no defect"),
  });
  const demand = (names: readonly string[]) => {
    const demands = names.map((name) => ({ source: id(name), lists: ["joinLogs"] as const }));
    watch.demands.put("feeds", demands);
  };
  return { clock, client, watch, demand };
}

test("the watch tells how many servers are due and how many reads it kept: parked ones are not due, failing ones are", async () => {
  const { clock, client, watch, demand } = rig();
  watch.start();
  assert.deepEqual(await watch.progress(), { sources: 0, due: 0, kept: 0 });
  demand(["a", "b"]);
  await clock.advance(10_000);
  assert.equal((await watch.progress()).due, 2);
  assert.ok((await watch.progress()).kept >= 2);
  client.parkedSources.add(id("b"));
  client.failure = () => new Failure("unreachable", "nothing answers");
  await clock.advance(1_000);
  const { kept } = await watch.progress();
  await clock.advance(10 * 60_000);
  assert.deepEqual(await watch.progress(), { sources: 2, due: 1, kept });
  await watch.stop();
});

test("10,000 servers are counted in many turns of the event loop, and once for all who ask meanwhile", async (t) => {
  const { client, watch, demand } = rig();
  const servers = Array.from({ length: 10_000 }, (_, at) => `server-${at}`);
  demand(servers);
  for (const name of servers.slice(0, 700)) client.parkedSources.add(id(name));
  const { mock: asked } = t.mock.method(client, "parked");
  let told: readonly object[] = [];
  const most = await mostInATurn(
    () => asked.callCount(),
    async () => {
      told = await Promise.all([watch.progress(), watch.progress(), watch.progress()]);
    },
  );
  assert.ok(most <= 100, `${most} servers in a turn`);
  const expected = { sources: 10_000, due: 9_300, kept: 0 };
  assert.deepEqual(told, [expected, expected, expected]);
  assert.equal(asked.callCount(), 10_000);
});

test("of the latest polls the newest are shown, newest first", async () => {
  const { clock, watch, demand, client } = rig();
  demand(Array.from({ length: 60 }, (_, at) => `server-${at}`));
  watch.start();
  await clock.advance(60_000);
  await watch.stop();
  const { lastPolls } = await watch.state();
  const latest = new Map(client.calls.map(({ source, atMs }) => [source, atMs]));
  assert.equal(latest.size, 60);
  const newest = [...latest].sort(([, a], [, b]) => b - a).slice(0, 50);
  assert.deepEqual(
    lastPolls.map(({ source }) => source),
    newest.map(([source]) => source),
  );
});
