import assert from "node:assert/strict";
import { Fleet } from "../support/fleet.ts";

/** Two blocks of shards and a standby on one Redis, for the tests of what several processes do together. */

/** Of the real clock, and only for what never comes. */
const POSTED_WITHIN_MS = 300_000;
export const SHARDS = 4;
export const MAX_CONCURRENCY = 4;

export async function openBlocks(seed: number): Promise<Fleet> {
  const size = { communities: 8, blocks: 2, shardsOfBlock: SHARDS, standbys: 1, sharesServer: true };
  const pace = { perMinute: 240, perSecond: 12, maxConcurrency: MAX_CONCURRENCY };
  return await Fleet.open({ ...size, ...pace, seed });
}

/** Lets what happens come to rest: nothing is lost or repeated, and the service and Discord were asked well. */
export async function assertExact(fleet: Fleet): Promise<void> {
  await fleet.rest();
  const { due, lost, repeated, gaps } = await fleet.judged(POSTED_WITHIN_MS);
  assert.ok(due > 0);
  assert.deepEqual({ lost, repeated, gaps }, { lost: [], repeated: [], gaps: [] });
  assert.deepEqual(fleet.repeatedCommands, []);
  const { answers429, avoidable, bans } = fleet.service.counts;
  assert.deepEqual({ answers429, avoidable, bans }, { answers429: 0, avoidable: 0, bans: 0 });
  assert.equal(fleet.discord.refusedSessions, 0, "no session was begun too soon");
}
