import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { explainDatabaseError } from "../../src/history/database/database-errors.ts";
import { nextNumber, nextPersons } from "../../src/history/database/row-numbers.ts";
import { onBothDatabases } from "./databases.ts";

onBothDatabases("the tables of the history", (databases) => {
  test("opened again they are as they were", async () => {
    const url = await databases.empty();
    const first = await databases.open(url);
    await first.db
      .insertInto("guilds")
      .values({ id: 1, guild_id: "9", retention_days: 90, positions_days: 0, version: 1 })
      .execute();
    const again = await databases.open(url);
    const rows = await again.db.selectFrom("guilds").selectAll().execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 1, guild_id: "9", retention_days: 90, positions_days: 0, version: 1 }],
    );
  });

  test("a change that breaks off, on a full disk or by a kill, is begun anew", async () => {
    const url = await databases.empty();
    const { db } = await databases.open(url);
    // The release before the first one; one of its tables cannot be made.
    const tables = await db.introspection.getTables();
    for (const { name } of tables) await db.schema.dropTable(name).ifExists().execute();
    await sql`delete from kysely_migration`.execute(db);
    await db.schema.createTable("counters").addColumn("other", "integer").execute();
    await assert.rejects(databases.open(url), /counters/);
    await db.schema.dropTable("counters").execute();
    const again = await databases.open(url);
    assert.deepEqual(await again.db.selectFrom("guilds").selectAll().execute(), []);
  });

  test("of a newer Marshal are not changed, and are not called damaged", async () => {
    const url = await databases.empty();
    const { db } = await databases.open(url);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00.000Z')`.execute(
      db,
    );
    const error = await databases.open(url).catch((refusal: unknown) => refusal);
    assert.match(
      explainDatabaseError(error, url),
      /^\S+(?: \S+)* is from a newer Marshal\. Start the newer version again, or restore a backup from before the update$/,
    );
  });

  if (databases.kind === "sqlite") {
    test("a file that grows takes at most 192 MB of memory: 128 mapped, 64 in sqlite's cache", async () => {
      const { db } = await databases.open();
      const { rows: mapped } = await sql<{ mmap_size: number }>`pragma mmap_size`.execute(db);
      const { rows: cached } = await sql<{ cache_size: number }>`pragma cache_size`.execute(db);
      assert.equal(mapped[0]?.mmap_size, 128 * 2 ** 20);
      assert.equal(cached[0]?.cache_size, -64 * 2 ** 10);
    });
  }

  test("cases of the release before get their server, whatever their words are", async () => {
    const url = await databases.empty();
    const { db } = await databases.open(url);
    await db.schema.dropIndex("cases_by_server").execute();
    await db.schema.alterTable("cases").dropColumn("binding_id").execute();
    for (const table of ["duty", "positions", "case_evidence"]) await db.schema.dropTable(table).execute();
    await db.schema.alterTable("guilds").dropColumn("positions_days").execute();
    await db.schema.alterTable("scopes").dropColumn("looked_before_s").execute();
    await sql`delete from kysely_migration where name >= '0007-case-servers'`.execute(db);
    const old = Array.from({ length: 1_203 }, (_, n) => ({
      guild_id: n % 2 === 0 ? "g1" : "g2",
      number: 1 + Math.floor(n / 2),
      kind: "kick",
      at_ms: n,
      origin: null,
      author_user: null,
      author_player: null,
      is_revoked: 0,
      is_open: 0,
      body: JSON.stringify({
        reason: '\u0000\ud800 "bindingId":"b9"',
        ...(n % 3 === 0 ? {} : { bindingId: `b${n % 3}` }),
      }),
    }));
    // A case of then has no such column.
    const rows: object[] = old;
    for (let at = 0; at < rows.length; at += 100)
      await db
        .insertInto("cases")
        .values(rows.slice(at, at + 100) as never)
        .execute();
    const again = await databases.open(url);
    const found = await again.db
      .selectFrom("cases")
      .select(["at_ms", "binding_id"])
      .orderBy("at_ms")
      .execute();
    assert.deepEqual(
      found.map(({ at_ms, binding_id }) => [Number(at_ms), binding_id]),
      old.map(({ at_ms: n }) => [n, n % 3 === 0 ? null : `b${n % 3}`]),
    );
  });

  if (databases.kind === "sqlite") {
    test("positions of the release before stay, and get a table whose rows may fill a page", async () => {
      const url = await databases.empty();
      const { db } = await databases.open(url);
      const row = { scope: 7, at_s: 1_763_755_200, people: ",1,2,", body: new Uint8Array(1_500).fill(9) };
      await db.schema.dropTable("positions").execute();
      await sql`create table positions (scope integer not null, at_s bigint not null, people text not null,
        body blob not null, constraint positions_key primary key (scope, at_s)) without rowid`.execute(db);
      await db.insertInto("positions").values(row).execute();
      await sql`delete from kysely_migration where name >= '0012-position-pages'`.execute(db);
      const again = await databases.open(url);
      const [back] = await again.db.selectFrom("positions").selectAll().execute();
      assert.deepEqual({ ...back, body: new Uint8Array(back?.body ?? []) }, row);
      const { rows } = await sql<{ wr: number }>`pragma table_list('positions')`.execute(again.db);
      assert.deepEqual(
        rows.map(({ wr }) => wr),
        [0],
        "without rowids a row of over a thousand bytes takes a page of its own",
      );
      await assert.rejects(again.db.insertInto("positions").values(row).execute(), /UNIQUE/);
    });
  }

  test("a number of 53 bits and a name that is meant badly come back as they went in", async () => {
    const { db } = await databases.open();
    const name = `'; drop table names; --"`;
    const row = { guild: 1, person: 2, name, name_key: name, first_s: 2 ** 53 - 1, last_s: 4_294_967_296 };
    await db.insertInto("names").values(row).execute();
    const [back] = await db.selectFrom("names").selectAll().execute();
    assert.deepEqual({ ...back }, row);
  });

  test("numbers of people are given out once, those of a guild beside each other, after all that stood before", async () => {
    const { db } = await databases.open();
    const next = async (guild: number, count: number) => [...(await nextPersons(db, guild, count))];
    await db.updateTable("counters").set({ value: 300 }).where("name", "=", "persons").execute();
    assert.deepEqual(await next(1, 3), [512, 513, 514]);
    assert.deepEqual(await next(2, 1), [768]);
    assert.deepEqual(await next(1, 1), [515]);
    // 256 are one guild's: the rest lies behind those of the other.
    const many = await next(1, 300);
    assert.deepEqual([many[0], many[251], many[252], many.at(-1)], [516, 767, 1_024, 1_071]);
    assert.deepEqual(await next(2, 2), [769, 770]);
    assert.deepEqual([await nextNumber(db, "guilds"), await nextNumber(db, "guilds")], [1, 2]);
  });
});
