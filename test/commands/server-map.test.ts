import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { map, mapActions } from "../../commands/server-map.ts";
import type { Answer, Reply } from "../../src/discord/command.ts";
import { mapMessage, mapPicture } from "../../src/discord/render/map/map-message.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { EmergencyCall, Lists, Player } from "../../src/domain/model.ts";
import { formOf } from "../support/fake-answers.ts";
import { actorOf, emptyLists, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ roleIds: ["staff"] });
const { signal } = new AbortController();

function player(name: string, id: number, team: string): Player {
  const location = { x: id, z: id, streetName: "Main Street", postalCode: "204" };
  return { player: { name, id }, team, permission: "Normal", wantedStars: 0, location };
}

function call(callNumber: number): EmergencyCall {
  return {
    team: "Police",
    callerId: 1,
    unitIds: [],
    startedAtS: 1,
    callNumber,
    description: "Robbery",
    position: [callNumber, 5],
  };
}

async function lastOf(answer: Answer): Promise<Reply> {
  if (!(Symbol.asyncIterator in answer)) return await answer;
  let last: Reply | undefined;
  for await (const reply of answer) last = reply;
  return last ?? assert.fail("nothing was answered");
}

const described = ({ cards = [] }: Reply) => String(cards[0]?.description);
const buttonOf = ({ rows = [] }: Reply) => {
  const [part] = rows.flat();
  return part?.kind === "button" ? part : undefined;
};

describe("The words of the map", () => {
  test("name every call that the picture shows, and say how many more there are where they have no room", () => {
    const shown = (calls: number) => {
      const atMs = 0;
      const players = Array.from({ length: 12 }, (_, n) => player(`Player_${n}`, n + 1, "Civilian"));
      const modCalls = players.map(({ player: caller }) => ({ kind: "modCall", atS: 1, caller }) as const);
      const emergencyCalls = Array.from({ length: calls }, (_, n) => call(n + 1));
      const lists: Lists = {
        players: { atMs, value: players },
        modCalls: { atMs, value: modCalls },
        emergencyCalls: { atMs, value: emergencyCalls },
      } as never;
      const state = { source: "s", status: serverStatus(), statusAtMs: 0, lists } as never;
      const message = { bindingId: "b", state, seen: { atMs: 0 }, filter: {}, look: "dark" } as const;
      const words = String(mapMessage(message, { png: undefined }).cards?.[0]?.description);
      return { words, calls: mapPicture(message).calls.length };
    };
    const { words, calls } = shown(3);
    assert.equal(calls, 15);
    assert.match(words, /Player\\?_0 \(Main Street, postal 204\)/);
    const line = words.split("\n").find((one) => one.startsWith("Open calls")) ?? "";
    assert.equal(line.match(/🔔|🚓/gu)?.length, 15, line);
    const many = shown(200);
    const [, more = "0"] = /and (\d+) more$/m.exec(many.words) ?? [];
    assert.equal(Number(more) + (many.words.match(/🔔 |🚓 /gu)?.length ?? 0), many.calls);
    assert.ok(many.words.length < 4_096);
  });
});

describe("/server map", () => {
  async function world() {
    const made = new FakeWorld();
    const binding = await made.linkServer(actor.guildId, serverStatus());
    const policy = { ...EMPTY_POLICY, roleTiers: { staff: "moderator" } } as const;
    await made.settings.change(actor.guildId, (all) => ({ ...all, policies: { [binding.id]: policy } }));
    const see = (...value: Player[]) => {
      const state = made.states.get(binding.source) ?? assert.fail();
      const atMs = made.clock.nowMs();
      const lists = { ...emptyLists(atMs), players: { atMs, value } };
      made.states.set(binding.source, { ...state, lists });
    };
    const { stats } = made.services.history;
    const draw = async () => ({ kind: "made", pngs: [new Uint8Array([1])] }) as const;
    const services = { ...made.services, history: { ...made.services.history, stats: { ...stats, draw } } };
    const ask = async (args: { player?: string; team?: string }) =>
      await lastOf(
        map.execute(
          {
            actor,
            args: { player: args.player, team: args.team, server: undefined, check: false },
            signal,
            reference: "r",
          },
          services,
        ),
      );
    const press = async (id: string) => {
      const [name = "", argument = ""] = id.split(/:(.*)/s);
      const action = mapActions[name as keyof typeof mapActions];
      assert.equal(action.first, "update");
      return await lastOf(
        action.execute(
          { actor, argument, values: [], form: formOf({}), messageId: "9", signal, reference: "r" },
          services,
        ),
      );
    };
    return { see, ask, press };
  }

  test("has a button that shows the same again, of now", async () => {
    const { see, ask, press } = await world();
    see(player("Ann", 1, "Police"), player("Bob", 2, "Civilian"));
    const all = await ask({});
    assert.match(described(all), /Bob[\s\S]*Ann/);
    see(player("Eve", 3, "Civilian"));
    const again = await press(buttonOf(all)?.id ?? "");
    assert.match(described(again), /Eve/);
    assert.doesNotMatch(described(again), /Ann/);
    assert.equal(buttonOf(again)?.label, "Refresh");
  });

  test("keeps the player or the team that was asked for", async () => {
    const { see, ask, press } = await world();
    see(player("Ann", 1, "Police"), player("Bob", 2_000, "Civilian"));
    for (const args of [{ player: "Ann" }, { team: "Police" }]) {
      const again = await press(buttonOf(await ask(args))?.id ?? "");
      assert.match(described(again), /Ann/);
      assert.doesNotMatch(described(again), /Bob/);
    }
    const long = await ask({ team: "Police ".repeat(20) });
    assert.equal(buttonOf(long), undefined, "its name fits no button");
  });
});
