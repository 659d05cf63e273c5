import assert from "node:assert/strict";
import { test } from "node:test";
import { tryInterleavings } from "./interleavings.ts";

const INTERLEAVINGS = 250;

test(`${INTERLEAVINGS} interleavings: no due time is sent twice, none unclaimed, none without its row, none long after`, async () => {
  const sent = await tryInterleavings(INTERLEAVINGS);
  // Otherwise nothing was tried.
  assert.ok(sent > INTERLEAVINGS, `${sent} were sent`);
});
