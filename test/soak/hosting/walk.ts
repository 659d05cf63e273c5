import { setTimeout as sleep } from "node:timers/promises";
import type { Documented } from "./documented.ts";
import type { Host, Words } from "./host.ts";

/** What each part of the walk through docs/hosting.md works with. */
export interface Walk {
  readonly host: Host;
  readonly documented: Documented;
  readonly words: Words;
  /** The repository gets its last commit. */
  publish(): void;
  /** Something that has to hold. */
  note(what: string, isHeld: boolean): void;
}

/** Asks until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error("it never came");
    await sleep(500);
  }
}
