import assert from "node:assert/strict";
import { test } from "node:test";
import { tryInterleavings } from "./interleavings.ts";

/** As many as take three seconds; `npm run soak -- bans` tries more. */
const TRIALS = 10;

test("bans that end: each lifted once, none early, none over a later ban, over kills and takeovers", async () => {
  const seen = await tryInterleavings(1, TRIALS);
  // Otherwise nothing was tried.
  assert.ok(seen.lifted > 300 && seen.kills > 30 && seen.takeovers > 2, JSON.stringify(seen));
});
