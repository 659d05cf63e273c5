import { markCopyIn } from "../clean-stop.ts";
import { documentsOn, rowsOn, type Store, type TextRows } from "../keyv-documents.ts";
import { PAGE_ROWS, type StoreLine } from "./requests.ts";
import { SqliteAdapter } from "./sqlite-adapter.ts";
import { explainStoreError } from "./sqlite-errors.ts";

export interface SqliteOptions {
  /** How long to wait for another process to let go of the file. */
  readonly lockWaitMs: number;
  readonly nowMs: () => number;
  /** Where the file is worked on; see `openStore`. */
  readonly runsIn: "thread" | "caller";
}

/**
 * Opens one file. `full` waits for the disk (bindings, audit). `normal` does not (journals: a power cut may set them back a
 * moment, and reading the channel back then prevents repeats). A killed process loses nothing either way. All writes stand in
 * one log in order, so a full write makes all earlier normal writes durable too. Rejects with a StoreError, also when
 * another process has the file.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Store> {
  const { lockWaitMs, nowMs, runsIn } = options;
  try {
    // Only the one that is used: a tool needs no thread, and the bot opens nothing itself.
    const line =
      runsIn === "thread"
        ? await (await import("./thread-line.ts")).openThreadLine({ path, lockWaitMs })
        : await (await import("./caller-line.ts")).openCallerLine({ path, lockWaitMs });
    return storeOn(line, path, nowMs);
  } catch (error) {
    throw explainStoreError(error, path);
  }
}

/** The store on a file that is open somewhere. */
export function storeOn(line: StoreLine, path: string, nowMs: () => number): Store {
  const documents = documentsOn({
    adapterOf: (namespace, kind) => new SqliteAdapter({ ...kind, line, namespace, nowMs }),
    writeTexts: (changes, durability) => line.ask({ kind: "write", changes, durability, turn: "in-turn" }),
  });
  return {
    ...documents,
    rows: (table, parse) => rowsOn(rowsOf(line), table, parse),
    // Each full write has waited for the disk.
    flush: async () => true,
    checkWritable: async () => {
      try {
        await line.ask({ kind: "probe" });
      } catch (error) {
        throw explainStoreError(error, path);
      }
    },
    namespaces: () => line.ask({ kind: "namespaces" }),
    tables: () => line.ask({ kind: "tables" }),
    isHeld: async () => false,
    lost: line.lost,
    markCopy: () => markCopyIn(documents),
    close: () => line.close(),
  };
}

/** Page by page, for the reason that `SqliteAdapter` gives. */
function rowsOf(line: StoreLine): TextRows {
  return {
    read: (table, list, span) => line.ask({ kind: "rows", table, list, ...span }),
    async *entries(table) {
      let after: readonly [string, number] | undefined = ["", 0];
      while (after !== undefined) {
        const rows: readonly (readonly [string, number, string])[] = await line.ask({
          kind: "rows-page",
          table,
          after,
        });
        yield* rows;
        const last = rows.at(-1);
        after = last === undefined || rows.length < PAGE_ROWS ? undefined : [last[0], last[1]];
      }
    },
  };
}
