import { setImmediate } from "node:timers/promises";
import { Keyv } from "keyv";
import { StoreError } from "../domain/failure.ts";
import type { Change, Documents, Rows, RowsChange } from "../domain/ports/documents.ts";

/** full: what was acknowledged survives a power cut. normal: it survives the end of the process. */
export type Durability = "full" | "normal";

/**
 * Who may write where several processes share a store. holder: only the process that holds the lease.
 * anyone-raises: everybody may, because what they learned of the service holds for all (a halt, a refused key), but an
 * older or shorter one never replaces a newer or longer one; only the holder deletes.
 */
export type Writers = "holder" | "anyone-raises";

/**
 * In which order a store on a file writes, in groups that wait a moment for more. in-turn: in the order of asking. ahead: before
 * what waits in the same group, because a request waits for it. at-once: the same, and its group begins now, because whoever
 * writes it does not wait for it, and a kill must not find it unwritten.
 */
export type Turn = "in-turn" | "ahead" | "at-once";

export interface NamespaceRules {
  /** @default holder */
  readonly writers?: Writers | undefined;
  /** @default in-turn */
  readonly turn?: Turn | undefined;
}

export interface Store {
  /** One namespace; `parse` throws on a value of another shape. One Documents a namespace, made once. */
  documents<T>(
    namespace: string,
    parse: (value: unknown) => T,
    durability: Durability,
    rules?: NamespaceRules,
  ): Documents<T>;
  /** One table; `parse` throws on a row of another shape. */
  rows<T>(table: string, parse: (value: unknown) => T): Rows<T>;
  /**
   * Writes all or none of these, in the durability of the most durable document. Each namespace is one of which `documents`
   * was made, and none that anyone raises or that goes ahead: that is a TypeError.
   */
  write(changes: readonly (Change | RowsChange)[]): Promise<void>;
  /**
   * Resolves with true once what was written with full durability survives a power cut, with false where this store
   * cannot tell.
   */
  flush(): Promise<boolean>;
  /**
   * Overwrites one small row, without a wait for the disk. Rejects with a StoreError while writes would be lost: a full
   * disk or a Redis without memory can still be read, so reading does not show it.
   */
  checkWritable(): Promise<void>;
  /** The namespaces that hold anything, in order; reads all names, so it is for tools. */
  namespaces(): Promise<readonly string[]>;
  /** The same for tables. */
  tables(): Promise<readonly string[]>;
  /** Whether another Marshal works on it at this moment. A file that is open here is no other's. */
  isHeld(): Promise<boolean>;
  /** Resolves with the reason, in words, when the store has ended for good and the process can do nothing more. */
  readonly lost: Promise<string>;
  /** From now on it counts as a copy, until a bot has looked through it: what was sent since it was made is not in it. */
  markCopy(): Promise<void>;
  close(): Promise<void>;
}

/** What `documents` was told of a namespace. */
export interface NamespaceKind extends NamespaceRules {
  readonly durability: Durability;
}

/** A change of a document as adapters write it; without a text it goes. */
export interface TextChange {
  readonly namespace: string;
  readonly key: string;
  readonly text: string | undefined;
}

/** A change of a list of rows as databases write it. */
export type RowsTextChange = { readonly table: string; readonly list: string } & (
  | { readonly seq: number; readonly from: number; readonly text: string }
  | { readonly below: number }
);

/** What a database does for documents: an adapter of keyv for each namespace, and one batch beside them. */
export interface DocumentDatabase {
  adapterOf(namespace: string, kind: NamespaceKind): object;
  /** All or none of these. */
  writeTexts(texts: readonly (TextChange | RowsTextChange)[], durability: Durability): Promise<unknown>;
}

/** The documents of a store: each namespace a keyv; several are written by the database's own batch, in keyv's form. */
export function documentsOn({ adapterOf, writeTexts }: DocumentDatabase): Pick<Store, "documents" | "write"> {
  const kinds = new Map<string, NamespaceKind>();
  return {
    documents: (namespace, parse, ...[durability, rules]: readonly [Durability, NamespaceRules?]) => {
      const kind = { ...rules, durability };
      kinds.set(namespace, kind);
      return new KeyvDocuments(adapterOf(namespace, kind), namespace, parse);
    },
    write: async (changes) => {
      const { texts, durability } = textsOf(changes, kinds);
      if (texts.length > 0) await answered(writeTexts(texts, durability), "several documents");
    },
  };
}

/**
 * The changes as texts in keyv's form, and the durability that all of them get. Throws a TypeError for a change that cannot
 * be written with others.
 */
function textsOf(
  changes: readonly (Change | RowsChange)[],
  kinds: ReadonlyMap<string, NamespaceKind>,
): { readonly texts: readonly (TextChange | RowsTextChange)[]; readonly durability: Durability } {
  let durability: Durability = "normal";
  const texts = changes.map((change) => {
    if ("table" in change) return rowsTextOf(change);
    const { namespace, key } = change;
    const kind = kinds.get(namespace);
    if (kind === undefined || kind.writers === "anyone-raises" || (kind.turn ?? "in-turn") !== "in-turn")
      throw new TypeError(`${namespace} cannot be written with others`);
    if (kind.durability === "full") durability = "full";
    return { namespace, key: checkedKey(namespace, key), text: textOf(change) };
  });
  return { texts, durability };
}

