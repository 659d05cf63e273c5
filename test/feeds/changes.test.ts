import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FeedsRig, withRig } from "../support/feeds-rig.ts";

const FEEDS = [
  { kind: "team" as const, channelId: "teams" },
  { kind: "vehicles" as const, channelId: "cars" },
  { kind: "queue" as const, channelId: "queue" },
];
const player = (name: string, team: string) => ({
  player: { name, id: name.length },
  team,
  permission: "Normal",
  wantedStars: 0,
});

async function change(rig: FeedsRig): Promise<void> {
  rig.players = [player("Ann", "Civilian")];
  await rig.pollAndFlush();
  rig.players = [player("Ann", "Police")];
  rig.vehicles = [{ name: "Falcon `88`", owner: "Ann", plate: "A1" }];
  rig.queue = [4711];
}

function lines(rig: FeedsRig, channelId: string): readonly string[] {
  const texts = rig.sink.messages(channelId).flatMap(({ body }) => body.content ?? []);
  return texts.flatMap((text) => text.split("\n")).map((line) => line.replace(/<t:\d+:T> \S+ /, ""));
}

describe("feeds of what no log tells", () => {
  test("post each change once: a team, a vehicle that came or went, who joined the queue", () =>
    withRig(
      async (rig) => {
        await change(rig);
        for (let poll = 0; poll < 3; poll += 1) await rig.pollAndFlush();
        rig.vehicles = [];
        for (let poll = 0; poll < 3; poll += 1) await rig.pollAndFlush();
        assert.deepEqual(lines(rig, "teams"), ["**Ann** changed team `Civilian` → `Police`"]);
        assert.deepEqual(lines(rig, "cars"), [
          "**Ann** spawned `Falcon ˋ88ˋ (A1)`",
          "**Ann** no longer has `Falcon ˋ88ˋ (A1)`",
        ]);
        assert.deepEqual(lines(rig, "queue"), ["**4711** joined the queue"]);
      },
      { feeds: FEEDS },
    ));

  test("post none again that a power cut made the store forget, though the next look is later", () =>
    withRig(
      async (rig) => {
        rig.players = [player("Ann", "Civilian")];
        await rig.pollAndFlush();
        const saved = rig.saved();
        rig.players = [player("Ann", "Police")];
        await rig.pollAndFlush();
        assert.equal(lines(rig, "teams").length, 1);
        await rig.powerCut(saved);
        await rig.clock.advance(90_000);
        await rig.pollAndFlush();
        assert.equal(lines(rig, "teams").length, 1);
        rig.players = [player("Ann", "Fire")];
        await rig.pollAndFlush();
        assert.equal(lines(rig, "teams").length, 2);
      },
      { feeds: FEEDS },
    ));

  test("show only the players whom their filter names", () =>
    withRig(
      async (rig) => {
        rig.players = [player("Ann", "Civilian"), player("Robert", "Civilian")];
        await rig.pollAndFlush();
        rig.players = [player("Ann", "Police"), player("Robert", "Police")];
        await rig.pollAndFlush();
        assert.deepEqual(lines(rig, "teams"), ["**Robert** changed team `Civilian` → `Police`"]);
      },
      { feeds: [{ kind: "team", channelId: "teams", filter: { players: ["robert"] } }] },
    ));

  test("of a team show who joined it and who left it, whatever they are in when it is posted", () =>
    withRig(
      async (rig) => {
        const teams = ["Civilian", "Police", "Civilian", "Fire", "DOT"];
        for (const team of teams) {
          rig.players = [player("Ann", team), player("Robert", "Police")];
          await rig.poll();
          await rig.clock.advance(1_000);
        }
        await rig.pollAndFlush();
        assert.deepEqual(lines(rig, "teams"), [
          "**Ann** changed team `Civilian` → `Police`",
          "**Ann** changed team `Police` → `Civilian`",
        ]);
      },
      { feeds: [{ kind: "team", channelId: "teams", filter: { teams: ["police"] } }] },
    ));
});
