import { StoreError } from "../domain/failure.ts";
import type { Documents, RowsChange } from "../domain/ports/documents.ts";
import { FORM_NAMESPACE, formOf, IMPORTING } from "./document-forms.ts";
import type { Store, Writers } from "./keyv-documents.ts";
import { Digest, type FileHead, type FileRow, readHead, readRows, writeStoreFile } from "./store-file.ts";

/** What a tool knows of the store that it works on. */
export interface TransferParts {
  readonly store: Store;
  /** Who may write a namespace. */
  writersOf(namespace: string): Writers;
  /** The secrets that open what stands in this store; its present one first. */
  readonly fingerprints: readonly string[];
  /** The form that this Marshal writes. */
  readonly form: number;
}

/** What stands before the name of a table in a file; no namespace has it. */
const TABLE = "rows/";
/** Rows that are written together into a store. */
const ROWS_AT_ONCE = 200;

export interface Transferred {
  readonly documents: number;
  readonly namespaces: number;
}

/**
 * The mark of a clean stop is left behind: what is posted after the copy was made is not in it, so a start from
 * it has to read the channels back.
 */
export const LEFT_BEHIND: ReadonlySet<string> = new Set(["clean-stop"]);

/** Writes a store into a file, then reads the file and the store again and compares them. Rejects with a StoreError. */
export async function exportStore(parts: TransferParts, path: string): Promise<Transferred> {
  await refuseWhileHeld(parts.store);
  const form = (await formOf(documentsIn(parts, FORM_NAMESPACE))) ?? parts.form;
  if (form > parts.form) throw new StoreError("this store is from a newer Marshal. This one can't read it");
  const first: FileHead = { marshal: "store", version: 1, form, secret: parts.fingerprints[0] };
  const written = await writeStoreFile(path, first, rowsOf(parts));

  const read = new Digest();
  for await (const row of readRows(path)) read.add(row);
  await refuseUnlessSame(
    parts,
    read,
    "the file differs from the store: did something write to it in between?",
  );
  return { documents: written.end.documents, namespaces: written.namespaces };
}

/** A file of an export that is whole, and whose server keys this Marshal's secrets open. */
export interface ProvenFile {
  readonly path: string;
  readonly digest: Digest;
}

/**
 * Reads all of a file, for an import: before the store is opened, which would make it. Rejects with a StoreError where the file
 * is not whole or from a newer Marshal, or the secret is another one.
 */
export async function proveFile(
  path: string,
  { fingerprints, form }: Pick<TransferParts, "fingerprints" | "form">,
): Promise<ProvenFile> {
  const first = await readHead(path);
  if (first.form > form) throw new StoreError(`${path} is from a newer Marshal. This one can't read it`);
  if (first.secret !== undefined && !fingerprints.includes(first.secret)) {
    throw new StoreError(
      `the server keys in ${path} were sealed with another secret: set SECRET_KEY to that one, or put its secret.key beside the new database`,
    );
  }
  const digest = new Digest();
  for await (const row of readRows(path)) digest.add(row);
  return { path, digest };
}

/**
 * Fills a store from a file, then reads the store and compares it with the file. Rejects with a StoreError: before it
 * writes anything where the store holds something and `replace` is not given.
 */
export async function importStore(
  parts: TransferParts,
  { path, digest: given }: ProvenFile,
  options: { readonly replace: boolean },
): Promise<Transferred> {
  const { store, form } = parts;
  await refuseWhileHeld(store);
  await refuseFull(store, options);

  // No Marshal starts on half of a store, however this ends.
  const marks = store.documents(FORM_NAMESPACE, (value) => value, "full");
  await marks.set(IMPORTING, { form });
  await makeEmpty(parts);
  const opened = new Map<string, Documents<unknown>>();
  const rows: RowsChange[] = [];
  for await (const [namespace, key, value] of readRows(path)) {
    if (namespace.startsWith(TABLE)) {
      rows.push(rowOf(namespace, key, value));
      if (rows.length >= ROWS_AT_ONCE) await store.write(rows.splice(0));
      continue;
    }
    const documents = opened.get(namespace) ?? documentsIn(parts, namespace);
    opened.set(namespace, documents);
    await documents.set(key, value);
  }
  await store.write(rows);
  await refuseWhileHeld(store);
  await refuseUnlessSame(
    parts,
    given,
    "the store differs from the file: did something write to it in between?",
  );
  // The file may be old: what was sent since it was made is not in it.
  await store.markCopy();
  await marks.delete(IMPORTING);
  await store.flush();
  return { documents: given.end.documents, namespaces: given.namespaces };
}

/** Every document and row that a copy takes along. */
async function* rowsOf(parts: Pick<TransferParts, "store" | "writersOf">): AsyncGenerator<FileRow> {
  for (const namespace of await parts.store.namespaces()) {
    if (LEFT_BEHIND.has(namespace)) continue;
    for await (const [key, value] of documentsIn(parts, namespace).entries()) {
      if (namespace !== FORM_NAMESPACE || key !== IMPORTING) yield [namespace, key, value];
    }
  }
  for (const table of await parts.store.tables()) {
    for await (const [list, seq, row] of parts.store.rows(table, (value) => value).entries())
      yield [`${TABLE}${table}`, `${list} ${seq}`, row];
  }
}

/** A row of a table, as `rowsOf` gives it. */
function rowOf(namespace: string, key: string, row: unknown): RowsChange {
  const end = key.lastIndexOf(" ");
  const seq = Number(key.slice(end + 1));
  return { table: namespace.slice(TABLE.length), list: key.slice(0, end), seq, from: seq, row };
}

async function refuseFull(store: Store, { replace }: { readonly replace: boolean }): Promise<void> {
  if (replace || ((await store.namespaces()).length === 0 && (await store.tables()).length === 0)) return;
  throw new StoreError(
    "the store is not empty. Use --replace to delete everything in it, or another STORE_URL",
  );
}

async function makeEmpty(parts: TransferParts): Promise<void> {
  for (const namespace of await parts.store.namespaces()) {
    const documents = documentsIn(parts, namespace);
    const keys: string[] = [];
    for await (const [key] of documents.entries())
      if (namespace !== FORM_NAMESPACE || key !== IMPORTING) keys.push(key);
    for (const key of keys) await documents.delete(key);
  }
  for (const table of await parts.store.tables()) {
    const lists = new Set<string>();
    for await (const [list] of parts.store.rows(table, (value) => value).entries()) lists.add(list);
    for (const list of lists) await parts.store.write([{ table, list, below: Number.POSITIVE_INFINITY }]);
  }
}

async function refuseWhileHeld(store: Store): Promise<void> {
  if (await store.isHeld())
    throw new StoreError("Marshal is running on this store. Stop all its processes first");
}

async function refuseUnlessSame(parts: TransferParts, expected: Digest, words: string): Promise<void> {
  const found = new Digest();
  for await (const row of rowsOf(parts)) found.add(row);
  const same = found.end.digest === expected.end.digest && found.end.documents === expected.end.documents;
  if (!same) throw new StoreError(words);
}

/** Bulk writes do not wait for the disk one by one: a full write after them makes all of them last. */
function documentsIn(
  { store, writersOf }: Pick<TransferParts, "store" | "writersOf">,
  namespace: string,
): Documents<unknown> {
  return store.documents(namespace, (value) => value, "normal", { writers: writersOf(namespace) });
}
