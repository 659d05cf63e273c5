import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { isFailure } from "../../support/failures.ts";
import { stranger, World, within } from "../../support/limit-run.ts";
import { worlds } from "../../support/worlds.ts";
import { dyingKeys, minutesToLink, pollsBesideWrongKeys } from "../../support/wrong-keys.ts";

describe("wrong keys that strangers type", () => {
  test("leave the polls of all others as they are, also where an answer takes 150 ms", async () => {
    const { before, beside } = await pollsBesideWrongKeys();
    assert.ok(before > 25, `${before} polls a second`);
    assert.ok(beside >= 0.9 * before, `${before} polls a second before, ${beside} beside them`);
  });

  test("do not keep a third community from linking for longer than an hour", async () => {
    for (const afterMinutes of [1, 31, 65]) {
      const minutes = await minutesToLink(afterMinutes);
      assert.ok(minutes <= 60, `${minutes} minutes where it came after ${afterMinutes}`);
    }
  });

  test("do not keep a community that has a server linked from linking another at once", async () => {
    const world = new World({ seed: 1, keys: 1 });
    for (const guildId of ["a", "b", "c"])
      await within(world, world.client.verifyKey(new ServerKey(`wrong-${guildId}`), stranger(guildId))).catch(
        () => {},
      );
    world.service.addServer("good-key-1");
    const good = new ServerKey("good-key-1");
    await assert.rejects(within(world, world.client.verifyKey(good, stranger("d"))), isFailure("denied"));
    const status = await within(world, world.client.verifyKey(good, { guildId: "e", isKnown: true }));
    assert.notEqual(status.name, "");
    await world.close();
  });

  test("of one community are counted for a day, also over a restart", async () => {
    const world = new World({ seed: 2, keys: 1, badKeyBudget: 40, service: { limits: { banAfter: 42 } } });
    const type = (n: number) =>
      within(world, world.client.verifyKey(new ServerKey(`wrong-${n}`), stranger("guild")));
    for (let n = 0; n < 4; n++) {
      await assert.rejects(type(n), isFailure("key-rejected"));
      await world.clock.advance(31 * 60_000);
    }
    await world.clock.advance(2 * 60 * 60_000);
    await world.restart();
    await assert.rejects(type(4), isFailure("denied"));
    await world.clock.advance(21 * 60 * 60_000);
    await assert.rejects(type(5), isFailure("key-rejected"));
    await world.close();
  });
});

for (const keys of worlds([50], [200]))
  test(`a fifth of ${keys} keys that are refused at once: nobody is banned, and all good ones are read within six hours`, async () => {
    const dying = await dyingKeys({ seed: 1, keys, perSecond: keys / 100 });
    assert.ok(dying.mostRefused <= 9, `${dying.mostRefused} refused in an hour`);
    assert.equal(dying.bans, 0);
    assert.ok(dying.allServedAfterH <= 6, `${dying.allServedAfterH} h`);
  });
