import { join } from "node:path";
import type { Documents } from "../../src/domain/ports/documents.ts";
import { parseFeed } from "../../src/store/document-schemas.ts";
import { createFeedStore } from "../../src/store/feed-store.ts";
import type { Durability } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Life } from "./life.ts";
import type { Storage } from "./process.ts";
import type { Disk } from "./store.ts";

/** The real store over a file that outlives every process; its calls fail when the simulated disk does. */
export interface RealStore {
  /** As one process sees it. */
  of(life: Life, disk: Disk): Storage;
  close(): Promise<void>;
}

/** A disk says when calls fail; it holds nothing. A power cut cannot be shown here: the kill loops of the soak do. */
export async function openRealStore(): Promise<RealStore> {
  const folder = tempFolder();
  const store = await openStore(`sqlite:${join(folder.path, "store.sqlite")}`, { runsIn: "caller" });
  return {
    of: (life, disk) => {
      const documents = <T>(name: string, parse: (value: unknown) => T, durability: Durability = "normal") =>
        mortal(store.documents(name, parse, durability), { name, life, disk });
      const call = <R>(what: string, effect: () => Promise<R>) =>
        life.call(what, async () => await await disk.use(() => effect()));
      return {
        documents,
        rows: (table, parse) => {
          const rows = store.rows(table, parse);
          return {
            read: (...given) => call(`${table} read`, () => rows.read(...given)),
            entries: () => rows.entries(),
          };
        },
        write: (changes) => call("write", () => store.write(changes)),
        feedStore: createFeedStore(documents("feeds", parseFeed, "full")),
      };
    },
    async close() {
      await store.close();
      folder.remove();
    },
  };
}

interface Around {
  readonly name: string;
  readonly life: Life;
  readonly disk: Disk;
}

/** Each call may be the process's last, before or after its effect. */
function mortal<T>(documents: Documents<T>, { name, life, disk }: Around): Documents<T> {
  const call = <R>(what: string, effect: () => Promise<R>) =>
    life.call(`${name} ${what}`, async () => await await disk.use(() => effect()));
  return {
    get: (key) => call(`get ${key}`, () => documents.get(key)),
    set: (key, value) => call(`set ${key}`, () => documents.set(key, value)),
    delete: (key) => call(`delete ${key}`, () => documents.delete(key)),
    async *entries() {
      const all = await call("entries", async () => {
        const found: (readonly [string, T])[] = [];
        for await (const entry of documents.entries()) found.push(entry);
        return found;
      });
      yield* all;
    },
  };
}
