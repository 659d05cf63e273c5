import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

const BLOCK_BYTES = 4_096;

/** A disk of its own for a test, of so many kilobytes; undefined where this machine lets nobody mount one. */
export function smallDisk(t: { after(end: () => void): void }, kilobytes: number): string | undefined {
  const folder = tempFolder();
  const options = ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder.path];
  try {
    execFileSync("mount", options, { stdio: "ignore" });
  } catch {
    folder.remove();
    return undefined;
  }
  t.after(() => {
    execFileSync("umount", ["-l", folder.path]);
    folder.remove();
  });
  return folder.path;
}

/** Fills a disk up to its last block; returns how to make room again. */
export function fillDisk(path: string): () => void {
  const files: string[] = [];
  for (let n = 0; ; n++) {
    const file = join(path, `fill${n}`);
    files.push(file);
    try {
      writeFileSync(file, Buffer.alloc(BLOCK_BYTES));
    } catch {
      break;
    }
  }
  // The last one did not fit: what there is of it goes.
  rmSync(files.pop() ?? "", { force: true });
  return () => {
    for (const file of files) rmSync(file, { force: true });
  };
}
