import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Town } from "../../src/sandbox/service/service.ts";
import { Asking } from "./asking.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

type PlayerRef = Town["players"][number];

describe("what a community decides about its history", () => {
  let rig: E2eRig;
  let ann: PlayerRef;

  before(async () => {
    rig = await E2eRig.start();
    await rig.link();
    await rig.polled("JoinLogs", "Players");
    ann = rig.town.join("AnnLee", 9_000_000_001);
    const bob = rig.town.join("BobRay", 9_000_000_002);
    await rig.polled("JoinLogs", "Players");
    for (let kill = 0; kill < 3; kill += 1) rig.town.kill(ann, bob);
    await rig.polled("KillLogs");
  });
  after(() => rig.close());

  const manager = new Asking(() => rig, "owner");
  const mod = new Asking(() => rig);

  test("how long it is kept is shown and set; nonsense is refused", async () => {
    await manager.reads("history retention", {}, /kept for 90 days/);
    await manager.reads("history retention", { days: "30" }, /kept for 30 days/);
    await manager.reads("history retention", {}, /kept for 30 days/);
    for (const days of ["0", "366", "7.5", "ever"]) {
      await manager.reads("history retention", { days }, /from 1 to 365, or off/);
    }
    await manager.reads("history retention", {}, /kept for 30 days/);
  });

  test("positions are off until somebody reads what is kept and presses; off erases them", async () => {
    await manager.reads("history retention", {}, /Positions are not saved\./);
    const asked = await manager.reads("history retention", { positions: "5" }, /Players are often children/);
    await manager.reads("history retention", {}, /Positions are not saved\./);
    await reads(await press(rig.home.owner, asked, "Save them for 5 days"), /saved for \*\*5 days/);
    await manager.reads("history retention", { positions: "7" }, /saved for \*\*7 days/);
    for (const positions of ["31", "-1", "1.5", "on"]) {
      await manager.reads("history retention", { positions }, /from 1 to 30, or off/);
    }
    await rig.polled("Players");
    const exported = await manager.reads("history export", { player: "BobRay" }, /BobRay/);
    const [file] = answerOf(exported).attachments;
    assert.match(Buffer.from(file?.bytes ?? []).toString(), /"positions": \[\s+\{\s+"at"[^}]+"street"/);
    await manager.reads(
      "history retention",
      { positions: "off" },
      /Positions are not saved\. What was saved is erased/,
    );
    const after = answerOf(await manager.reads("history export", { player: "BobRay" }, /BobRay/));
    assert.match(Buffer.from(after.attachments[0]?.bytes ?? []).toString(), /"positions": \[\]/);
  });

  test("an export is a file with what is recorded, and says how much that is", async () => {
    const exported = await manager.reads("history export", { player: "AnnLee" }, /AnnLee.*: 4 rows, 0 cases/);
    const [file] = answerOf(exported).attachments;
    const data = JSON.parse(Buffer.from(file?.bytes ?? []).toString()) as Record<string, unknown[]>;
    assert.deepEqual([data.kills?.length, data.deaths?.length, data.visits?.length], [3, 0, 1]);
    assert.equal(file?.filename, `player-${ann.id}.json`);
    await manager.reads("history export", { player: "Nobody_Here" }, /Nothing is recorded about/);
  });

  test("forget asks, erases the rows, says what stays, and asks about cases by themselves", async () => {
    await mod.reads("case add", { player: String(ann.id), kind: "warning", reason: "spam" }, /case 1/);
    await mod.reads(
      "player watch",
      { player: "AnnLee", reason: "spam" },
      /is now watched[\s\S]*⚠️ Joins of watched players are not posted anywhere yet\. Someone with Manage Server can set a channel: `\/setup watches`\./,
    );
    // Somebody who stays in the game is recorded anew by the next look at it.
    rig.town.leave(ann);
    await rig.polled("JoinLogs", "Players");
    const asked = await manager.reads("history forget", { player: "AnnLee" }, /Erase .*AnnLee.*\?/);
    await mod.reads("player show", { player: "AnnLee" }, /Kills · 3/);
    const { owner } = rig.home;
    const erased = await press(owner, asked, "Erase");
    await reads(erased, /erased: .*3 kills and deaths[\s\S]*The audit and messages in channels stay/);
    assert.match(erased.text, /1 case is about this player\. This player is on the watchlist\./);
    assert.deepEqual(labelsOf(answerOf(erased)), ["Erase cases and watch"]);
    await mod.reads("case show", { number: 1 }, /AnnLee/);

    // Asked for later, when no row of the logs is left.
    const later = await manager.reads(
      "history forget",
      { player: String(ann.id) },
      /No log entries are recorded/,
    );
    assert.deepEqual(labelsOf(answerOf(later)), ["Erase cases and watch"]);
    const of = { player: String(ann.id) };
    const exported = await manager.reads("history export", of, /AnnLee.*: 0 rows, 1 case\./);
    const [file] = answerOf(exported).attachments;
    assert.match(Buffer.from(file?.bytes ?? []).toString(), /"reason": "spam"[\s\S]*"watch"/);
    const gone = await press(owner, later, "Erase cases and watch");
    await reads(gone, /1 case is erased\. They are no longer watched\./);
    assert.deepEqual(labelsOf(answerOf(gone)), []);
    await mod.reads("case show", { number: 1 }, /no case 1/);
    await mod.reads("player watches", {}, /Nobody is watched/);
    await mod.reads("case add", { player: "BobRay", kind: "note", reason: "kind" }, /case 2/);
    await manager.reads("history forget", { player: String(ann.id) }, /Nothing is recorded about/);
    await manager.reads("audit search", {}, /erased a player from the cases/);
  });

  test("off asks, then nothing is shown and cases stay", async () => {
    const asked = await manager.reads("history retention", { days: "off" }, /Turn recording off\?/);
    await reads(await press(rig.home.owner, asked, "Erase and turn off"), /Recording is off/);
    await manager.reads("history retention", {}, /Recording is off/);
    await mod.reads("case show", { number: 2 }, /BobRay/);
  });

  test("it is for those who manage the server", async () => {
    const { moderator, general } = rig.home;
    await assert.rejects(async () => moderator.slash(general, "history retention"), /not visible to Mo/);
  });

  test("no key was seen, nothing was logged as an error", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
