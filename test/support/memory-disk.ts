import { accessSync, constants, statfsSync } from "node:fs";
import process from "node:process";

/** Linux's memory that is used like a disk. */
const MEMORY_DISK = "/dev/shm";
/** Several times of what a run of all tests keeps at once. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * A folder in memory for the files of the tests, where this machine has one with enough room; else undefined. Hundreds of
 * databases that wait for a real disk cost minutes where others use it too, and nothing is tested by that.
 */
export function memoryDisk(): string | undefined {
  try {
    accessSync(MEMORY_DISK, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    const roomBytes = Math.min(bavail * bsize, process.availableMemory());
    return roomBytes >= ENOUGH_BYTES ? MEMORY_DISK : undefined;
  } catch {
    // It is Linux's alone.
    return undefined;
  }
}
