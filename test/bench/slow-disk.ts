import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("./slow-disk.c", import.meta.url));
const COUNTERS = 4;

/** What a process has asked of its disk so far. */
export interface DiskCounts {
  readonly syncs: number;
  readonly writes: number;
  readonly bytes: number;
  /** The longest that its main thread was held up by one call, since its start. */
  readonly longestOnMainMs: number;
}

/** A library to be loaded before a process begins (LD_PRELOAD): each wait for the disk takes so long, and calls are counted. */
export interface SlowDisk {
  readonly sharedObject: string;
  counts(): DiskCounts;
}

/** Builds it in `folder`; undefined where this machine has no `cc`, or no preloading. */
export function buildSlowDisk(folder: string, name: string, syncMs: number): SlowDisk | undefined {
  const [sharedObject, file] = [join(folder, `${name}.so`), join(folder, `${name}.counts`)];
  writeFileSync(file, Buffer.alloc(8 * COUNTERS));
  const defined = [`-DSYNC_MS=${syncMs}L`, `-DCOUNTS=${JSON.stringify(file)}`];
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O2", ...defined, "-o", sharedObject, SOURCE, "-ldl"], {
      stdio: "ignore",
    });
  } catch {
    return undefined;
  }
  const read = () => {
    const bytes = readFileSync(file);
    return Array.from({ length: COUNTERS }, (_, index) => Number(bytes.readBigUInt64LE(8 * index)));
  };
  return {
    sharedObject,
    counts: () => {
      const [syncs = 0, writes = 0, bytes = 0, longestUs = 0] = read();
      return { syncs, writes, bytes, longestOnMainMs: longestUs / 1_000 };
    },
  };
}
