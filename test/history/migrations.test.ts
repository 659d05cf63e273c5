import assert from "node:assert/strict";
import { test } from "node:test";
import { onBothDatabases } from "./databases.ts";

onBothDatabases("the tables of the history", (databases) => {
  test("opened again they are as they were", async () => {
    const url = databases.fresh();
    const first = await databases.open(url);
    await first.db
      .insertInto("guilds")
      .values({ id: 1, guild_id: "9", retention_days: 90, version: 1 })
      .execute();
    const again = await databases.open(url);
    const rows = await again.db.selectFrom("guilds").selectAll().execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 1, guild_id: "9", retention_days: 90, version: 1 }],
    );
  });

  test("a number of 53 bits and a name that is meant badly come back as they went in", async () => {
    const { db } = await databases.open();
    const name = `'; drop table names; --"`;
    const row = { guild: 1, person: 2, name, name_key: name, first_s: 2 ** 53 - 1, last_s: 4_294_967_296 };
    await db.insertInto("names").values(row).execute();
    const [back] = await db.selectFrom("names").selectAll().execute();
    assert.deepEqual({ ...back }, row);
  });

  test("numbers are given out once", async () => {
    const { db } = await databases.open();
    const next = () =>
      db
        .updateTable("counters")
        .set(({ eb }) => ({ value: eb("value", "+", 1) }))
        .where("name", "=", "persons")
        .returning("value")
        .executeTakeFirstOrThrow();
    assert.deepEqual([(await next()).value, (await next()).value], [1, 2]);
  });
});
