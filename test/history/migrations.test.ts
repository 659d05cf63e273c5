import assert from "node:assert/strict";
import { test } from "node:test";
import { nextNumber, nextPersons } from "../../src/history/database/next-number.ts";
import { onBothDatabases } from "./databases.ts";

onBothDatabases("the tables of the history", (databases) => {
  test("opened again they are as they were", async () => {
    const url = await databases.fresh();
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
