import assert from "node:assert/strict";
import { test } from "node:test";
import { inThread } from "../../support/in-thread.ts";
import type { tryInterleavings } from "./interleavings.ts";

const INTERLEAVINGS = 10_000;

test(`${INTERLEAVINGS} interleavings: none without permission, none twice, none without its audit row before`, async () => {
  const cases = new URL("./interleavings.ts", import.meta.url);
  const { sent, executed } = await inThread<typeof tryInterleavings>(
    cases,
    "tryInterleavings",
    INTERLEAVINGS,
  );
  // Otherwise nothing was tried.
  assert.ok(sent > INTERLEAVINGS && executed > INTERLEAVINGS / 2, `${sent} sent, ${executed} executed`);
});
