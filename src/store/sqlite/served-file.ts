import { DiskTurns } from "./disk-turns.ts";
import { GroupCommit, type GroupCommitParts } from "./group-commit.ts";
import type { LockWait } from "./lock-wait.ts";
import { openFile } from "./open-file.ts";
import type { FileOutcome, FileRequest } from "./requests.ts";
import { StoreDatabase } from "./store-database.ts";

/** How long a request waits for another program that has the file locked. */
const LOCK_WAIT_MS = 5_000;

export interface ServedFileParts extends Pick<GroupCommitParts, "soon"> {
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
  const { path, lockWaitMs, sleep, soon, sync } = parts;
  const lock = { waitMs: LOCK_WAIT_MS, sleep };
  const file = await openFile(path, { waitMs: lockWaitMs, sleep }, lock);
  const commits = new GroupCommit({
    database: new StoreDatabase(file.connection),
    disk: new DiskTurns(() => sync(file.log)),
    checkFile: () => file.checkFile(),
    lock,
    soon,
  });
  return {
    take: (request, done) => commits.take(request, done),
    close: async () => {
      await commits.drain();
      file.close();
    },
  };
}
