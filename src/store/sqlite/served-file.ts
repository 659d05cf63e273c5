import { DiskTurns } from "./disk-turns.ts";
import { GroupCommit, type GroupCommitParts } from "./group-commit.ts";
import type { LockWait } from "./lock-wait.ts";
import { openFile } from "./open-file.ts";
import { dropPages, PendingPages } from "./pending-pages.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { FileOutcome, FileRequest } from "./requests.ts";
import { StoreDatabase } from "./store-database.ts";

/** How long a request waits for another program that has the file locked. */
const LOCK_WAIT_MS = 5_000;

export interface ServedFileParts extends Pick<GroupCommitParts, "soon"> {
  /** Changes wait for their places by this clock. @default they have them at once */
  readonly monotonicMs?: (() => number) | undefined;
  readonly path: string;
  /** How long to wait for another Marshal to let go of the file. */
  readonly lockWaitMs: number;
  readonly sleep: LockWait["sleep"];
  /** Waits until what was written to a file survives a power cut. */
  readonly sync: (descriptor: number) => Promise<void>;
}

/** A store file where it is worked on. */
export interface ServedFile {
  /** `done` is called once, with the answer or the refusal. */
  take(request: FileRequest, done: (outcome: FileOutcome) => void): void;
  /** Does what was taken, then closes the file. */
  close(): Promise<void>;
}

/** Opens the file. Rejects with an error of sqlite or the system, or a StoreError. */
export async function openServedFile(parts: ServedFileParts): Promise<ServedFile> {
  const { path, lockWaitMs, sleep, soon, sync, monotonicMs } = parts;
  const lock = { waitMs: LOCK_WAIT_MS, sleep };
  const file = await openFile(path, { waitMs: lockWaitMs, sleep }, lock);
  const inPlace = new StoreDatabase(file.connection);
  const pages = new PendingPages(file.connection);
  const pending =
    monotonicMs === undefined ? undefined : new PendingWrites({ database: inPlace, pages, monotonicMs });
  const commits = new GroupCommit({
    database: pending ?? inPlace,
    disk: new DiskTurns(() => sync(file.log)),
    checkFile: () => file.checkFile(),
    lock,
    soon,
  });
  return {
    take: (request, done) => commits.take(request, done),
    close: async () => {
      await commits.drain();
      try {
        pending?.settle();
        dropPages(file.connection);
      } catch {
        // On a full disk, or while another program has the file: it is all in the file, and the next process places it.
      }
      file.close();
    },
  };
}
