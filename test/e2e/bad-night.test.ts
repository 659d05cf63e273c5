import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { badNight } from "../support/bad-night.ts";
import { Fleet } from "../support/fleet.ts";
import { needsRedis } from "../support/redis-server.ts";

/** As short as troubles can be that outlast what they try: a lease, a halt, a login. `npm run soak -- night` takes hours. */
const SHORT = {
  frozenMs: 12_000,
  redisAwayMs: 3_000,
  replicaBehindMs: 1_000,
  blockedMs: 3_000,
  discordAwayMs: 4_000,
  diskFullMs: 3_000,
  betweenMs: 2_000,
  rounds: 1,
};

describe("a bad night with two blocks and a standby", needsRedis(), () => {
  let fleet: Fleet;
  before(async () => {
    const size = { communities: 6, blocks: 2, shardsOfBlock: 1, standbys: 1 };
    fleet = await Fleet.open({ ...size, seed: 2, perMinute: 120, perSecond: 12 });
    await fleet.begin();
  });
  after(() => fleet.close());

  test("in the morning each entry stands once, no command ran twice, nobody waits for an answer", async () => {
    const morning = await badNight(fleet, SHORT);
    if (!morning.held) fleet.tell(400);
    const { found, unexplained, repeatedCommands, unanswered, unfinished, avoidable } = morning;
    assert.ok(found.due > 0);
    assert.deepEqual(
      { unexplained, repeated: found.repeated, repeatedCommands, unanswered, unfinished, avoidable },
      { unexplained: [], repeated: [], repeatedCommands: [], unanswered: [], unfinished: [], avoidable: 0 },
    );
    assert.ok(morning.answers429Per1000 <= 1, `${morning.answers429Per1000}`);
  });
});
