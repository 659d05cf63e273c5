import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { documentsOf, rowsOf, writeTogetherOn } from "../../src/document-table.ts";
import type { CommandEntry } from "../../src/domain/model.ts";
import { createJournal } from "../../src/journal/create-journal.ts";
import { DOCUMENT_FORM } from "../../src/store/document-forms.ts";
import type { Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { snapshotWith } from "../journal/compare/log-model.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { folderOf, runStore, spawnStore } from "../support/store-tool.ts";

const START_MS = Date.parse("2026-01-31T18:00:00Z");
const row = (n: number): CommandEntry => ({
  kind: "command",
  atS: START_MS / 1_000 + n * 60,
  player: { name: "Ann", id: 1 },
  text: `:h ${n}`,
});

/** Everybody who reads the journals, as each begins. */
const READERS = {
  proof: "head",
  alerts: "head",
  history: "window",
  cases: "window",
  watches: "window",
  "ban-ends": "window",
} as const;
type Reader = keyof typeof READERS;

/** A Marshal on this store, one reader of which is slow: it keeps what the other has long read. */
function begun(store: Store, name: Reader = "proof") {
  const journal = createJournal({
    heads: documentsOf(store, "journal-heads"),
    chunks: documentsOf(store, "journal-chunks"),
    rows: rowsOf(store, "journal-rows"),
    write: writeTogetherOn(store),
    followedOf: (source) => [source],
    clock: new VirtualClock(),
    random: seededRandom(1),
    warn: (message) => assert.fail(message),
  });
  const quick = journal.reader(name, READERS[name]);
  const slow = journal.reader(name === "alerts" ? "proof" : "alerts", "head");
  journal.trimFromNow();
  /** Minute by minute up to this one; answers what the quick one reads then. */
  const look = async (minute: number): Promise<readonly string[]> => {
    const rows = Array.from({ length: minute }, (_, n) => row(n + 1));
    const shown = snapshotWith("commandLogs", rows, { atMs: START_MS + minute * 60_000 });
    await journal.take(shown);
    await slow.unread(shown);
    const unread = await quick.unread(shown);
    for (const { done } of unread) done();
    return unread.flatMap(({ items }) =>
      items.flatMap((item) =>
        item.kind === "entry" && item.entry.kind === "command" ? item.entry.text : [],
      ),
    );
  };
  return look;
}

describe("npm run store -- rewind", () => {
  for (const name of Object.keys(READERS) as Reader[])
    test(`lets ${name} read again what came since a time, after the next start, and nobody else`, async (t) => {
      const env = { STORE_URL: `sqlite:${join(folderOf(t), "m.sqlite")}` };
      let store = await openStore(env.STORE_URL, { runsIn: "caller" });
      await documentsOf(store, "stored-form").set("documents", { form: DOCUMENT_FORM });
      const look = begun(store, name);
      for (let minute = 0; minute <= 40; minute++) await look(minute);
      await store.close();

      // One of them as an operator runs it; the others in this process, which is quicker.
      const run = name === "proof" ? spawnStore : runStore;
      const rewound = await run(env, "rewind", name, "2026-01-31T18:31Z");
      const said = new RegExp(`${name} reads 9 events of 1 log again$`, "m");
      assert.deepEqual([rewound.code, said.test(rewound.said)], [0, true], rewound.said);
      store = await openStore(env.STORE_URL, { runsIn: "caller" });
      assert.deepEqual(
        await begun(store, name)(41),
        Array.from({ length: 11 }, (_, n) => `:h ${n + 31}`),
      );
      await store.close();
    });

  test("says what it does not know: a reader, a time", async (t) => {
    const env = { STORE_URL: `sqlite:${join(folderOf(t), "m.sqlite")}` };
    const store = await openStore(env.STORE_URL, { runsIn: "caller" });
    await documentsOf(store, "stored-form").set("documents", { form: DOCUMENT_FORM });
    await begun(store)(1);
    await store.close();
    for (const [args, words] of [
      [["proofs", "2026-01-31T18:31Z"], /nobody called proofs reads .* There are: alerts, proof/],
      [["proof", "yesterday"], /yesterday is no time/],
      [["proof", "2026-01-31T18:31"], /is no time/],
      [["proof", "2026-02-31T18:00Z"], /2026-02-31T18:00Z is no time/],
    ] as const) {
      const { code, said } = await runStore(env, "rewind", ...args);
      assert.deepEqual([code, words.test(said)], [1, true], said);
    }
    assert.equal((await runStore(env, "rewind", "proof")).code, 2);
  });
});
