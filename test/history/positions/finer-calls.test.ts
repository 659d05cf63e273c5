import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Demand, ModCallEntry, Snapshot, SourceId } from "../../../src/domain/model.ts";
import type { CallOnCard } from "../../../src/domain/ports/mod-calls.ts";
import type { Link } from "../../../src/history/ingest/recorded-answer.ts";
import { FinerCalls } from "../../../src/history/positions/finer-calls.ts";
import { createWatch } from "../../../src/watch/watch.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { World } from "../../support/limit-run.ts";
import { ann, bob, mod, SOURCE, snapshotOf } from "../rig.ts";

const MINUTE_MS = 60_000;

/** A server whose calls a test sets, and when it is looked at more finely. */
function openRig() {
  const clock = new VirtualClock();
  const nowS = () => Math.floor(clock.nowMs() / 1_000);
  const demands = new Map<string, Demand>();
  const state = {
    tracked: new Set(["g1"]),
    links: [{ guildId: "g1", bindingId: "b1", linkedAtS: nowS() - 3_600 }] as readonly Link[],
    cards: [] as readonly CallOnCard[],
    calls: [] as readonly ModCallEntry[],
  };
  const finer = new FinerCalls({
    clock,
    demands: {
      put(owner, [demand]) {
        if (demand === undefined) demands.delete(owner);
        else demands.set(owner, demand);
      },
    },
    presentS: nowS,
    linksOf: () => state.links,
    tracks: (guildId) => state.tracked.has(guildId),
    callsOnCards: (bindingId) => (bindingId === "b1" ? state.cards : []),
  });
  return {
    clock,
    nowS,
    state,
    finer,
    call(caller = ann): ModCallEntry {
      const call = { kind: "modCall", atS: nowS(), caller } as const;
      state.calls = [...state.calls, call];
      return call;
    },
    answer(call: ModCallEntry) {
      state.calls = state.calls.map((one) => (one === call ? { ...one, moderator: mod } : one));
    },
    look() {
      const snapshot = snapshotOf({}, nowS());
      finer.take({ ...snapshot, lists: { ...snapshot.lists, modCalls: state.calls } });
    },
    /** For how long it will be looked at more finely; 0: it is not. */
    leftMs(): number {
      const demand = demands.get(`finer calls ${SOURCE}`);
      return Math.max(0, (demand?.untilMs ?? 0) - clock.nowMs());
    },
    demands,
  };
}

describe("an open call", () => {
  test("has its server looked at more finely until ten minutes after it began", async () => {
    const rig = openRig();
    rig.look();
    assert.equal(rig.leftMs(), 0);
    rig.call();
    await rig.clock.advance(20_000);
    rig.look();
    assert.equal(rig.leftMs(), 580_000);
    const [demand] = [...rig.demands.values()];
    assert.deepEqual(
      [demand?.source, demand?.guildId, demand?.finerMs, demand?.maxAgeMs],
      [SOURCE, "g1", 5_000, undefined],
    );
    await rig.clock.advance(570_000);
    rig.look();
    assert.equal(rig.leftMs(), 10_000);
    await rig.clock.advance(11_000);
    rig.look();
    assert.equal(rig.leftMs(), 0);
  });

  test("no longer, once it is answered in the game, or resolved on its card; a claim is no end", async () => {
    const rig = openRig();
    const first = rig.call();
    rig.look();
    assert.ok(rig.leftMs() > 0);
    rig.answer(first);
    rig.look();
    assert.equal(rig.leftMs(), 0);

    const { caller, atS } = rig.call(bob);
    const taken = { userId: "u13", atMs: rig.clock.nowMs() };
    rig.state.cards = [{ caller, atS, taken }];
    rig.look();
    assert.ok(rig.leftMs() > 0);
    rig.state.cards = [{ caller, atS, taken, isOver: true }];
    rig.look();
    assert.equal(rig.leftMs(), 0);
  });

  test("nothing where no positions are recorded, of before the server was linked, or once it is unlinked", async () => {
    const rig = openRig();
    rig.call();
    rig.state.tracked.clear();
    rig.look();
    assert.equal(rig.leftMs(), 0);
    rig.state.tracked.add("g1");
    rig.state.links = [{ guildId: "g1", bindingId: "b1", linkedAtS: rig.nowS() + 1 }];
    rig.look();
    assert.equal(rig.leftMs(), 0);
    rig.state.links = [{ guildId: "g1", bindingId: "b1", linkedAtS: rig.nowS() }];
    rig.look();
    assert.ok(rig.leftMs() > 0);
    rig.state.tracked.clear();
    rig.look();
    assert.equal(rig.leftMs(), 0, "positions were turned off");
    rig.state.tracked.add("g1");
    rig.look();
    assert.ok(rig.leftMs() > 0);
    rig.state.links = [];
    rig.finer.onLinksChanged(SOURCE);
    assert.equal(rig.leftMs(), 0, "its key may not be read any more, so no look would end it");
  });

  test("counts as the guild's that records positions and has the call", () => {
    const rig = openRig();
    rig.state.links = [
      { guildId: "other", bindingId: "b0", linkedAtS: 0 },
      { guildId: "g1", bindingId: "b1", linkedAtS: 0 },
    ];
    rig.call();
    rig.look();
    assert.equal([...rig.demands.values()][0]?.guildId, "g1");
  });
});

