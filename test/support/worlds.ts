import process from "node:process";
import { test } from "node:test";

/**
 * `npm test` runs the few seeds and worlds of a test that find most of what they can find; `npm run soak -- worlds` runs the
 * same files with all of them.
 */

/** Set by the soak. */
export const ALL_WORLDS = "ALL_WORLDS";
export const areAllWorlds: boolean = process.env[ALL_WORLDS] !== undefined;

/** Those of every day; in the soak the further ones too. */
export function worlds<const A, const B>(everyDay: readonly A[], further: readonly B[]): readonly (A | B)[] {
  return areAllWorlds ? [...everyDay, ...further] : everyDay;
}

/** A test of the soak alone. */
export function testInSoak(name: string, work: () => void | Promise<void>): void {
  if (areAllWorlds) void test(name, work);
}
