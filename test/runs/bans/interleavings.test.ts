import assert from "node:assert/strict";
import { test } from "node:test";
import { tryInterleavings } from "./interleavings.ts";

/** `npm run soak -- bans` tries more. */
const TRIALS = 6;

test("bans that end: each lifted once, none early, none over a later ban, over kills and takeovers", async () => {
  const seen = await tryInterleavings(1, TRIALS);
  // Otherwise nothing was tried.
  assert.ok(seen.lifted > 150 && seen.kills > 15 && seen.takeovers > 1, JSON.stringify(seen));
});
