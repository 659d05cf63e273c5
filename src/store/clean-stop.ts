import { z } from "zod";
import type { CleanEnd, CleanStop } from "../domain/ports/clean-stop.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Store } from "./keyv-documents.ts";

/**
 * A store that was put back from a backup holds the mark of an end long ago, and what was posted since is not in it.
 * Reading channels back where it was not needed costs a request for each feed.
 */
const LONGEST_STOP_MS = 60 * 60_000;

const storedEnd = z.object({
  unsettled: z.array(z.string()).readonly(),
  endedAtMs: z.number().exactOptional(),
  postedUpToS: z.number().optional(),
});

export type StoredEnd = Readonly<z.infer<typeof storedEnd>>;

/** For `Documents<StoredEnd>`: throws on any other shape. */
export function parseCleanEnd(value: unknown): StoredEnd {
  return storedEnd.parse(value);
}

/** The same, but nobody relies on the mark: each start is treated as one after an end out of order. */
export function withoutTrust(cleanStop: CleanStop): CleanStop {
  return {
    async take() {
      await cleanStop.take();
      return undefined;
    },
    leave: (end) => cleanStop.leave(end),
  };
}

/** `documents` must be of full durability. `key`: of whose end the mark tells. */
export function createCleanStop(
  store: Pick<Store, "flush">,
  { documents, key }: { readonly documents: Documents<StoredEnd>; readonly key: "end" | "posts" },
  clock: Pick<Clock, "nowMs">,
): CleanStop {
  return {
    async take() {
      const end = await documents.get(key);
      if (end === undefined) return undefined;
      await documents.delete(key);
      // A deletion that is not known to be on the disk may be undone by a power cut; the mark would then be wrong.
      if (!(await store.flush())) return undefined;
      const { endedAtMs = Number.NEGATIVE_INFINITY, ...clean } = end;
      return Math.abs(clock.nowMs() - endedAtMs) > LONGEST_STOP_MS ? undefined : clean;
    },
    leave: (end: CleanEnd) => documents.set(key, { ...end, endedAtMs: clock.nowMs() }),
  };
}

/**
 * The mark that a copy of a store has from its making (`backUpSqlite`) until a bot has looked through it: what was sent since
 * the copy was made is not in it. Of the form of an end.
 */
export const COPIED = "copied";

/** Gives a store on a file that mark. */
export async function markCopyIn({ documents }: Pick<Store, "documents">): Promise<void> {
  await documents("clean-stop", parseCleanEnd, "full").set(COPIED, { unsettled: [] });
}

/** When a bot began on a store that was a copy. Of the form of an end. */
const BEGUN_ON_COPY = "begun-on-copy";

/**
 * Whether this store is a copy, and how that is over. `wholeSinceMs`: of the time before, what was sent may be missing in it;
 * undefined: it never was a copy. `documents` are those of `createCleanStop`.
 */
export async function readCopyMark(documents: Documents<StoredEnd>, clock: Pick<Clock, "nowMs">) {
  const isCopy = (await documents.get(COPIED)) !== undefined;
  const wholeSinceMs = isCopy ? clock.nowMs() : (await documents.get(BEGUN_ON_COPY))?.endedAtMs;
  return {
    isCopy,
    wholeSinceMs,
    async lookedThrough(): Promise<void> {
      if (!isCopy) return;
      await documents.set(BEGUN_ON_COPY, { unsettled: [], endedAtMs: clock.nowMs() });
      await documents.delete(COPIED);
    },
  };
}
