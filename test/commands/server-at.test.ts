import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { at } from "../../commands/server-at.ts";
import type { Answer, Reply } from "../../src/discord/command.ts";
import { Failure } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
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

describe("/server at", () => {
  test("offers the replay only for times of which positions are kept", async () => {
    const world = new FakeWorld();
    const binding = await world.linkServer(actor.guildId, serverStatus());
    const policy = { ...EMPTY_POLICY, roleTiers: { staff: "moderator" } } as const;
    await world.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
    const { history } = world.services;
    const offered = async (time: string, positionDays: number) => {
      const services = {
        ...world.services,
        history: {
          ...history,
          positions: { ...history.positions, days: async () => positionDays },
          rewind: {
            ...history.rewind,
            at: async (_: string, __: string, { atS }: { atS: number }) => viewAt(atS),
          },
        },
      };
      const args = { time, player: undefined, server: undefined, replay: false };
      const reply = await lastOf(
        at.execute({ actor, args, signal: new AbortController().signal, reference: "r" }, services),
      );
      return JSON.stringify(reply?.rows).includes("replay-open:");
    };
    assert.equal(await offered("25 min ago", 2), true);
    assert.equal(await offered("2025-12-29 20:14", 2), false, "older than what is kept");
    assert.equal(await offered("2025-12-29 20:14", 5), true);
    assert.equal(await offered("25 min ago", 0), false, "not recorded");
  });

  const viewAt = (atS: number) => ({
    bindingId: "b",
    atS,
    fromS: atS - 300,
    toS: atS + 300,
    present: [],
    rows: [],
    unrecorded: [],
    isShortened: false,
    recordedSinceS: 0,
  });
});

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
