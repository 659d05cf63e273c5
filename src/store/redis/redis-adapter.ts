import { keyvStorageCapability } from "keyv";
import { StoreError } from "../../domain/failure.ts";
import type { RowsTextChange, TextChange } from "../keyv-documents.ts";
import { PREFIX, type RedisConnection } from "./redis-connection.ts";
import { listOf, rowText } from "./redis-rows.ts";
import { DELETE_FENCED, RAISE, SET_FENCED, WRITE_FENCED } from "./redis-scripts.ts";

/** Fields that one step of an iteration asks for. */
const PAGE_FIELDS = 500;

/** Only the process whose token stands under the key may write. */
export interface Fence {
  /** The key of a lease. */
  readonly key: string;
  readonly token: string;
  /** Of the Redis that granted the lease: one that was restarted or took its place takes no more writes of it. */
  readonly generation?: number | undefined;
  /** A write was refused: another process holds the lease, or nobody does. */
  onRefused(): void;
}

export interface RedisAdapterOptions {
  readonly connection: RedisConnection;
  readonly namespace: string;
  /** Absent: one process alone uses this Redis. */
  readonly fence?: Fence | undefined;
  /** Anyone may write, but never make an end earlier than it is; see `Writers`. */
  readonly raised: boolean;
}

/**
 * A storage adapter of keyv 6 on Redis for one namespace. The namespace is one hash, which is its own index: iterating
 * it never looks at others, and a document is written, fenced and indexed in one step. Values are texts that keyv has
 * serialised. Every method rejects when Redis refuses.
 */
export function redisAdapter({ connection, namespace, fence, raised }: RedisAdapterOptions): object {
  const hash = hashOf(namespace);
  const rank = `${PREFIX}rank:${namespace}`;

  async function write(key: string, value: unknown): Promise<boolean> {
    if (typeof value !== "string") throw new TypeError("the adapter keeps texts: keyv has to serialise");
    if (raised) {
      const input = { keys: [hash, rank], arguments: [key, value] };
      await connection.run((client) => client.eval(RAISE, input));
    } else if (fence === undefined) await connection.run((client) => client.hSet(hash, key, value));
    else await fenced(SET_FENCED, [key, value], [hash]);
    return true;
  }

  async function remove(key: string): Promise<boolean> {
    if (fence === undefined && !raised) return (await connection.run((client) => client.hDel(hash, key))) > 0;
    return (await fenced(DELETE_FENCED, [key], [hash, rank])) > 0;
  }

  const fenced = (script: string, given: readonly string[], hashes: readonly string[]) =>
    runFenced({ connection, fence }, { script, given, hashes });

  const methods = {
    get: async (key: string) => (await connection.run((client) => client.hGet(hash, key))) ?? undefined,
    getMany: async (keys: string[]) =>
      keys.length === 0
        ? []
        : (await connection.run((client) => client.hmGet(hash, keys))).map((value) => value ?? undefined),
    has: async (key: string) => (await connection.run((client) => client.hExists(hash, key))) === 1,
    hasMany: (keys: string[]) => Promise.all(keys.map((key) => methods.has(key))),
    set: (key: string, value: unknown, expires?: number) => {
      if (expires !== undefined) throw new TypeError("a field of a hash does not expire");
      return write(key, value);
    },
    setMany: (entries: readonly { readonly key: string; readonly value: unknown }[]) =>
      Promise.all(entries.map(({ key, value }) => write(key, value))),
    delete: remove,
    deleteMany: (keys: string[]) => Promise.all(keys.map(remove)),
    clear: async () => {
      for await (const [key] of iterate(connection, hash)) await remove(key);
    },
    disconnect: async () => {},
    iterator: () => iterate(connection, hash),
  };
  return { ...methods, capabilities: keyvStorageCapability(methods) };
}

interface Fenced {
  readonly connection: RedisConnection;
  readonly fence?: Fence | undefined;
}

/** Writes all or none of these. Rejects where the fence refuses. */
export async function writeTogether(
  redis: Fenced,
  changes: readonly (TextChange | RowsTextChange)[],
): Promise<void> {
  const given = changes.flatMap((change) => {
    if ("below" in change) return ["drop", String(change.below), ""];
    if ("table" in change) return ["append", String(change.from), rowText(change.seq, change.text)];
    return change.text === undefined ? ["delete", change.key, ""] : ["set", change.key, change.text];
  });
  const hashes = changes.map((change) =>
    "table" in change ? listOf(change.table, change.list) : hashOf(change.namespace),
  );
  await runFenced(redis, { script: WRITE_FENCED, given, hashes });
}

/** Runs a script that answers -1 where the fence refuses. */
async function runFenced(
  { connection, fence }: Fenced,
  { script, given, hashes }: { script: string; given: readonly string[]; hashes: readonly string[] },
): Promise<number> {
  const holder = [fence?.token ?? "", String(fence?.generation ?? "")];
  const input = { keys: [...hashes, fence?.key ?? ""], arguments: [...given, ...holder] };
  const answer = Number(await connection.run((client) => client.eval(script, input)));
  if (answer >= 0) return answer;
  fence?.onRefused();
  throw new StoreError("another process has taken over: this one may not write any more");
}

/** The key under which the documents of a namespace lie. */
export function hashOf(namespace: string): string {
  return `${PREFIX}docs:${namespace}`;
}

/** The namespace whose documents lie under that key. */
export function namespaceOf(hash: string): string {
  return hash.slice(hashOf("").length);
}

/** Documents with their values, a page of them in one round trip; none twice, although HSCAN may name one twice. */
async function* iterate(
  connection: RedisConnection,
  hash: string,
): AsyncGenerator<[key: string, value: string]> {
  const seen = new Set<string>();
  let cursor = "0";
  do {
    const from = cursor;
    const page = await connection.run((client) => client.hScan(hash, from, { COUNT: PAGE_FIELDS }));
    cursor = String(page.cursor);
    for (const { field, value } of page.entries) {
      if (seen.has(field)) continue;
      seen.add(field);
      yield [field, value];
    }
  } while (cursor !== "0");
}
