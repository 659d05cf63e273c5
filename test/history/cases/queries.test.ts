import assert from "node:assert/strict";
import { test } from "node:test";
import type { Case, CaseDraft } from "../../../src/domain/case.ts";
import { storedCases, storedWatches } from "../../../src/history/cases/stored-cases.ts";
import type { HistoryDatabase } from "../../../src/history/database/open-database.ts";
import { addAll, NothingAdded } from "../../../src/history/queries/add-cases.ts";
import { openContext } from "../../../src/history/queries/context.ts";
import { namedQueries, type QueryName } from "../../../src/history/queries/named-queries.ts";
import { onBothDatabases } from "../databases.ts";
import { kick } from "./case-samples.ts";

/** The stores as they are behind the worker, without the thread. */
async function stores(database: HistoryDatabase) {
  const context = await openContext(database, new Uint8Array(32));
  const call = async (name: QueryName, args: never) => {
    const query: (context: never, args: never) => Promise<unknown> = namedQueries[name];
    // What crosses to the worker is cloned.
    return structuredClone(await query(context as never, structuredClone(args) as never));
  };
  return {
    cases: storedCases(call as never, ({ atMs }) => Math.floor(atMs / 1_000)),
    watches: storedWatches(call as never),
  };
}

function draft(with_: Partial<CaseDraft> = {}): CaseDraft {
  const { number: _, edits: __, card: ___, revoked: ____, ...rest } = kick(with_);
  return rest;
}

