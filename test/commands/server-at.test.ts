import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at } from "../../commands/server-at.ts";
import type { Answer, Reply } from "../../src/discord/command.ts";
import { Failure } from "../../src/domain/failure.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ roleIds: ["staff"] });

async function ask(time: string) {
  const world = new FakeWorld();
  const binding = await world.linkServer(actor.guildId, serverStatus());
  await world.settings.change(actor.guildId, (all) => ({ ...all, timeZone: "Europe/Berlin" }));
  const asked = {
    actor,
    args: { time, player: undefined, server: undefined, replay: false },
    signal: new AbortController().signal,
    reference: "r",
  };
  return { binding, reply: lastOf(at.execute(asked, world.services)) };
}

async function lastOf(answer: Answer): Promise<Reply | undefined> {
  if (!(Symbol.asyncIterator in answer)) return await answer;
  let last: Reply | undefined;
  for await (const reply of answer) last = reply;
  return last;
}

describe("/server at in a night in which the clocks are set", () => {
  test("in autumn asks which of the two times is meant, with a button for each", async () => {
    const { binding, reply } = await ask("2025-10-26 02:10");
    const shown = JSON.stringify(await reply);
    assert.match(shown, /Which 02:10\?/);
    const first = Date.parse("2025-10-26T00:10:00Z") / 1_000;
    for (const [label, atS] of [
      ["First (GMT+2)", first],
      ["Second (GMT+1)", first + 3_600],
    ]) {
      assert.ok(shown.includes(`"label":"${label}","id":"rewind-here:${binding.id}/${atS}"`), shown);
    }
  });

  test("in spring says that the time did not exist, and which to try", async () => {
    const { reply } = await ask("2025-03-30 02:30");
    await assert.rejects(
      async () => await reply,
      (error) => error instanceof Failure && /did not exist.*03:30/.test(error.message),
    );
  });
});