function rowsTextOf(change: RowsChange): RowsTextChange {
  const { table, list } = change;
  if ("below" in change) return { table, list, below: Math.min(change.below, Number.MAX_SAFE_INTEGER) };
  return { table, list, seq: change.seq, from: change.from, text: PLAIN_JSON.stringify(change.row) };
}

/** As keyv stores a value that never expires. */
function textOf(change: Change): string | undefined {
  if ("deleted" in change) return undefined;
  if (change.value === undefined)
    throw new TypeError(`nothing to write for ${change.namespace}/${change.key}`);
  return PLAIN_JSON.stringify({ value: change.value });
}

/** Throws on an empty key, which keyv would answer with `false` or undefined instead of an error. */
function checkedKey(namespace: string, key: string): string {
  if (key === "") throw new TypeError(`an empty key for ${namespace}`);
  return key;
}

/** Documents read between two yields to other work of the process. */
const YIELD_EVERY_DOCUMENTS = 200;

/** Plain JSON, because keyv's own serialiser walks every value twice for types that we never store. */
const PLAIN_JSON = {
  stringify: (value: unknown) => JSON.stringify(value),
  parse: (text: string) => JSON.parse(text),
};

/**
 * The Documents port on keyv 6. keyv does the namespaces, the serialisation and the contract of the adapters; expiry
 * and batches stay unused, because no document expires by itself and each is written on its own.
 *
 * The Keyv has no `error` listener: with one, a failed get resolves with undefined, which would read as "not linked";
 * without one it rejects.
 */
class KeyvDocuments<T> implements Documents<T> {
  readonly #keyv: Keyv;
  readonly #namespace: string;
  readonly #parse: (value: unknown) => T;

  constructor(adapter: object, namespace: string, parse: (value: unknown) => T) {
    this.#keyv = new Keyv({ store: adapter, namespace, serialization: PLAIN_JSON });
    this.#namespace = namespace;
    this.#parse = parse;
  }

  async get(key: string): Promise<T | undefined> {
    const value: unknown = await answered(this.#keyv.get(checkedKey(this.#namespace, key)), this.#namespace);
    return value === undefined ? undefined : this.#read(key, value);
  }

  async set(key: string, value: T): Promise<void> {
    const kept = await answered(this.#keyv.set(checkedKey(this.#namespace, key), value), this.#namespace);
    if (!kept) throw new StoreError(`${this.#namespace}/${key} was not kept`);
  }

  async delete(key: string): Promise<void> {
    await answered(this.#keyv.delete(checkedKey(this.#namespace, key)), this.#namespace);
  }

  async *entries(): AsyncIterable<readonly [key: string, value: T]> {
    let read = 0;
    for await (const [key, value] of this.#keyv.iterator()) {
      // On Redis a document can be deleted between its listing and its reading.
      if (value === undefined || typeof key !== "string") continue;
      yield [key, this.#read(key, value)];
      // A page is there at once: without a yield nothing else would run while its documents are read.
      if (++read % YIELD_EVERY_DOCUMENTS === 0) await setImmediate();
    }
  }

  #read(key: string, value: unknown): T {
    return readAs(this.#parse, value, `${this.#namespace}/${key}`);
  }
}

function readAs<T>(parse: (value: unknown) => T, value: unknown, what: string): T {
  try {
    return parse(value);
  } catch (error) {
    throw new StoreError(`${what} has a shape that cannot be read`, { cause: error });
  }
}

/** A database's rows, as texts. */
export interface TextRows {
  read(
    table: string,
    list: string,
    span: { readonly from: number; readonly limit: number },
  ): Promise<readonly (readonly [seq: number, text: string])[]>;
  entries(table: string): AsyncIterable<readonly [list: string, seq: number, text: string]>;
}

/** The Rows port on a database. */
export function rowsOn<T>(texts: TextRows, table: string, parse: (value: unknown) => T): Rows<T> {
  const row = (list: string, seq: number, text: string) =>
    readAs((json) => parse(PLAIN_JSON.parse(String(json))), text, `${table}/${list}/${seq}`);
  return {
    async read(list, from, limit) {
      const found = await answered(texts.read(table, list, { from, limit }), table);
      return found.map(([seq, text]) => [seq, row(list, seq, text)] as const);
    },
    async *entries() {
      let read = 0;
      for await (const [list, seq, text] of texts.entries(table)) {
        yield [list, seq, row(list, seq, text)];
        if (++read % YIELD_EVERY_DOCUMENTS === 0) await setImmediate();
      }
    },
  };
}

/** What a database answers, whose refusal of `what` becomes a StoreError. */
async function answered<A>(answer: Promise<A>, what: string): Promise<A> {
  try {
    return await answer;
  } catch (error) {
    throw refusalOf(error, what);
  }
}

/** What an adapter refused, as a StoreError that people can read; a defect stays one. */
function refusalOf(error: unknown, what: string): unknown {
  if (error instanceof StoreError || error instanceof TypeError || error instanceof RangeError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreError(`the store refused ${what}: ${why}`, { cause: error });
}
