import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { placeOfBinding, WRONG_SECRET } from "./bindings.ts";
import type { GuildBindings } from "./document-schemas.ts";
import type { Store } from "./keyv-documents.ts";
import { LEFT_BEHIND } from "./transfer.ts";
import type { Vault } from "./vault.ts";

export interface CheckParts {
  readonly store: Store;
  /** undefined: this Marshal knows no such namespace. */
  parserOf(namespace: string): ((value: unknown) => unknown) | undefined;
  /** The same of a table. */
  rowParserOf(table: string): ((value: unknown) => unknown) | undefined;
  readonly bindings: Documents<GuildBindings>;
  readonly vault: Vault;
}

export interface CheckResult {
  /** How many documents or rows stand in each namespace and table that a copy takes along. */
  readonly counts: readonly (readonly [namespace: string, documents: number])[];
  readonly keys: number;
  /** What is wrong, a line each, at most fifty; without secrets or names. */
  readonly faults: readonly string[];
}

const MOST_FAULTS = 50;

/** Reads every document as the bot would, and opens every server key. Writes nothing. */
export async function checkStore({
  store,
  parserOf,
  rowParserOf,
  bindings,
  vault,
}: CheckParts): Promise<CheckResult> {
  const faults: string[] = [];
  const note = (words: string) => {
    if (faults.length < MOST_FAULTS) faults.push(words);
  };
  const counts: (readonly [string, number])[] = [];
  for (const namespace of await store.namespaces()) {
    const parse = parserOf(namespace);
    if (parse === undefined) note(`${namespace}: this Marshal knows no such documents`);
    let documents = 0;
    for await (const [key, value] of store.documents(namespace, (read) => read, "normal").entries()) {
      documents += 1;
      if (parse !== undefined && !isReadable(parse, value))
        note(`${namespace}/${key} has a shape that cannot be read`);
    }
    if (!LEFT_BEHIND.has(namespace)) counts.push([namespace, documents]);
  }
  for (const table of await store.tables()) {
    const parse = rowParserOf(table);
    if (parse === undefined) note(`${table}: this Marshal knows no such rows`);
    let rows = 0;
    for await (const [list, seq, row] of store.rows(table, (read) => read).entries()) {
      rows += 1;
      if (parse !== undefined && !isReadable(parse, row))
        note(`${table}/${list}/${seq} has a shape that cannot be read`);
    }
    counts.push([table, rows]);
  }

  let keys = 0;
  let opened = 0;
  try {
    for await (const [guildId, { bindings: linked }] of bindings.entries()) {
      for (const { id, sealed } of linked) {
        keys += 1;
        if (opens(vault, sealed, placeOfBinding(guildId, id))) opened += 1;
        else note(`the key of bindings/${guildId} (${id}) does not open`);
      }
    }
  } catch (error) {
    // Noted above already: it cannot be read.
    if (!(error instanceof StoreError)) throw error;
  }
  if (keys > 0 && opened === 0) faults.unshift(WRONG_SECRET);
  return { counts, keys, faults };
}

function isReadable(parse: (value: unknown) => unknown, value: unknown): boolean {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
}

function opens(vault: Vault, sealed: string, place: string): boolean {
  try {
    vault.open(sealed, place);
    return true;
  } catch {
    return false;
  }
}
