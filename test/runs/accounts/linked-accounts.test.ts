import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GameAccount } from "../../../src/domain/ports/game-accounts.ts";
import { type GuildAccounts, parseGuildAccounts } from "../../../src/runs/accounts/account-record.ts";
import { LinkedAccounts } from "../../../src/runs/accounts/linked-accounts.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";

function account(n: number): GameAccount {
  const userId = String(100_000_000_000_000_000n + BigInt(n) * 7_919n);
  return { userId, player: { name: `Player${n}`, id: 1_000 + n }, linkedAtMs: n };
}

/** Documents that measure what is written. */
function measured() {
  const texts = new Map<string, string>();
  const documents = new MemoryDocuments<GuildAccounts>(parseGuildAccounts, texts);
  let written = 0;
  const set = documents.set.bind(documents);
  documents.set = async (key, value) => {
    written += JSON.stringify(value).length;
    await set(key, value);
  };
  const open = () => new LinkedAccounts(documents);
  return {
    texts,
    documents,
    open,
    async bytesOf(work: () => Promise<unknown>): Promise<number> {
      written = 0;
      await work();
      return written;
    },
  };
}

describe("linked accounts", () => {
  test("20,000 of a community: a write costs the same however many there are, and the next process finds all", async () => {
    const kept = measured();
    const accounts = kept.open();
    const all = Array.from({ length: 20_000 }, (_, n) => account(n));
    const sizes: number[] = [];
    for (const [from, to] of [
      [0, 2_000],
      [2_000, 19_999],
    ] as const) {
      const { added } = await accounts.addAll("g1", all.slice(from, to));
      assert.equal(added.length, to - from);
      const extra = account(50_000);
      sizes.push(await kept.bytesOf(() => accounts.add("g1", extra)));
      sizes.push(await kept.bytesOf(() => accounts.remove("g1", extra.userId)));
    }
    await accounts.add("g1", account(19_999));
    assert.ok(Math.max(...sizes) < 20_000, `${sizes}`);
    await assert.rejects(accounts.add("g1", account(60_000)), /20000 linked accounts, the maximum/);

    const next = kept.open();
    assert.equal((await next.all("g1")).length, 20_000);
    const players = await next.byPlayer("g1");
    for (const one of all) assert.deepEqual(players.get(one.player.id), one);
    assert.deepEqual(await next.ofUser("g2", all[0]?.userId ?? ""), undefined);

    await next.forgetGuild("g1");
    assert.equal(kept.texts.size, 0);
    assert.equal((await next.all("g1")).length, 0);
  });

  test("a thousand of an earlier Marshal, in one document, are read and changed", async () => {
    const kept = measured();
    const accounts = Array.from({ length: 1_000 }, (_, n) => account(n));
    await kept.documents.set("g1", { accounts: accounts.map((one) => ({ ...one })) });
    const opened = kept.open();
    await opened.add("g1", account(1_000));
    await opened.remove("g1", account(5).userId);
    const after = await kept.open().all("g1");
    assert.deepEqual(
      after.map(({ player }) => player.id),
      [...accounts.map(({ player }) => player.id).filter((id) => id !== 1_005), 2_000],
    );
  });

  test("a member has one account and an account one member, also within one list and across pieces", async () => {
    const opened = measured().open();
    await opened.addAll(
      "g1",
      Array.from({ length: 300 }, (_, n) => account(n)),
    );
    const twice = [
      { ...account(900), player: account(250).player },
      { ...account(901), userId: account(20).userId },
      account(902),
      { ...account(903), userId: account(902).userId },
      { ...account(904), player: account(902).player },
    ];
    const dry = await opened.addAll("g1", twice, { dry: true });
    assert.equal((await opened.all("g1")).length, 300);
    const { added, refused } = await opened.addAll("g1", twice);
    assert.deepEqual(dry, { added, refused });
    assert.deepEqual(added, [account(902)]);
    assert.equal(refused.length, 4);
  });

  test("after a write that failed, what is known is what is stored", async () => {
    const kept = measured();
    const opened = kept.open();
    await opened.add("g1", account(1));
    const set = kept.documents.set;
    kept.documents.set = () => Promise.reject(new Error("the disk is full"));
    await assert.rejects(opened.add("g1", account(2)), /full/);
    kept.documents.set = set;
    assert.deepEqual(await opened.all("g1"), [account(1)]);
    await opened.add("g1", account(2));
    assert.equal((await kept.open().all("g1")).length, 2);
  });
});
