import assert from "node:assert/strict";
import { test } from "node:test";
import { tryInterleavings } from "./interleavings.ts";

/** The bench `commands` tries 100,000. */
const INTERLEAVINGS = 3_000;

test(`${INTERLEAVINGS} interleavings: none without permission, none twice, none without its audit row before`, async () => {
  const { sent, executed } = await tryInterleavings(INTERLEAVINGS);
  // Otherwise nothing was tried.
  assert.ok(sent > INTERLEAVINGS && executed > INTERLEAVINGS / 2, `${sent} sent, ${executed} executed`);
});
