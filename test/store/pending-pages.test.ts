import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import { createPendingPages, PendingPages, textsLeft } from "../../src/store/sqlite/pending-pages.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";

function openTable(t: TestContext) {
  const folder = tempFolder();
  const path = join(folder.path, "m.sqlite");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  createPendingPages(database);
  t.after(() => {
    database.close();
    folder.remove();
  });
  return { database, framesWritten: () => Math.floor(statSync(`${path}-wal`).size / (4_096 + 24)) };
}

describe("texts that wait in pages", () => {
  test("are those that were written and not dropped, in order, whatever is taken back and however long they are", (t) => {
    const { database } = openTable(t);
    const step = fc.record({
      chars: fc.oneof(fc.nat(300), fc.nat(30_000)),
      end: fc.constantFrom("commit", "commit", "commit", "rollback"),
      drops: fc.nat(5).map((n) => n === 0),
    });
    const random = seededRandom(1);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        database.exec("DELETE FROM pending_pages");
        const pages = new PendingPages(database);
        let expected: string[] = [];
        let last = 0;
        for (const { chars, end, drops } of steps) {
          const text = Array.from({ length: Math.ceil(chars / 12) }, () => random.id().slice(0, 12)).join(
            "é",
          );
          database.exec("BEGIN");
          const written = pages.write(text);
          if (drops) pages.drop(last);
          database.exec(end);
          if (end === "commit") {
            pages.keep(written);
            if (drops) pages.release(last);
            expected = [...(drops ? [] : expected), text];
            last = written.number;
          }
          assert.deepEqual(textsLeft(database), expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("cost a page each that is used again, and no page besides", (t) => {
    const { database, framesWritten } = openTable(t);
    const pages = new PendingPages(database);
    const text = JSON.stringify(
      Array.from({ length: 12 }, (_, key) => ({ namespace: "journal-rows", key, text: "x" })),
    );
    const write = () => {
      database.exec("BEGIN");
      const written = pages.write(text);
      database.exec("COMMIT");
      pages.keep(written);
      return written.number;
    };
    let last = 0;
    for (let n = 0; n < 100; n++) last = write();
    database.exec("BEGIN");
    pages.drop(last);
    database.exec("COMMIT");
    pages.release(last);
    const before = framesWritten();
    for (let n = 0; n < 100; n++) write();
    assert.equal(framesWritten() - before, 100);
  });
});
