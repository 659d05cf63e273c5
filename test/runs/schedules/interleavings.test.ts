import assert from "node:assert/strict";
import { test } from "node:test";
import { inThread } from "../../support/in-thread.ts";
import type { tryInterleavings } from "./interleavings.ts";

const INTERLEAVINGS = 600;

test(`${INTERLEAVINGS} interleavings: no due time is sent twice, none unclaimed, none without its row, none long after`, async () => {
  const cases = new URL("./interleavings.ts", import.meta.url);
  const sent = await inThread<typeof tryInterleavings>(cases, "tryInterleavings", INTERLEAVINGS);
  // Otherwise nothing was tried.
  assert.ok(sent > INTERLEAVINGS, `${sent} were sent`);
});
