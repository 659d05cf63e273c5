import type { SourceId } from "../domain/model.ts";
import { opened } from "./open-journal.ts";
import { StoredJournals, type StoredJournalsParts } from "./stored-journals.ts";

export interface Rewound {
  /** Logs in which the follower reads on from an earlier event. */
  readonly logs: number;
  /** Events that it reads again. */
  readonly events: number;
  /** Logs in which events since then are not kept any more: it reads on from the oldest that is. */
  readonly shortened: number;
  /** Everybody who has a mark anywhere. */
  readonly followers: readonly string[];
}

/**
 * Puts the marks of a follower back to the first event that was seen at `sinceMs` or later, in the store of a Marshal that
 * is stopped. Nothing is changed where nobody of that name has a mark. Rejects when the store fails.
 */
export async function rewind(
  parts: StoredJournalsParts,
  follower: string,
  sinceMs: number,
): Promise<Rewound> {
  const stored = new StoredJournals(parts);
  const followers = new Set<string>();
  let [logs, events, shortened] = [0, 0, 0];
  for await (const [key] of parts.heads.entries()) {
    const end = key.lastIndexOf(":");
    const open = opened(key.slice(0, end) as SourceId, key.slice(end + 1) as Parameters<typeof opened>[1]);
    const { head, marks = {} } = (await stored.load(open)) ?? {};
    for (const name of Object.keys(marks)) followers.add(name);
    const mark = marks[follower];
    if (head === undefined || mark === undefined) continue;
    const { seq, isOldest } = await firstSince(stored, open, sinceMs);
    if (isOldest) shortened += 1;
    if (seq === undefined || seq >= mark) continue;
    await stored.writeHead(open, head, { marks: { ...marks, [follower]: seq }, neededSeq: 0 });
    logs += 1;
    events += mark - seq;
  }
  return { logs, events, shortened, followers: [...followers].sort() };
}

/** The first number that was seen then or later. `isOldest`: what came before it may have been as well, and is gone. */
async function firstSince(stored: StoredJournals, open: ReturnType<typeof opened>, sinceMs: number) {
  for await (const { firstSeq, row, isFirst } of stored.all(open))
    if (row.seenAtMs >= sinceMs) return { seq: firstSeq, isOldest: isFirst && firstSeq > 1 };
  return { seq: undefined, isOldest: false };
}
