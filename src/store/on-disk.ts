import { z } from "zod";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Store } from "./keyv-documents.ts";

const KEY = "last";

const diskMark = z.object({ atMs: z.number(), count: z.int() });

type DiskMark = Readonly<z.infer<typeof diskMark>>;

/** For `Documents<DiskMark>`: throws on any other shape. */
export function parseDiskMark(value: unknown): DiskMark {
  return diskMark.parse(value);
}

/**
 * A wait that resolves when all that was written before survives a power cut, as far as the store can tell (a Redis
 * before 7.2 cannot). Rejects when the store fails. `documents` must be of full durability.
 */
export function createDiskWait(
  store: Pick<Store, "flush">,
  documents: Documents<DiskMark>,
  clock: Pick<Clock, "nowMs">,
): () => Promise<void> {
  let count = 0;
  return async () => {
    // A write that waits for the disk takes all earlier ones of sqlite's log along; one that changes nothing would not.
    count += 1;
    await documents.set(KEY, { atMs: clock.nowMs(), count });
    await store.flush();
  };
}
