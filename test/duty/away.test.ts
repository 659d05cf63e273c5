import assert from "node:assert/strict";
import { test } from "node:test";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, START_S, snapshotOf } from "../history/rig.ts";
import { seededRandom } from "../support/clock.ts";
import { type DutyRig, member, openDutyRig } from "./duty-rig.ts";

const mona = { name: "Mona", id: 13 };
const startS = START_S + 1_000;
const MOST_ROUNDS = 30;
const ANSWERS_A_ROUND = 8;

onBothDatabases("the message of a shift that is due while Discord is away", (databases) => {
  for (const minutes of [1, 60, 360]) {
    for (const isKilled of [false, true]) {
      test(`for ${minutes} minutes${isKilled ? ", and the process is killed" : ""}: stands once and says how it ended`, async () => {
        let rig: DutyRig = await openDutyRig(databases, { startS: START_S });
        rig.link("u13", mona, START_S);
        await rig.addType({ name: "Posted", start: "declared", channelId: "c9" });
        const look = async (atS: number, isThere: boolean) => {
          await rig.clock.advanceTo(atS * 1_000);
          const came = [mona, startS - 50, true] as const;
          const town = isThere
            ? { joins: [came], players: [mona] }
            : { joins: [came, [mona, atS, false] as const], players: [] };
          await rig.take(snapshotOf(town, atS));
        };
        await look(startS - 10, true);
        const random = seededRandom(minutes);
        // Of the attempts some arrive, and only their answers are lost.
        rig.sink.fault = () => (random.next() < 0.3 ? "lost" : "unknown");
        await rig.wing.duty.start(member("u13"), "posted");
        for (let atS = startS; atS <= startS + 40; atS += 10) await look(atS, true);
        if (isKilled) {
          await rig.outbox.stop();
          const next = await openDutyRig(databases, { startS: START_S, url: rig.url, before: rig });
          await rig.wing.stop();
          rig = next;
        }
        const backS = startS + 40 + minutes * 60;
        await look(backS, true);
        await rig.wing.duty.end(member("u13"));
        await look(backS + 10, true);
        rig.sink.fault = () => undefined;
        for (const s of [20, 120, 400]) await look(backS + s, false);
        // The database answers by the machine's time, the message is due by the town's.
        for (let round = 0; round < MOST_ROUNDS && !/ to <t:/.test(rig.sink.text("c9")); round++) {
          await rig.clock.advance(120_000);
          // An attempt asks it several times, before the town's time goes on.
          for (let answer = 0; answer < ANSWERS_A_ROUND; answer++) await rig.wing.duty.now(GUILD);
        }
        assert.equal(rig.sink.messages("c9").length, 1);
        assert.match(rig.sink.text("c9"), /to <t:.*Seen/s);
        await rig.wing.stop();
      });
    }
  }
});