onBothDatabases("cases", (databases) => {
  test("are numbered within their guild, and the same origin is the same case", async () => {
    const { cases } = await stores(await databases.open());
    const first = await cases.add(draft({ origin: "run a" }), undefined);
    const again = await cases.add(draft({ origin: "run a" }), undefined);
    const second = await cases.add(draft({ origin: "run b" }), undefined);
    const elsewhere = await cases.add(draft({ origin: "run a", guildId: "g2" }), undefined);
    assert.deepEqual(
      [first, again, second, elsewhere].map(({ one, isNew }) => [one.number, isNew]),
      [
        [1, true],
        [1, false],
        [2, true],
        [1, true],
      ],
    );
    assert.deepEqual(await cases.byOrigin("g1", "run b"), second.one);
    assert.equal(await cases.byOrigin("g3", "run b"), undefined);
  });

  test("of several guilds go in together, as one by one, or none of them", async () => {
    const database = await databases.open();
    const context = await openContext(database, new Uint8Array(32));
    const asked = (with_: Partial<CaseDraft>) => ({ draft: draft(with_), card: undefined, most: 100 });
    const added = await addAll(context, [
      asked({ guildId: "g2", origin: "run a" }),
      asked({ guildId: "g1", origin: "run a" }),
      asked({ guildId: "g2", origin: "run a" }),
      asked({ guildId: "g2", origin: "run b" }),
    ]);
    assert.deepEqual(
      added.map(({ one, isNew }) => [one.guildId, one.number, isNew]),
      [
        ["g2", 1, true],
        ["g1", 1, true],
        ["g2", 1, false],
        ["g2", 2, true],
      ],
    );
    const bad = asked({ guildId: "g1", origin: "run c" });
    const unfit = { ...bad, draft: { ...bad.draft, atMs: undefined as unknown as number } };
    await assert.rejects(addAll(context, [asked({ guildId: "g3" }), unfit]), NothingAdded);
    const { cases } = await stores(database);
    assert.equal((await cases.add(draft({ guildId: "g3" }), undefined)).one.number, 1);
    assert.equal((await cases.add(draft({ guildId: "g1", origin: "run d" }), undefined)).one.number, 2);
  });

  test("asked for at once each get a number of their own", async () => {
    const { cases } = await stores(await databases.open());
    const origins = Array.from({ length: 20 }, (_, n) => `run ${n % 10}`);
    const added = await Promise.all(origins.map((origin) => cases.add(draft({ origin }), undefined)));
    const numbers = new Set(added.map(({ one }) => one.number));
    assert.deepEqual(
      [...numbers].sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.equal(added.filter(({ isNew }) => isNew).length, 10);
  });

  test("of some servers are found and counted with those of no server, whatever people wrote on others", async () => {
    const { cases } = await stores(await databases.open());
    const { bindingId: _, ...ofNone } = draft({ origin: "3" });
    await cases.add(draft({ origin: "1", bindingId: "b_1" }), undefined);
    await cases.add(draft({ origin: "2", bindingId: "bx1", reason: 'say "bindingId":"b_1"' }), undefined);
    await cases.add(ofNone, undefined);
    const of = { bindingIds: ["b_1"] };
    await cases.add(draft({ origin: "4", bindingId: "B_1" }), undefined);
    const found = await cases.search("g1", { ...of, limit: 10 });
    assert.deepEqual(
      found.map(({ number }) => number),
      [3, 1],
    );
    const none = await cases.search("g1", { bindingIds: [], limit: 10 });
    assert.deepEqual(
      none.map(({ number }) => number),
      [3],
    );
    const [target] = ofNone.targets;
    assert.ok(target?.playerId !== undefined);
    assert.deepEqual(await cases.counts("g1", target.playerId, { ...of, sinceMs: 0 }), { kick: 2 });
    assert.deepEqual(await cases.counts("g1", target.playerId, { sinceMs: 0 }), { kick: 4 });
  });

  test("that a start has to look at come in pages, the newest first, each once; what has nothing open is none", async () => {
    const { cases } = await stores(await databases.open());
    const card = { channelId: "c1", nonce: "n1" };
    for (const [guildId, count] of [
      ["g1", 3],
      ["g2", 3],
      ["g10", 2],
    ] as const)
      for (let n = 0; n < count; n += 1)
        await cases.add(draft({ guildId, origin: `run ${n}`, atMs: 1_000 + (n % 2) }), card);
    const { receipt: _, ...note } = draft({ origin: "note", kind: "note", atMs: 1_001 });
    await cases.add(note, undefined);
    const found: string[] = [];
    for (let after: Case | undefined; ; ) {
      const page = await cases.open(1_000, { limit: 3, after });
      found.push(...page.map(({ atMs, guildId, number }) => `${atMs} ${guildId} ${number}`));
      after = page.at(-1);
      if (page.length < 3) break;
    }
    assert.deepEqual(found.toSorted(), [
      ...["1000 g1 1", "1000 g1 3", "1000 g10 1", "1000 g2 1", "1000 g2 3"],
      ...["1001 g1 2", "1001 g10 2", "1001 g2 2"],
    ]);
    assert.deepEqual(
      found.map((one) => one.slice(0, 4)),
      found
        .map((one) => one.slice(0, 4))
        .toSorted()
        .toReversed(),
    );
  });

  test("are bounded for each guild: what is one too many is not stored, and an erased one makes room", async () => {
    const context = await openContext(await databases.open(), new Uint8Array(32));
    const add = (origin: string, guildId = "g1") =>
      namedQueries["cases.add"](context, { draft: draft({ origin, guildId }), card: undefined, most: 2 });
    for (const origin of ["a", "b"]) assert.equal((await add(origin)).isNew, true);
    const { isNew, isFull } = await add("c");
    assert.deepEqual([isNew, isFull], [false, true]);
    assert.equal((await add("a")).one.number, 1);
    assert.equal((await add("a", "g2")).isNew, true);
    const [target] = draft().targets;
    await namedQueries["cases.erasePlayer"](context, {
      guildId: "g1",
      number: 1,
      playerId: target?.playerId ?? 0,
    });
    assert.equal((await add("c")).one.number, 3);
  });

  test("are found by player, staff, kind and time, newest first, in pages", async () => {
    const { cases } = await stores(await databases.open());
    const ann = { name: "Ann_Lee", playerId: 11 };
    await cases.add(draft({ origin: "1", atMs: 1_000 }), undefined);
    await cases.add(
      draft({ origin: "2", atMs: 2_000, kind: "ban", targets: [ann, { name: "B'ob" }] }),
      undefined,
    );
    const { origin: _, ...note } = draft({
      kind: "note",
      atMs: 3_000,
      author: { name: "Zed", userId: "u2" },
    });
    await cases.add(note, undefined);
    const author = { name: "Mo", playerId: 14 };
    await cases.add(draft({ origin: "4", atMs: 4_000, targets: [{ name: "bob" }], author }), undefined);
    await cases.add(draft({ origin: "5", guildId: "g2" }), undefined);

    const numbers = async (filter: Partial<Parameters<typeof cases.search>[1]>) =>
      (await cases.search("g1", { limit: 10, ...filter })).map(({ number }) => number);
    assert.deepEqual(await numbers({}), [4, 3, 2, 1]);
    assert.deepEqual(await numbers({ playerId: 11 }), [3, 2, 1]);
    assert.deepEqual(await numbers({ playerName: "BOB" }), [4]);
    assert.deepEqual(await numbers({ playerName: "b'OB" }), [2]);
    assert.deepEqual(await numbers({ userId: "u2" }), [3]);
    assert.deepEqual(await numbers({ userId: "u2", authorPlayerId: 14 }), [4, 3]);
    assert.deepEqual(await numbers({ kind: "kick" }), [4, 1]);
    assert.deepEqual(await numbers({ fromMs: 2_000, toMs: 3_000 }), [3, 2]);
    assert.deepEqual(await numbers({ before: 4, limit: 2 }), [3, 2]);
    assert.deepEqual(await numbers({ playerName: "'; drop table cases; --" }), []);
  });

  test("count against a player by kind, unless they were revoked or are too old", async () => {
    const { cases } = await stores(await databases.open());
    for (const [n, atMs] of [1_000, 2_000, 3_000].entries()) {
      await cases.add(draft({ kind: "warning", origin: `w${n}`, atMs }), undefined);
    }
    await cases.add(
      draft({ origin: "k", targets: [{ name: "Ann_Lee", playerId: 11 }, { name: "x" }] }),
      undefined,
    );
    assert.deepEqual(await cases.counts("g1", 11, { sinceMs: 0 }), { warning: 3, kick: 1 });
    assert.deepEqual(await cases.counts("g1", 11, { sinceMs: 2_000 }), { warning: 2, kick: 1 });
    const one = await cases.get("g1", 3);
    assert.ok(one !== undefined);
    await cases.put({ ...one, revoked: { atMs: 1, byId: "u1" } });
    assert.deepEqual(await cases.counts("g1", 11, { sinceMs: 0 }), { warning: 2, kick: 1 });
    assert.deepEqual(await cases.counts("g2", 11, { sinceMs: 0 }), {});
  });

  test("come back as they went in, whatever their words are", async () => {
    const { cases } = await stores(await databases.open());
    const reason = `'); drop table cases; -- "\\" 🚓 \u202e`;
    const { one } = await cases.add(draft({ reason, targets: [{ name: `x'"\u0301` }] }), {
      channelId: "c1",
      nonce: "n",
    });
    assert.deepEqual(await cases.get("g1", 1), one);
    assert.equal(one.reason, reason);
    const after = { ...one, edits: [{ atMs: 1, byId: "u", field: "reason" as const, from: reason }] };
    await cases.put(after);
    assert.deepEqual(await cases.get("g1", 1), after);
  });

  test("that are open are found again after a start, the young ones", async () => {
    const { cases } = await stores(await databases.open());
    const { one } = await cases.add(draft({ origin: "a", atMs: 5_000 }), undefined);
    await cases.add(draft({ origin: "b", atMs: 1_000 }), undefined);
    assert.deepEqual(
      (await cases.open(2_000, { limit: 10 })).map(({ number }) => number),
      [1],
    );
    await cases.put({ ...one, receipt: { log: "row", left: [{ playerId: 11, atS: 1 }] } });
    assert.deepEqual(await cases.open(2_000, { limit: 10 }), []);
  });

  test("watches stand beside them", async () => {
    const { watches } = await stores(await databases.open());
    const watch = { guildId: "g1", playerId: 4_294_967_296, name: "Ann'", byId: "u1", atMs: 1 };
    await watches.put({ watch, toldS: {} });
    await watches.put({ watch, toldS: { b1: 5 } });
    await watches.put({ watch: { ...watch, guildId: "g2" }, toldS: {} });
    await watches.remove("g2", watch.playerId);
    assert.deepEqual(await watches.all(), { rows: [{ watch, toldS: { b1: 5 } }], unreadable: 0 });
  });
});
