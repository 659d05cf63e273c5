import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { card } from "../../src/history/queries/player-card.ts";
import { server } from "../../src/history/queries/server-stats.ts";
import { writePast } from "../../src/sandbox/past.ts";
import { BINDING, bob, GUILD, mod, openRig, START_S } from "../history/rig.ts";
import { tempFolder } from "../support/temp-folder.ts";

describe("the past that the sandbox gives a bot", () => {
  const folder = tempFolder();
  after(() => folder.remove());

  test("fits the tables of today: weeks with evenings, calls, and hours without staff", async () => {
    const file = join(folder.path, "history.sqlite");
    const opened = await openDatabase(`sqlite:${file}`);
    const { see, context } = await openRig({ open: async () => opened });
    // Commands from outside the game have an author in its log who is nobody.
    const commands = [[{ name: "Remote Server" }, ":h hi", START_S + 30]] as const;
    await see({ players: [bob, mod], commands }, START_S + 60);
    assert.equal(writePast({ file, nowS: START_S + 120, seed: 1, guildIds: ["901"] }), 0);
    assert.equal(writePast({ file, nowS: START_S + 120, seed: 1 }), 1);
    for (const table of ["visits", "counts", "kills", "mod_calls"] as const) {
      const { newest } = await opened.db
        .selectFrom(table)
        .select((eb) => eb.fn.max("at_s").as("newest"))
        .executeTakeFirstOrThrow();
      assert.ok(newest <= START_S + 120, `${table} of the future: ${newest}`);
    }
    const nobody = opened.db.selectFrom("persons").select("id").where("player_id", "=", 0);
    assert.equal((await nobody.execute()).length, 1);
    const rows = [
      await opened.db.selectFrom("visits").selectAll().where("person", "in", nobody).execute(),
      await opened.db.selectFrom("kills").selectAll().where("killer", "in", nobody).execute(),
      await opened.db.selectFrom("mod_calls").selectAll().where("caller", "in", nobody).execute(),
    ];
    assert.deepEqual(rows.flat(), []);
    const week = { fromS: START_S - 7 * 86_400, toS: START_S, zone: "UTC" };
    const found = await server(context, { guildId: GUILD, bindingId: BINDING, ...week });
    assert.ok(found.knownS > 6 * 86_400 && found.knownS < 7 * 86_400, String(found.knownS));
    assert.ok(found.joins > 100 && found.calls.answered > 5 && found.uncoveredS > 3_600);
    const bobs = await card(context, {
      guildId: GUILD,
      playerId: bob.id,
      nowS: START_S + 120,
      bindingId: undefined,
      harmless: [],
    });
    assert.ok((bobs?.player.firstSeenS ?? START_S) < START_S - 7 * 86_400, "seen first in that past");
    await opened.close();
  });
});
