import type { RowsTextChange } from "../keyv-documents.ts";
import type { PendingPages } from "./pending-pages.ts";
import type { FileAnswer, FileRequest, FileWrite, RowChange } from "./requests.ts";
import type { StoreDatabase } from "./store-database.ts";

export interface PendingParts {
  readonly database: StoreDatabase;
  /** Where they wait. */
  readonly pages: PendingPages;
  readonly monotonicMs: () => number;
}

type AnyChange = RowChange | RowsTextChange;

/** Changes wait at most so long, or until they are so many, for their place. */
const DUE_AFTER_MS = 30_000;
const DUE_AT_CHARS = 8 * 2 ** 20;
/** Changes that are put in their places at once, between two groups. */
const AT_ONCE = 200;

/** Changes that are written and not in their places, as they are read meanwhile. */
class Changes {
  readonly documents = new Map<string, RowChange>();
  /** By list, in the order of writing. */
  readonly rows = new Map<string, RowsTextChange[]>();
  readonly sinceMs: number;
  chars = 0;
  /** The number of the last text that they stand in. */
  lastText = 0;

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }

  get isEmpty(): boolean {
    return this.documents.size + this.rows.size === 0;
  }

  add(change: AnyChange): void {
    if ("table" in change) {
      const name = JSON.stringify([change.table, change.list]);
      const known = this.rows.get(name);
      if (known === undefined) this.rows.set(name, [change]);
      else known.push(change);
    } else this.documents.set(nameOf(change), change);
  }

  /** What stands together lies together: fewer pages change at once. The rows of a list go together. */
  *inOrder(): Generator<readonly AnyChange[]> {
    for (const name of [...this.documents.keys()].sort()) {
      const change = this.documents.get(name);
      if (change !== undefined) yield [change];
    }
    for (const name of [...this.rows.keys()].sort()) yield this.rows.get(name) ?? [];
  }
}

/**
 * A store file whose changes first go, all of a group as one text, to pages that are used for that alone, and some seconds
 * later to their places: sqlite writes whole pages, and a document that has its page written for each change costs fifty times its size.
 * What is written twice meanwhile has its place written once. Reading looks here first; a listing puts everything in its
 * place before. A process that is killed leaves those pages, and the next one begins with them.
 */
export class PendingWrites {
  readonly #database: StoreDatabase;
  readonly #pages: PendingPages;
  readonly #monotonicMs: () => number;
  /** Of the transaction that is open. */
  #staged: AnyChange[] = [];
  #stagedTexts = new Map<string, RowChange>();
  #young: Changes;
  /** On its way into its places, with what is left of it. */
  #old: { readonly changes: Changes; readonly left: Generator<readonly AnyChange[]> } | undefined;
  /** Why nothing could be put in its place: then nothing more is taken. */
  #trouble: unknown;

  constructor({ database, pages, monotonicMs }: PendingParts) {
    this.#database = database;
    this.#pages = pages;
    this.#monotonicMs = monotonicMs;
    this.#young = new Changes(monotonicMs());
  }

  get isInTransaction(): boolean {
    return this.#database.isInTransaction;
  }

  begin(): void {
    this.#database.begin();
  }

