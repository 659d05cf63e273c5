import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder {
  readonly path: string;
  remove(): void;
}

/** A folder of this test alone. */
export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), "marshal-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