describe("a flood of calls", () => {
  for (const answersThem of [false, true]) {
    test(`${answersThem ? "that are answered at once" : "that nobody answers"} keeps a server finer for ten minutes in any thirty`, async () => {
      const rig = openRig();
      const random = seededRandom(answersThem ? 5 : 6);
      const finerAt: boolean[] = [];
      for (let second = 0; second < 3 * 3_600; second += 5) {
        if (random.next() < 0.2) rig.call(random.next() < 0.5 ? ann : bob);
        if (answersThem && random.next() < 0.3) for (const call of rig.state.calls) rig.answer(call);
        rig.state.calls = rig.state.calls.slice(-100);
        rig.look();
        finerAt.push(rig.leftMs() >= 5_000);
        await rig.clock.advance(5_000);
      }
      const window = (30 * 60) / 5;
      for (let from = 0; from + window <= finerAt.length; from++) {
        const steps = finerAt.slice(from, from + window).filter(Boolean).length;
        assert.ok(steps <= (10 * 60) / 5, `${steps * 5} s in half an hour from ${from * 5} s on`);
      }
      const total = finerAt.filter(Boolean).length * 5;
      assert.ok(total >= 50 * 60, `${total} s of three hours: it goes on when it may`);
    });
  }
});

/** A request a second for eleven busy servers and a quiet one, in which somebody calls after half an hour. */
async function callInTheQuietTown({ hasCall }: { readonly hasCall: boolean }) {
  const limits = { global: { limit: 1, windowMs: 1_000 } };
  const world = new World({ seed: 12, keys: 12, service: { limits, town: { intensity: "busy" } } });
  const { clock } = world;
  const quiet = 0;
  const town = world.service.town(world.key(quiet));
  town.setIntensity("quiet");
  const looks = new Map<SourceId, number[]>(world.sources.map((source) => [source, []]));
  const watch = createWatch({
    client: world.client,
    health: world.client,
    clock,
    random: seededRandom(4),
    metrics: world.metrics,
    onDefect: (error) => assert.fail(String(error)),
  });
  const lists = ["players", "joinLogs", "killLogs", "commandLogs", "modCalls"] as const;
  for (const source of world.sources)
    watch.demands.put(`history ${source}`, [{ source, guildId: source, lists }]);
  let presentMs = 0;
  const finer = new FinerCalls({
    clock,
    demands: watch.demands,
    presentS: () => Math.floor(presentMs / 1_000),
    linksOf: (source) => [{ guildId: source, bindingId: source, linkedAtS: 0 }],
    // The others' own calls would have them looked at more finely too.
    tracks: (guildId) => guildId === world.source(quiet),
    callsOnCards: () => [],
  });
  watch.listen({
    take: async (snapshot: Snapshot) => {
      presentMs = snapshot.serviceAtMs ?? snapshot.takenAtMs;
      looks.get(snapshot.source)?.push(clock.monotonicMs());
      finer.take(snapshot);
    },
  });
  watch.start();
  const startMs = clock.monotonicMs();
  await clock.advance(30 * MINUTE_MS);
  if (hasCall) town.modCall(town.players[0]);
  await clock.advance(20 * MINUTE_MS);
  await Promise.all([watch.stop(), world.close()]);
  const count = (source: SourceId, fromMin: number, untilMin: number) =>
    looks
      .get(source)
      ?.filter((ms) => ms - startMs >= fromMin * MINUTE_MS && ms - startMs < untilMin * MINUTE_MS).length ??
    0;
  const all = (fromMin: number, untilMin: number) =>
    world.sources.reduce((sum, source) => sum + count(source, fromMin, untilMin), 0);
  const others = world.sources.filter((source) => source !== world.source(quiet));
  return { count, all, quiet: world.source(quiet), others };
}

describe("through the emulated service", () => {
  test("looks come closer together after a call begins, go back after ten minutes, and are nobody else's", async () => {
    const calm = await callInTheQuietTown({ hasCall: false });
    const called = await callInTheQuietTown({ hasCall: true });
    const looks = ({ count, quiet }: typeof calm) =>
      [20, 30, 40].map((from) => count(quiet, from, from + 10));
    const [before = 0, finer = 0, later = 0] = looks(called);
    const usual = Math.max(...looks(calm));
    assert.ok(finer > 1.5 * before, `${finer} looks in the ten minutes of the call, ${before} before it`);
    assert.ok(later <= usual + 2, `${later} looks when they are over, without a call up to ${usual}`);

    const even = calm.all(30, 50) / (calm.others.length + 1);
    for (const source of called.others) {
      const due = Math.min(calm.count(source, 30, 50), even);
      const has = called.count(source, 30, 50);
      assert.ok(has >= 0.97 * due, `${has} looks of a neighbour, who is due ${due}`);
    }
  });
});
