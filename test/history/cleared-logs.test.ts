import assert from "node:assert/strict";
import { test } from "node:test";
import { server } from "../../src/history/queries/server-stats.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, BINDING, bob, GUILD, openRig, START_S } from "./rig.ts";

const at = (s: number) => START_S + s;

onBothDatabases("logs that the game server's start has cleared", (databases) => {
  test("leave a time of which rows may be missing, also where nothing has happened since", async () => {
    const { see, context } = await openRig(databases);
    const came = [bob, at(10), true] as const;
    const kills = [1, 2, 3].map((n) => [bob, ann, at(40 + n)] as const);
    await see({ joins: [came], kills, players: [bob, ann] }, at(60));
    // While nobody looked the game server started anew, with all that happened before.
    const back = [ann, at(3_500), true] as const;
    await see({ joins: [back], players: [ann] }, at(3_600));
    await see({ joins: [back, [bob, at(3_605), true]], players: [ann, bob] }, at(3_610));
    await see({ joins: [back, [bob, at(3_605), true]], players: [ann, bob] }, at(3_620));
    const gaps = await context.db.selectFrom("gaps").select(["log", "from_s", "to_s"]).execute();
    const told = gaps.map(({ log, from_s, to_s }) => `${log} ${from_s - START_S} ${to_s - START_S}`).sort();
    assert.deepEqual(told, ["joins 10 3500", "kills 0 3560"]);
    const asked = { guildId: GUILD, bindingId: BINDING, fromS: at(1_000), toS: at(3_000), zone: "UTC" };
    assert.equal((await server(context, asked)).unrecordedS, 2_000);
  });
});
