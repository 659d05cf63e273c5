import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { Members } from "../../src/domain/ports/members.ts";
import { pacedMembers } from "../../src/outbox/paced-members.ts";
import { TurnDesk } from "../../src/outbox/turns/turn-desk.ts";
import { VirtualClock } from "../support/clock.ts";
import { FakeMetrics } from "../support/network.ts";

function rig(now: Members["now"] = async () => ({ roleIds: ["r"], manageGuild: false })) {
  const clock = new VirtualClock();
  const desk = new TurnDesk({ clock, metrics: new FakeMetrics(), guildOf: () => undefined });
  return { clock, desk, members: pacedMembers({ now }, desk, { clock, as: "run" }) };
}

describe("the roles of somebody who wants a command run", () => {
  test("are read before all that waits to be posted", async () => {
    const { clock, desk, members } = rig();
    let posted = 0;
    for (let n = 0; n < 500; n++) {
      desk.take({ class: "first", channelId: `c${n}`, request: "send" }).then(
        (turn) => {
          posted += 1;
          turn.done("taken");
        },
        () => undefined,
      );
    }
    await clock.advance(1_000);
    const before = posted;
    const read = members.now("g", "u");
    await clock.advance(100);
    assert.deepEqual(await read, { roleIds: ["r"], manageGuild: false });
    assert.ok(posted - before < 10, `${posted - before} posts went first`);
    desk.stop();
  });

  test("are not waited for without end while no turn is given", async () => {
    const { clock, desk, members } = rig();
    desk.onTooMany(60_000);
    const read = members.now("g", "u");
    const failed = assert.rejects(read, (error) => error instanceof Failure && error.code === "paused");
    await clock.advance(10_000);
    await failed;
    desk.stop();
  });

  test("of a guild that the bot has left cost no turn and say nothing of Discord", async () => {
    const { desk, members } = rig(() => Promise.reject(new Failure("denied", "no longer there")));
    await assert.rejects(members.now("g", "u"), /no longer there/);
    assert.equal(desk.figures().used.run, 0);
    desk.stop();
  });
});
