import { readFileSync } from "node:fs";

/** The version that package.json names; "unknown" where it cannot be read, because nothing depends on it. */
export function readVersion(): string {
  try {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    return String(version);
  } catch {
    return "unknown";
  }
}
