import type { Kysely } from "kysely";
import type { HistoryTables } from "../database/schema.ts";
import { chunkOf, decodeChunk, encodeChunk, type Look, listedIn, listOf, peopleIn } from "./chunk.ts";

/** Adding looks to the minutes of a server, and taking people out of them. */

type Db = Pick<Kysely<HistoryTables>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom">;

/** Minutes that are read at once. */
const AT_ONCE = 500;

/** Adds a look; one of the same second stands as it is, so that the same answer twice adds nothing. */
export async function storeLookOf(db: Db, scope: number, look: Look): Promise<void> {
  const at_s = chunkOf(look.atS);
  const row = await db
    .selectFrom("positions")
    .select("body")
    .where("scope", "=", scope)
    .where("at_s", "=", at_s)
    .executeTakeFirst();
  const before = row === undefined ? [] : decodeChunk(row.body);
  if (before.some(({ atS }) => atS === look.atS)) return;
  const looks = [...before, look].sort((a, b) => a.atS - b.atS);
  if (row !== undefined) {
    await replace(db, { scope, at_s, body: row.body }, looks);
    return;
  }
  await db
    .insertInto("positions")
    .values({ scope, at_s, ...columnsOf(looks) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** All that is kept of a guild's servers, unlinked ones as well. */
export async function erasePositions(db: Db, guild: number): Promise<void> {
  await db
    .deleteFrom("positions")
    .where("scope", "in", (eb) => eb.selectFrom("scopes").select("id").where("guild", "=", guild))
    .execute();
}

/** Takes somebody out of all minutes of these servers that lie in the time in which they were seen. */
export async function forgetPositions(
  db: Db,
  scopes: readonly number[],
  { person, fromS, toS }: { readonly person: number; readonly fromS: number; readonly toS: number },
): Promise<void> {
  for (const scope of scopes) {
    for (let after = chunkOf(fromS) - 1; ; ) {
      const rows = await db
        .selectFrom("positions")
        .select(["at_s", "people", "body"])
        .where("scope", "=", scope)
        .where("at_s", ">", after)
        .where("at_s", "<=", toS)
        .orderBy("at_s")
        .limit(AT_ONCE)
        .execute();
      for (const { at_s, body } of rows.filter(({ people }) => listedIn(people, person))) {
        await replace(
          db,
          { scope, at_s, body },
          decodeChunk(body).map((look) => without(look, person)),
        );
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) break;
      after = last.at_s;
    }
  }
}

function without({ atS, spots }: Look, person: number): Look {
  return { atS, spots: new Map([...spots].filter(([one]) => one !== person)) };
}

/**
 * Only where the row is still what was read: another process that has taken somebody out of it meanwhile is not undone,
 * and the look that is left out then is one of many.
 */
async function replace(
  db: Db,
  { scope, at_s, body }: { readonly scope: number; readonly at_s: number; readonly body: Uint8Array },
  looks: readonly Look[],
): Promise<void> {
  await db
    .updateTable("positions")
    .set(columnsOf(looks))
    .where("scope", "=", scope)
    .where("at_s", "=", at_s)
    .where("body", "=", body)
    .execute();
}

function columnsOf(looks: readonly Look[]) {
  return { people: listOf(peopleIn(looks)), body: encodeChunk(looks) };
}
