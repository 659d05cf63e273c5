import { join } from "node:path";
import { feedRenderer } from "../../src/discord/render/feed.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import { parseCard } from "../../src/feeds/cards/card-records.ts";
import { createFeeds } from "../../src/feeds/feeds.ts";
import { parseOffset } from "../../src/feeds/positions/offsets.ts";
import { createJournal } from "../../src/journal/create-journal.ts";
import { parseJournalChunk, parseJournalHead, parseJournalRow } from "../../src/journal/journal-records.ts";
import { DOCUMENT_FORM } from "../../src/store/document-forms.ts";
import type { Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { connectSqlite } from "../../src/store/sqlite/open-file.ts";
import { exportStore, importStore, proveFile } from "../../src/store/transfer.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { NOBODY_ON_DUTY } from "../support/nobody-on-duty.ts";
import { outboxOver } from "../support/outbox.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { FootprintTown } from "./footprint-town.ts";
import { settledHeapBytes } from "./heap.ts";

/**
 * The feeds wing on a real store after a day in the life of so many servers, in a process of its own. Arguments:
 * number of servers, entries a day of each, a store that gets a copy. Tells the parent what the process and the store hold then.
 */
const POLLS = 24;
const POLL_MS = 3_600_000;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

const [servers, perDay] = process.argv.slice(2, 4).map(Number);
const copyTo = process.argv[4];
if (servers === undefined || perDay === undefined)
  throw new Error("a number of servers and of entries is needed");

const folder = tempFolder();
const path = join(folder.path, "marshal.sqlite");
const store = await openStore(`sqlite:${path}`, { runsIn: "caller" });
const clock = new VirtualClock();
const random = seededRandom(3);
const towns = Array.from({ length: servers }, (_, index) => new FootprintTown(index, random));
const wing = buildWing(store);
await wing.start();
for (let poll = 0; poll < POLLS; poll++) {
  const nowS = clock.nowMs() / 1_000;
  for (const town of towns) {
    town.live(perDay / POLLS, nowS - POLL_MS / 1_000, nowS);
    await wing.journal.take(town.snapshot(clock.nowMs()));
  }
  await clock.advance(POLL_MS);
}
for (const town of towns) town.forgetLogs();
const heapBytes = await settledHeapBytes();
const { undelivered, cards } = await wing.state();
await wing.stop(2_500);
if (copyTo !== undefined) await copy(store, copyTo);
await store.close();
process.send?.({ heapBytes, storedBytes: storedBytes(), cards: cards.cards, undelivered });
folder.remove();
process.disconnect?.();

function buildWing(on: Store) {
  const outbox = outboxOver(emptySink(clock), clock);
  const journal = createJournal({
    followedOf: () => [],
    heads: on.documents("journal-heads", parseJournalHead, "normal"),
    chunks: on.documents("journal-chunks", parseJournalChunk, "normal"),
    rows: on.rows("journal-rows", parseJournalRow),
    write: (changes) => on.write(changes),
    clock,
    random,
    warn,
  });
  const feeds = createFeeds({
    ...NOBODY_ON_DUTY,
    journalOwner: "server",
    clock,
    random,
    renderer: feedRenderer,
    posts: outbox.posts,
    batches: outbox.batches,
    nonceKey: "footprint",
    guilds: { channelAccess: async () => ({ kind: "unknown" }) },
    notifier: { person: async () => undefined, guild: async () => undefined },
    metrics: { count: () => undefined, observe: () => undefined },
    snapshots: { latest: () => undefined, failing: () => undefined },
    demands: { put: () => undefined },
    health: { parked: () => undefined, halt: () => undefined },
    bindings: {
      list: async (guildId) => towns.flatMap(({ binding }) => (binding.guildId === guildId ? [binding] : [])),
      *linked() {
        for (const { binding } of towns) yield binding;
      },
    },
    feedStore: {
      list: async (guildId) => towns.flatMap(({ feeds }) => feeds.filter((feed) => feed.guildId === guildId)),
      async *all() {
        for (const { feeds } of towns) yield* feeds;
      },
      save: async () => undefined,
      remove: async () => undefined,
    },
    journal,
    offsets: on.documents("feed-offsets", parseOffset, "normal"),
    cards: on.documents("cards", parseCard, "normal"),
    onDisk: async () => undefined,
    cleanStop: { take: async () => undefined, leave: async () => undefined },
    warn,
  });
  return { ...feeds, journal };
}

function warn(message: string, error: unknown): void {
  throw new Error(message, { cause: error });
}

/** Takes every message and remembers none, so that the heap holds nothing but what the wing keeps. */
function emptySink(by: Clock): Sink {
  let made = 0n;
  return {
    send: async () => {
      const timeBits = BigInt(Math.floor(by.nowMs()) - DISCORD_EPOCH_MS) << 22n;
      return { messageId: String(timeBits + (made++ % 4_194_304n)) };
    },
    edit: async () => undefined,
    readBack: async () => [],
  };
}

async function copy(from: Store, address: string): Promise<void> {
  const to = await openStore(address, { runsIn: "caller" });
  const file = join(folder.path, "copy.jsonl");
  const tool = { writersOf: () => "holder" as const, fingerprints: ["none"], form: DOCUMENT_FORM } as const;
  await exportStore({ ...tool, store: from }, file);
  await importStore({ ...tool, store: to }, await proveFile(file, tool), { replace: false });
  await to.close();
}

/** Keys and values, by namespace. */
function storedBytes(): Readonly<Record<string, number>> {
  const database = connectSqlite(path);
  const query =
    "SELECT namespace, sum(length(key) + length(value)) AS bytes FROM documents GROUP BY namespace";
  const rows = database.prepare(query).all();
  database.close();
  return Object.fromEntries(rows.map(({ namespace, bytes }) => [String(namespace), Number(bytes)]));
}