  commit(): void {
    const text = this.#staged.length === 0 ? "" : JSON.stringify(this.#staged);
    const written = text === "" ? undefined : this.#pages.write(text);
    this.#database.commit();
    if (this.#young.isEmpty) this.#young = new Changes(this.#monotonicMs());
    for (const change of this.#staged) this.#young.add(change);
    if (written !== undefined) {
      this.#pages.keep(written);
      this.#young.lastText = written.number;
    }
    this.#young.chars += text.length;
    this.#unstage();
  }

  rollback(): void {
    this.#unstage();
    this.#database.rollback();
  }

  answer(request: FileRequest): FileAnswer {
    switch (request.kind) {
      case "read":
        return request.keys.map((key) => this.#read(request.namespace, key, request.nowMs));
      case "write":
        return this.#write(request);
      case "probe":
        return this.#database.answer(request);
      default:
        return this.#list(request);
    }
  }

  /** Puts some of what is due in its place. Throws only while the file is locked: then a later call does it. */
  tidy(isLocked: (error: unknown) => boolean): void {
    const ageMs = this.#monotonicMs() - this.#young.sinceMs;
    const isDue = !this.#young.isEmpty && (ageMs >= DUE_AFTER_MS || this.#young.chars >= DUE_AT_CHARS);
    if (this.#old === undefined && (isDue || this.#trouble !== undefined)) this.#age();
    if (this.#old === undefined) return;
    try {
      this.#inTransaction(() => this.#placeSome(AT_ONCE));
      this.#trouble = undefined;
    } catch (error) {
      // From its beginning again: what is in its place already is put there once more.
      this.#old = { changes: this.#old.changes, left: this.#old.changes.inOrder() };
      if (!isLocked(error)) this.#trouble = error;
    }
  }

  /** Puts everything in its place. Throws sqlite's error: then the next process does it. */
  settle(): void {
    while (this.#old !== undefined || !this.#young.isEmpty) {
      if (this.#old === undefined) this.#age();
      this.#inTransaction(() => this.#placeSome(Number.POSITIVE_INFINITY));
    }
  }

  #age(): void {
    this.#old = { changes: this.#young, left: this.#young.inOrder() };
    this.#young = new Changes(this.#monotonicMs());
  }

  /** In a transaction. The pending ones go with the last of them. */
  #placeSome(most: number): void {
    const { changes, left } = this.#old ?? {};
    for (let placed = 0; placed < most; ) {
      const next = left?.next();
      if (next === undefined || next.done === true) {
        const lastText = changes?.lastText ?? 0;
        this.#pages.drop(lastText);
        this.#onCommitted = () => {
          this.#pages.release(lastText);
          this.#old = undefined;
        };
        return;
      }
      for (const change of next.value) this.#database.apply(change);
      placed += next.value.length;
    }
  }

  #onCommitted: () => void = () => undefined;

  #inTransaction<T>(work: () => T): T {
    this.#onCommitted = () => undefined;
    this.#database.begin();
    try {
      const result = work();
      this.#database.commit();
      this.#onCommitted();
      return result;
    } catch (error) {
      this.#database.rollback();
      throw error;
    }
  }

  /** On a full disk, where nothing can be put in its place for good, it is read from there all the same. */
  #list(request: FileRequest): FileAnswer {
    if (this.#old === undefined && this.#young.isEmpty) return this.#database.answer(request);
    this.#database.begin();
    try {
      for (const changes of [this.#old?.changes, this.#young])
        for (const some of changes?.inOrder() ?? []) for (const change of some) this.#database.apply(change);
      const answer = this.#database.answer(request);
      this.#commitPlaced();
      return answer;
    } finally {
      this.#database.rollback();
    }
  }

  #commitPlaced(): void {
    const lastText = Math.max(this.#old?.changes.lastText ?? 0, this.#young.lastText);
    try {
      this.#pages.drop(lastText);
      this.#database.commit();
    } catch (error) {
      this.#trouble = error;
      return;
    }
    this.#pages.release(lastText);
    this.#old = undefined;
    this.#young = new Changes(this.#monotonicMs());
    this.#trouble = undefined;
  }

  #write({ changes }: FileWrite): readonly boolean[] {
    if (this.#trouble !== undefined) throw this.#trouble;
    return changes.map((change) => {
      const isChanged = "table" in change || change.text !== undefined || this.#has(change);
      this.#staged.push(change);
      if (!("table" in change)) this.#stagedTexts.set(nameOf(change), change);
      return isChanged;
    });
  }

  #has({ namespace, key }: RowChange): boolean {
    return this.#read(namespace, key, 0) !== undefined;
  }

  #read(namespace: string, key: string, nowMs: number): string | undefined {
    const name = nameOf({ namespace, key });
    const pending =
      this.#stagedTexts.get(name) ??
      this.#young.documents.get(name) ??
      this.#old?.changes.documents.get(name);
    if (pending === undefined) return this.#database.text(namespace, key, nowMs);
    return pending.expires === undefined || pending.expires > nowMs ? pending.text : undefined;
  }

  #unstage(): void {
    this.#staged = [];
    this.#stagedTexts = new Map();
  }
}

function nameOf({ namespace, key }: { readonly namespace: string; readonly key: string }): string {
  return `${namespace}\u0000${key}`;
}
