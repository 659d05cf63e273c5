import type { TextRows } from "../keyv-documents.ts";
import { PREFIX, type RedisConnection } from "./redis-connection.ts";
import { READ_ROWS } from "./redis-scripts.ts";

/** Rows that one step of reading a whole list asks for. */
const PAGE_ROWS = 500;

/** The key under which a list of rows lies. A table's name has no colon. */
export function listOf(table: string, list: string): string {
  return `${PREFIX}rows:${table}:${list}`;
}

/** A row as it lies in its list: its number, a space, its text. */
export function rowText(seq: number, text: string): string {
  return `${seq} ${text}`;
}

/** Rows on Redis: one list each, so that nothing of it is written anew for the next row. */
export function redisRows(connection: RedisConnection): TextRows {
  return {
    async read(table, list, { from, limit }) {
      const input = { keys: [listOf(table, list)], arguments: [String(from), String(limit)] };
      const found = await connection.run((client) => client.eval(READ_ROWS, input));
      return (Array.isArray(found) ? found : []).map((row) => parsed(String(row)));
    },
    async *entries(table) {
      for (const key of await keysLike(connection, listOf(table, "*"))) {
        for (let from = 0; ; from += PAGE_ROWS) {
          const page = await connection.run((client) => client.lRange(key, from, from + PAGE_ROWS - 1));
          for (const row of page) yield [key.slice(listOf(table, "").length), ...parsed(row)];
          if (page.length < PAGE_ROWS) break;
        }
      }
    },
  };
}

/** The tables that hold anything, in order. */
export async function redisTables(connection: RedisConnection): Promise<readonly string[]> {
  const keys = await keysLike(connection, listOf("*", "*"));
  const tables = keys.map((key) => key.slice(`${PREFIX}rows:`.length).split(":", 1)[0] ?? "");
  return [...new Set(tables)].sort();
}

/** All keys of a pattern, in order; looks at every key, so it is for tools. */
export async function keysLike(connection: RedisConnection, pattern: string): Promise<readonly string[]> {
  return await connection.run(async (client) => {
    const found = new Set<string>();
    for await (const page of client.scanIterator({ MATCH: pattern, COUNT: 1_000 }))
      for (const key of page) found.add(key);
    return [...found].sort();
  });
}

function parsed(row: string): readonly [seq: number, text: string] {
  const end = row.indexOf(" ");
  return [Number(row.slice(0, end)), row.slice(end + 1)];
}
