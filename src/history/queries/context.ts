import { createHmac, hash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { HistoryDatabase } from "../database/open-database.ts";
import type { HistoryTables } from "../database/schema.ts";
import { Ingest } from "../ingest/ingest.ts";
import type { Hashes } from "./hashes.ts";

/** What a named query works with. Times come with its arguments. */
export interface QueryContext extends Hashes {
  readonly db: Kysely<HistoryTables>;
  readonly ingest: Ingest;
  /** Changes run one at a time: one that erases must not meet one that stores. */
  readonly writing: KeyedMutex;
}

/** 48 bits. */
const HASH_DIGITS = 12;

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
  const hashes: Hashes = {
    // Names are kept apart from ids, which some of them look like.
    markOf: (guildId, who) =>
      createHmac("sha256", markKey)
        .update(`${guildId} ${typeof who === "number" ? "" : "name "}${who}`)
        .digest("base64url"),
    hashOf: (text) => Number.parseInt(hash("sha256", value + text, "hex").slice(0, HASH_DIGITS), 16),
  };
  return { db, ...hashes, ingest: new Ingest(db, hashes), writing: new KeyedMutex() };
}
