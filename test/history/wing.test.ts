import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Binding } from "../../src/domain/guild.ts";
import type { MapPicture } from "../../src/domain/map.ts";
import type { Demand } from "../../src/domain/model.ts";
import type { Log } from "../../src/log.ts";
import { linkedServer } from "../support/bindings.ts";
import { VirtualClock } from "../support/clock.ts";
import { memoryJournal } from "../support/memory-journal.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { ann, GUILD, SOURCE, snapshotOf } from "./rig.ts";
import { silent, wingAt } from "./wing-rig.ts";

/** Somebody at a place. */
const MAP: MapPicture = {
  kind: "map",
  look: "dark",
  title: "Town",
  points: [{ x: 1, z: 2, team: "Civilian", name: "Ann", isStaff: false, wantedStars: 0 }],
  calls: [],
};

/** With its threads, as the bot has it. */
describe("the wing of the history", () => {
  let folder: TempFolder;
  before(() => {
    folder = tempFolder();
  });
  after(() => folder.remove());

  test("a server with an open call is looked at more finely where the guild records positions, and not once it is unlinked", async (t) => {
    const clock = new VirtualClock();
    const journal = memoryJournal({ clock });
    const put = new Map<string, readonly Demand[]>();
    let linked: readonly Binding[] = [linkedServer({ guildId: GUILD, source: SOURCE })];
    const history = wingAt(`sqlite:${folder.path}/finer.sqlite`, silent, {
      journal,
      demands: { put: (owner, demands) => void put.set(owner, demands) },
      bindings: {
        async *all() {
          yield* linked;
        },
        list: async () => linked,
      },
    });
    t.after(() => history.stop());
    await history.start();
    const finer = () => [...put.values()].flat().filter(({ finerMs }) => finerMs !== undefined);
    const atS = Math.floor(clock.nowMs() / 1_000);
    const look = async (second: number) => {
      const snapshot = snapshotOf({}, atS + second);
      const call = { kind: "modCall", atS: atS - 30, caller: ann } as const;
      await journal.take({
        ...snapshot,
        serviceAtMs: (atS + second) * 1_000,
        lists: { ...snapshot.lists, modCalls: [call] },
      });
    };
    await look(1);
    assert.deepEqual(finer(), []);
    await history.positions.setDays(GUILD, 2);
    await look(2);
    assert.deepEqual(
      finer().map(({ source, guildId }) => [source, guildId]),
      [[SOURCE, GUILD]],
    );
    linked = [];
    await history.onLinksChanged(GUILD);
    assert.deepEqual(finer(), []);
  });

  test("a drawing that may show somebody is given out no more once they are forgotten, or once it is turned off", async (t) => {
    const history = wingAt(`sqlite:${folder.path}/kept.sqlite`, silent);
    t.after(() => history.stop());
    await history.start();
    for (const [guildId, erase] of [
      ["1", () => history.privacy.forget("1", 7, 0)],
      ["2", () => history.positions.setDays("2", 0)],
      ["3", () => history.privacy.setRetention("3", "off")],
    ] as const) {
      const draw = async () => (await history.stats.draw(guildId, [MAP], { subject: "map" })).kind;
      assert.deepEqual([await draw(), await draw()], ["made", "made"], "the second one is the first");
      await erase();
      assert.equal(await draw(), "later", "it would have to be drawn anew");
    }
  });

  test("whoever remembers players is told of one who was forgotten", async (t) => {
    const history = wingAt(`sqlite:${folder.path}/forgotten.sqlite`, silent);
    t.after(() => history.stop());
    await history.start();
    const told: unknown[] = [];
    history.onForgotten((guildId, playerId) => told.push([guildId, playerId]));
    await history.positions.setDays(GUILD, 2);
    const row = {
      guildId: GUILD,
      kind: "state",
      id: "s",
      userId: "",
      playerId: 7,
      fromS: 1,
      body: "{}",
    } as const;
    await history.dutyStore.write({ put: [row] });
    await history.privacy.forget(GUILD, 7, 0);
    await history.privacy.forget(GUILD, 8, 0);
    assert.deepEqual(told, [[GUILD, 7]]);
  });

  test("a MAP_IMAGE that is none is said to the operator at the start, and maps are drawn on plain ground", async (t) => {
    const file = `${folder.path}/map.png`;
    writeFileSync(file, "<svg/>");
    const told = Promise.withResolvers<unknown>();
    const warn = (fields: object, message: string) => {
      if (message.startsWith("MAP_IMAGE is not used"))
        told.resolve("reason" in fields ? fields.reason : undefined);
    };
    const log: Log = { ...silent, warn, child: () => log };
    const mapImage = { file, x1: 0, z1: 0, x2: 100, z2: 100 };
    const history = wingAt(`sqlite:${folder.path}/image.sqlite`, log, { mapImage });
    t.after(() => history.stop());
    await history.start();
    assert.match(String(await told.promise), /neither a PNG nor a JPEG/);
    const drawn = await history.stats.draw("1", [MAP]);
    assert.ok(drawn.kind === "made");
    assert.deepEqual(
      drawn.pngs.map((png) => Buffer.from(png.slice(1, 4)).toString()),
      ["PNG"],
    );
  });
});
