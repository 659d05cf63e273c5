import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { HistoryDatabase } from "../database/open-database.ts";
import type { HistoryTables } from "../database/schema.ts";

/** What a named query works with. Times come with its arguments. */
export interface QueryContext {
  readonly db: Kysely<HistoryTables>;
  /** The name of a player in the list of the forgotten. */
  markOf(guildId: string, playerId: number): string;
  /** 48 bits that stand for a text in a key; salted, so that nobody can choose two texts with the same. */
  hashOf(text: string): number;
}

const HASH_BYTES = 6;

/** Reads the salt of this database, or makes it. */
export async function openContext(
  { db }: Pick<HistoryDatabase, "db">,
  markKey: Uint8Array,
): Promise<QueryContext> {
  const salt = randomBytes(16).toString("hex");
  const own = { name: "text-salt", value: salt };
  await db
    .insertInto("facts")
    .values(own)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db
    .selectFrom("facts")
    .select("value")
    .where("name", "=", own.name)
    .executeTakeFirstOrThrow();
  return {
    db,
    markOf: (guildId, playerId) =>
      createHmac("sha256", markKey).update(`${guildId} ${playerId}`).digest("base64url"),
    hashOf: (text) => createHash("sha256").update(value).update(text).digest().readUIntBE(0, HASH_BYTES),
  };
}
