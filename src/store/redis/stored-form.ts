import { StoreError } from "../../domain/failure.ts";
import { PREFIX, type RedisConnection } from "./redis-connection.ts";

/** How documents lie in Redis: 2, a hash for each namespace. 1, never written down, was a key for each document. */
const FORM = 2;
const FORM_KEY = `${PREFIX}form`;
/** Keys that one SCAN looks at. */
const PAGE_KEYS = 500;

/** Marks the form. Rejects with a StoreError for data of a newer Marshal, and of one that marked none. */
export async function checkForm(connection: RedisConnection): Promise<void> {
  const found = await connection.run((client) => client.get(FORM_KEY));
  if (Number(found ?? 0) > FORM)
    throw new StoreError("this Redis is from a newer Marshal. This one can't read it");
  if (Number(found ?? 0) === FORM) return;
  if (await hasUnmarked(connection))
    throw new StoreError(
      "this Redis is from a Marshal of before November 2026, which this one can't update. Start commit c56520e on it once, then this one",
    );
  await connection.run((client) => client.set(FORM_KEY, String(FORM)));
}

/** Is there a document of form 1, under a key `marshal:NAMESPACE::KEY`? */
async function hasUnmarked(connection: RedisConnection): Promise<boolean> {
  const pattern = { MATCH: `${PREFIX}*::*`, COUNT: PAGE_KEYS, TYPE: "string" };
  let cursor = "0";
  do {
    const from = cursor;
    const page = await connection.run((client) => client.scan(from, pattern));
    if (page.keys.length > 0) return true;
    cursor = String(page.cursor);
  } while (cursor !== "0");
  return false;
}
