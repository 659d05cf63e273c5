import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { JournalItem } from "../../../src/domain/ports/journal.ts";
import { Arrivals } from "../../../src/feeds/delivery/arrivals.ts";
import { nextStep, type Outlook, type Step } from "../../../src/feeds/delivery/next-step.ts";
import type { OffsetRecord } from "../../../src/feeds/positions/offsets.ts";

const record: OffsetRecord = { source: "s" as SourceId, list: "joinLogs", nextSeq: 5, sinceMs: 0 };
const frozen = {
  throughSeq: 6,
  entries: 1,
  body: { content: md`x` },
  atMs: 0,
  form: "lines",
  nonce: "n",
} as const;
const entry = { kind: "join", atS: 1, player: { name: "A" }, joined: true } as const;
const gap: JournalItem = { seq: 5, kind: "gap", fromS: 1, toS: 2, seenAtMs: 7 };

function item(seq: number): JournalItem {
  return { seq, kind: "entry", entry, seenAtMs: 7 };
}

const idle: Outlook = {
  kind: "joins",
  record,
  parkWhy: undefined,
  doubtful: false,
  endedInOrder: true,
  awaitsPoll: false,
  pollLateSinceMs: undefined,
  head: 5,
  items: undefined,
  firstWaitedMs: 0,
  lastWaitedMs: 0,
  owed: undefined,
};
const pending: Outlook = { ...idle, head: 7 };
const many = Array.from({ length: 20 }, (_, index) => item(5 + index));

const table: readonly (readonly [what: string, outlook: Outlook, step: Step])[] = [
  ["nothing waits: rest, however doubtful", { ...idle, doubtful: true }, { kind: "rest", caughtUp: true }],
  ["a refusal for good goes before all", { ...pending, parkWhy: "gone" }, { kind: "park", why: "gone" }],
  [
    "something waits and the channel is doubtful: read it",
    { ...pending, doubtful: true },
    { kind: "read-back" },
  ],
  [
    "a frozen batch in a doubtful channel: read it",
    { ...idle, record: { ...record, frozen }, doubtful: true },
    { kind: "read-back" },
  ],
  [
    "only the next answer can tell: rest",
    { ...pending, doubtful: true, awaitsPoll: true },
    { kind: "rest", caughtUp: false },
  ],
  [
    "a frozen batch goes before what waits",
    { ...pending, record: { ...record, frozen } },
    { kind: "deliver", batch: frozen },
  ],
  ["a server that is not read is said", { ...idle, pollLateSinceMs: 9 }, { kind: "say-late", sinceMs: 9 }],
  [
    "but once",
    { ...idle, pollLateSinceMs: 9, record: { ...record, lateSinceMs: 9 } },
    { kind: "rest", caughtUp: true },
  ],
  ["what waits is looked at", pending, { kind: "look" }],
  ["what is gone from the store is given up", { ...pending, items: [] }, { kind: "acknowledge", nextSeq: 7 }],
  [
    "an old entry makes the feed late",
    { ...pending, items: [item(5)], owed: { seenAtMs: 7, ageMs: 300_000 } },
    { kind: "say-late", sinceMs: 7 },
  ],
  [
    "since what the channel lacks was seen, not what stands first",
    { ...pending, items: [item(5), item(6)], owed: { seenAtMs: 8, ageMs: 300_000 } },
    { kind: "say-late", sinceMs: 8 },
  ],
  [
    "few entries wait for more, 2 s after the last",
    { ...pending, items: [item(5)], firstWaitedMs: 500, lastWaitedMs: 500 },
    { kind: "wait", forMs: 1_500 },
  ],
  [
    "and at most 5 s after the first",
    { ...pending, items: [item(5), item(6)], firstWaitedMs: 4_000, lastWaitedMs: 0 },
    { kind: "wait", forMs: 1_000 },
  ],
  [
    "what rounding leaves of a millisecond is waited for as a whole one: else it would be waited for for ever",
    { ...pending, items: [item(5)], firstWaitedMs: 1_999.999_999_9, lastWaitedMs: 1_999.999_999_9 },
    { kind: "wait", forMs: 1 },
  ],
  [
    "entries of an earlier process have waited enough",
    {
      ...pending,
      items: [item(5)],
      firstWaitedMs: Number.POSITIVE_INFINITY,
      lastWaitedMs: Number.POSITIVE_INFINITY,
    },
    { kind: "batch", items: [item(5)], forMs: 0 },
  ],
  [
    "many may fill a message at once",
    { ...pending, head: 25, items: many },
    { kind: "batch", items: many, forMs: 2_000 },
  ],
  [
    "a gap is a message of its own",
    { ...pending, items: [gap] },
    { kind: "batch", items: [gap], forMs: 2_000 },
  ],
  [
    "calls become cards, up to a gap",
    { ...pending, kind: "modCalls", items: [item(5), { ...gap, seq: 6 }] },
    { kind: "into-cards", items: [item(5)], nextSeq: 6 },
  ],
];

describe("the next step of a delivery", () => {
  for (const [what, outlook, step] of table) {
    test(what, () => assert.deepEqual(nextStep(outlook), step));
  }
});

describe("when entries were noticed", () => {
  test("counts by the monotonic clock from the first notice of each; those from before have waited for ever", () => {
    const arrivals = new Arrivals({ head: 5, wallMs: 1_000_000, monotonicMs: 0 });
    arrivals.note(7, 100);
    arrivals.note(7, 200);
    arrivals.note(9, 300);
    const waited = [4, 5, 6, 7, 8].map((seq) => arrivals.waitedMs(seq, 400));
    assert.deepEqual(waited, [Number.POSITIVE_INFINITY, 300, 300, 100, 100]);
    assert.equal(arrivals.ageMs(4, 990_000, 400), 10_400);
    assert.equal(arrivals.ageMs(4, 2_000_000, 400), 400, "a wall clock that was ahead makes nothing older");
    arrivals.forget(7);
    assert.equal(arrivals.waitedMs(7, 400), 100);
  });

  test("a long backlog keeps its oldest and its newest moment", () => {
    const arrivals = new Arrivals({ head: 0, wallMs: 0, monotonicMs: 0 });
    for (let poll = 1; poll <= 1_000; poll++) arrivals.note(poll, poll);
    assert.equal(arrivals.waitedMs(0, 2_000), 1_999);
    assert.equal(arrivals.waitedMs(999, 2_000), 1_000);
  });
});
