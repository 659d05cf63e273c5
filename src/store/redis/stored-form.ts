import { StoreError } from "../../domain/failure.ts";
import type { Log } from "../../log.ts";
import { hashOf } from "./redis-adapter.ts";
import { PREFIX, type RedisConnection } from "./redis-connection.ts";
import { MOVE_OLD } from "./redis-scripts.ts";

/** How documents lie in Redis: 2, a hash for each namespace. 1, never written down, was a key for each document. */
const FORM = 2;
const FORM_KEY = `${PREFIX}form`;
/** Keys that one SCAN looks at, and that one script moves at most. */
const PAGE_KEYS = 500;

/**
 * Brings what an earlier Marshal wrote into today's form, once. It can be interrupted and begun again, and what was
 * written in today's form in between stands. Rejects with a StoreError for data of a newer Marshal.
 */
export async function bringToForm(connection: RedisConnection, log: Log | undefined): Promise<void> {
  const found = await connection.run((client) => client.get(FORM_KEY));
  if (Number(found ?? 0) > FORM)
    throw new StoreError("this Redis is from a newer Marshal. This one can't read it");
  if (Number(found ?? 0) === FORM) return;
  const moved = await moveOldKeys(connection);
  await connection.run((client) => client.set(FORM_KEY, String(FORM)));
  if (moved > 0) log?.info({ documents: moved }, "the Redis store was updated to this version's format");
}

async function moveOldKeys(connection: RedisConnection): Promise<number> {
  let moved = 0;
  let cursor = "0";
  do {
    const from = cursor;
    const page = await connection.run((client) =>
      client.scan(from, { MATCH: `${PREFIX}*::*`, COUNT: PAGE_KEYS, TYPE: "string" }),
    );
    cursor = String(page.cursor);
    if (page.keys.length === 0) continue;
    const places = page.keys.flatMap((key) => placeOf(key));
    await connection.run((client) => client.eval(MOVE_OLD, { keys: page.keys, arguments: places }));
    moved += page.keys.length;
  } while (cursor !== "0");
  return moved;
}

/** The hash and the field of a key of the first form, `marshal:NAMESPACE::KEY`. */
function placeOf(key: string): readonly [hash: string, field: string] {
  const end = key.indexOf("::");
  return [hashOf(key.slice(PREFIX.length, end)), key.slice(end + 2)];
}
