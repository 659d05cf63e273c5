import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { isState, type JournalList } from "../../src/domain/changes.ts";
import type { SourceId } from "../../src/domain/model.ts";
import { logLists } from "../../src/journal/compare/window-facts.ts";
import { Followers } from "../../src/journal/followers.ts";
import { emptyHead } from "../../src/journal/next-head.ts";
import { type Open, opened } from "../../src/journal/open-journal.ts";
import { mostInATurn } from "../support/most-in-a-turn.ts";

const WANTS = {
  history: logLists,
  alerts: logLists,
  cases: ["commandLogs"],
  watches: ["joinLogs"],
} as const;
const NAMES = Object.keys(WANTS) as readonly (keyof typeof WANTS)[];
const LISTS: readonly JournalList[] = [...logLists, "teams"];

const JOURNALS = {
  shown: () => [],
  ofServer: () => [],
  read: async () => [],
  writeMarks: async () => undefined,
};

function followers(): Followers {
  const those = new Followers({ clock: { monotonicMs: () => 0 }, warn: assert.fail });
  for (const name of NAMES) those.reader(name, { start: "head", wants: { logs: WANTS[name] } }, JOURNALS);
  return those;
}

interface Drawn {
  readonly list: JournalList;
  readonly nextSeq: number | undefined;
  readonly isFollowed: boolean;
  readonly marks: readonly (number | undefined)[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  list: fc.constantFrom(...LISTS),
  nextSeq: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
  isFollowed: fc.boolean(),
  marks: fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  }),
});

function openOf({ list, nextSeq, isFollowed, marks }: Drawn, index: number): Open {
  const open = opened(`source-${index}` as SourceId, list);
  if (nextSeq !== undefined) open.head = emptyHead("lineage", nextSeq);
  open.isFollowed = isFollowed;
  for (const [at, mark] of marks.entries()) {
    const name = NAMES[at];
    if (mark !== undefined && name !== undefined) open.marks[name] = mark;
  }
  return open;
}

/** All at once and one follower after the other, as it was counted while it held up the event loop. */
function unreadAtOnce(opens: readonly Open[]): Readonly<Record<string, number>> {
  const followed = opens.filter(({ head, isFollowed }) => head !== undefined && isFollowed);
  const unread = NAMES.map((name) => {
    let count = 0;
    for (const { list, head, marks } of followed) {
      const logs: readonly JournalList[] = WANTS[name];
      if (!isState(list) && !logs.includes(list)) continue;
      const nextSeq = head?.nextSeq ?? 0;
      count += Math.max(0, nextSeq - (marks[name] ?? nextSeq));
    }
    return [name, count];
  });
  return Object.fromEntries(unread);
}

describe("how far followers are", () => {
  test("is exactly what a count of all journals at once gives", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 40 }), async (those) => {
        const opens = those.map(openOf);
        const { unread, setAside } = await followers().state(opens);
        assert.deepEqual(unread, unreadAtOnce(opens));
        assert.deepEqual(Object.keys(setAside), NAMES);
      }),
    );
  });

  test("of 10,000 servers is counted in many turns of the event loop, and is the same", async () => {
    let looks = 0;
    const opens = Array.from({ length: 40_000 }, (_, index) => {
      const list = LISTS[index % logLists.length] ?? "joinLogs";
      const open = openOf({ list, nextSeq: 10, isFollowed: true, marks: [index % 12, 3, 4, 11] }, index);
      const { head } = open;
      return Object.defineProperty(open, "head", {
        get() {
          looks += 1;
          return head;
        },
      });
    });
    const those = followers();
    let unread: object = {};
    const most = await mostInATurn(
      () => looks,
      async () => {
        unread = (await those.state(opens)).unread;
      },
    );
    assert.ok(most <= 100, `${most} journals in a turn`);
    assert.deepEqual(unread, unreadAtOnce(opens));
  });
});
