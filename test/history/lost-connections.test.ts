import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PostgresWaits } from "../../src/history/database/connect-postgres.ts";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { TcpWay } from "../support/tcp-way.ts";
import { onBothDatabases } from "./databases.ts";

/** More than a busy machine needs for one answer; the bot waits for longer. */
const ANSWER_WITHIN_MS = 1_000;
const PAUSE_WITHIN_MS = 500;

onBothDatabases("a connection of the history", ({ kind, fresh }) => {
  if (kind === "sqlite") return;

  /** The history over a way that can be cut. */
  async function opened(t: TestContext, waits: Partial<PostgresWaits> = {}) {
    const address = new URL(await fresh());
    const way = await TcpWay.open(() => `${address.searchParams.get("host")}/.s.PGSQL.5432`);
    const url = `postgres://${address.username}@127.0.0.1:${way.port}${address.pathname}`;
    const database = await openDatabase(url, { connectWithinMs: 60_000, ...waits });
    t.after(async () => {
      way.close();
      await database.close();
    });
    return { way, url, db: database.db };
  }

  test("that is lost in the middle of a transaction is an error of that transaction alone", async (t) => {
    const { way, db } = await opened(t);
    const lost = db.transaction().execute(async (trx) => {
      await trx.updateTable("counters").set({ value: 7 }).execute();
      way.drop();
      await trx.selectFrom("counters").selectAll().execute();
    });
    await assert.rejects(lost, /terminated|ECONNRESET/);
    const { value } = await db.selectFrom("counters").select("value").limit(1).executeTakeFirstOrThrow();
    assert.equal(value, 0);
  });

  test("on which nothing is answered any more is given up, and the next one serves", {
    timeout: 20_000,
  }, async (t) => {
    const { way, db } = await opened(t, { answerWithinMs: ANSWER_WITHIN_MS });
    const ask = () => db.selectFrom("counters").select("value").limit(1).execute();
    await ask();
    way.silence();
    await assert.rejects(ask(), /does not answer/);
    assert.equal((await ask()).length, 1);
  });

  test("whose process froze in the middle of a transaction does not hold up another process", {
    timeout: 60_000,
  }, async (t) => {
    const woken = Promise.withResolvers<void>();
    t.after(() => woken.resolve());
    const { db, url } = await opened(t, { pauseWithinMs: PAUSE_WITHIN_MS });
    const { db: successor } = await openDatabase(url, { connectWithinMs: 60_000 });
    t.after(() => successor.destroy());
    const begun = Promise.withResolvers<void>();
    const frozen = db.transaction().execute(async (trx) => {
      await trx.updateTable("counters").set({ value: 7 }).execute();
      begun.resolve();
      await woken.promise;
    });
    const refused = assert.rejects(frozen, /connection error|terminat/i);
    await begun.promise;
    await successor.updateTable("counters").set({ value: 8 }).execute();
    woken.resolve();
    await refused;
    const { value } = await db.selectFrom("counters").select("value").limit(1).executeTakeFirstOrThrow();
    assert.equal(value, 8);
  });
});
