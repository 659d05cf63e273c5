import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Message } from "../../src/sandbox/discord/types.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { Evening, inviting } from "./evening.ts";
import { answerOf, labelsOf, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

const KEY = "alpha-guidepart";
const SECOND_KEY = "beta-secondpart";

describe("the guided set-up, with each step broken once", () => {
  let rig: E2eRig;
  let evening: Evening;
  let place: ReturnType<typeof inviting>;
  before(async () => {
    const environment = { SERVICE_APP_ID: "1180" };
    rig = await E2eRig.start({ keys: [KEY, SECOND_KEY], environment, leaps: true });
    rig.service.keyBook.setCommandsAllowed(KEY, false);
    place = inviting(rig, "Brokenside");
    evening = new Evening(rig, place.owner);
    await evening.open(await rig.posted(place.general, "Marshal is here"), "Set it up");
  });
  after(() => rig.close());

  /** The owner's page, as the button leads there. */
  const links = (message: Message) =>
    message.components.flatMap((row) => row.components ?? []).flatMap(({ url }) => url ?? []);

  test("the key: the service is silent, the key is refused, No is pressed, Yes is pressed twice", async () => {
    const silent = inviting(rig, "Silentside");
    const other = new Evening(rig, silent.owner);
    await other.open(await rig.posted(silent.general, "Marshal is here"), "Set it up");
    rig.service.faults.next({ resetBefore: 1 });
    await other.pasteKey(SECOND_KEY, /is not answering/);
    await other.pasteKey(SECOND_KEY, /Is this your server/, "Try again");
    await evening.pasteKey("wrong-guidekey", /That key is wrong or expired\. 1 try left/);
    assert.deepEqual(labelsOf(evening.message), ["Try again"]);
    await evening.pasteKey(KEY, /Is this your server/, "Try again");
    await evening.click("No", /Nothing was saved, and the key is forgotten/);
    await evening.pasteKey(KEY);
    const question = evening.message.components.flatMap((row) => row.components ?? []);
    const yes = question.find(({ label }) => label === "Yes, link it")?.custom_id ?? "";
    const presses = [1, 2].map(() => place.owner.click(evening.message, yes));
    for (const press of await Promise.all(presses)) await press.settled();
    await rig.until("the next step", () => /Who may run commands/.test(evening.text));
    const shown = await reads(await place.owner.slash(place.general, "setup show"), /Setup of this/);
    assert.equal(shown.match(/Key in use/g)?.length, 1);
  });

  test("the roles: everyone, and a role that the person has lost meanwhile", async () => {
    await evening.choose("guide-tier:manager", [place.guild.everyone], /Everyone can't be staff/);
    const owners = place.guild.role("Owners");
    place.owner.member.removeRole(owners);
    await evening.click("Give Owners full access", /You no longer have that role/);
    assert.match(evening.text, /You have no role yourself/);
    place.owner.member.addRole(owners);
    await evening.click("Check again", /You can't run commands yet/);
    await evening.click("Give Owners full access", /Your role is enough to run commands/);
  });

  test("the logs: a channel lacks a permission, and one is deleted", async () => {
    await evening.click("Next", /Which logs go where/);
    place.joins.denyBot("SendMessages");
    await evening.choose("guide-log:joins", [place.joins], /⚠ Joins and leaves: missing \*\*Send Messages/);
    place.joins.allowBot("SendMessages");
    await evening.click("Check again", /✅ Joins and leaves/);
    const gone = place.guild.addChannel({ name: "gone" });
    await evening.choose("guide-log:kills", [gone], /✅ Kills/);
    gone.delete();
    await evening.click("Next", /Where notices go/);
    await evening.click("Back", /⚠ Kills: <#\d+> was deleted\. Pick another channel/);
    await evening.choose("guide-log:kills", [place.joins], /✅ Kills/);
  });

  test("the notices: a channel lacks a permission, is mended, and is taken away again", async () => {
    await evening.click("Next", /Where notices go/);
    assert.deepEqual(labelsOf(evening.message), ["Back", "Skip"]);
    place.joins.denyBot("EmbedLinks");
    await evening.choose("guide-notices", [place.joins], /⚠ Notices: missing \*\*Embed Links/);
    place.joins.allowBot("EmbedLinks");
    await evening.click("Check again", /✅ Notices/);
    await evening.choose("guide-notices", [], /▶\u00a0\*\*Notices\*\*(?![\s\S]*✅ Notices)/);
    await evening.click("Skip", /Let Marshal run commands/);
  });

  test("the permission: not given, checked too soon, the service silent, nobody playing; with the owner's own page", async () => {
    const url = /\/server-owners\/server\/guidepart\/authorize\/1180$/;
    assert.match(links(evening.message)[0] ?? "", url);
    assert.match(evening.text, /presses \*\*Owner's page\*\*, signs in and presses Authorize/);
    await evening.click("Check", /Not allowed yet\. Nothing ran/);
    assert.match(evening.text, /The game service said: You are not authorized/);
    await evening.click("Check again", /Checked a moment ago\. Checking again <t:\d+:R>/);
    assert.doesNotMatch(
      evening.text,
      /Not allowed|game service said/,
      "what was known before may no longer be so",
    );
    await rig.until("the next check", () => /Not allowed yet\. Nothing ran/.test(evening.text));
    await rig.clock.sleep(31_000);
    rig.service.faults.set({ resetBefore: 1, only: "commands" });
    await evening.pressAside("Check again", /is not answering/);
    rig.service.faults.clear();
    await rig.clock.sleep(31_000);
    const copied = await place.owner.click(evening.message, "Copy for the owner");
    assert.match(
      await reads(copied, /Authorize/),
      /```\nOur Discord bot[\s\S]*sign in as the owner[\s\S]*authorize\/1180\n```/,
    );
    rig.service.town(KEY).empty();
    await evening.click("Check again", /Not allowed yet/);
    rig.service.town(KEY).join("Plain_Jane");
    await evening.click("Skip", /each reader's own clock/);
  });

  test("the time zone: a word that is none", async () => {
    const { modal } = await place.owner.click(evening.message, "Another zone");
    assert.ok(modal !== undefined);
    const refused = await place.owner.submit(modal, { zone: "Middle-earth" });
    await reads(refused, /I don't know that time zone/);
    assert.match(evening.text, /I don't know that time zone/, "the step stays open and says it");
    const { modal: second } = await place.owner.click(evening.message, "Another zone");
    assert.ok(second !== undefined);
    await reads(await place.owner.submit(second, { zone: "berlin" }), /✅ Time zone: `Europe\/Berlin`/);
    await evening.choose("guide-zone", ["UTC"], /✅ Time zone: `UTC`/);
    await evening.click("Next", /Where cases go/);
  });
  test("the cases: a channel lacks a permission, and none", async () => {
    place.joins.denyBot("SendMessages");
    await evening.choose("guide-cases", [place.joins], /⚠ Cases: missing \*\*Send Messages/);
    place.joins.allowBot("SendMessages");
    await evening.click("Check again", /✅ Cases/);
    await evening.choose("guide-cases", [], /becomes a numbered case(?![\s\S]*✅ Cases)/);
    await evening.click("Skip", /Three alerts/);
  });

  test("the alerts: chosen twice at once, they are three; a closed channel is named", async () => {
    const id = selectOf(evening.message);
    place.joins.denyBot("SendMessages");
    const choices = [1, 2].map(() => place.owner.select(evening.message, id, [place.joins]));
    for (const choice of await Promise.all(choices)) await choice.settled();
    await rig.until("the alerts", () => /(⚠ .* in <#\d+>\n){3}/.test(evening.text));
    assert.match(
      evening.text,
      /⚠ Alerts: missing \*\*Send Messages\*\* in <#\d+>[\s\S]*allow what is missing/,
    );
    place.joins.allowBot("SendMessages");
    await evening.click("Check again", /(✅ .* in <#\d+>\n){3}/);
    await reads(await place.owner.slash(place.general, "alert list"), /\*\*3\.\*\*/);
    const listed = await place.owner.autocomplete(place.general, "alert remove", { alert: "" }, "alert");
    assert.equal(listed.length, 3);
    await evening.click("Next", /A live panel/);
  });

  test("the panel: Discord refuses it, then takes it; moved to a channel that refuses it, it stays", async () => {
    place.joins.denyBot("SendMessages");
    await evening.choose("guide-panel", [place.joins], /I can't post there: missing/);
    assert.deepEqual(labelsOf(evening.message), ["Back", "Skip"]);
    await evening.choose("guide-panel", [place.general], /✅ Panel posted in/);
    await evening.choose("guide-panel", [place.joins], /I can't post there/);
    assert.match(evening.text, new RegExp(`✅ Panel: <#${place.general.id}>`));
    place.joins.allowBot("SendMessages");
    await evening.choose("guide-panel", [place.joins], /Panel removed from/);
    assert.match(evening.text, new RegExp(`✅ Panel: <#${place.joins.id}>`));
    await evening.click("Next", /A summary each week/);
  });

  test("the summary: chosen twice at once, and turned off", async () => {
    const id = selectOf(evening.message);
    const choices = [1, 2].map(() => place.owner.select(evening.message, id, [place.joins]));
    for (const choice of await Promise.all(choices)) await choice.settled();
    await rig.until("the summary", () => /✅ Weekly summary/.test(evening.text));
    await evening.choose("guide-weekly", [], /Weekly summaries are off/);
    await evening.click("Skip", /Where players are/);
    await evening.click("Skip", /A test post/);
  });

  test("the test: one channel refuses it, and it is ticked only when all arrived", async () => {
    place.joins.denyBot("SendMessages");
    await evening.click("Post a test", /\d of \d tests arrived\.\n[\s\S]*⚠ I can't post in/);
    assert.match(evening.text, /▶\u00a0\*\*Test/);
    assert.deepEqual(labelsOf(evening.message), ["Back", "Test again", "Finish"]);
    await evening.click("Finish", /not everything can be posted[\s\S]*⚠\u00a0Logs[\s\S]*⚠\u00a0Test/);
    assert.match(evening.text, /The test did not arrive everywhere: press \*\*Test\*\*/);
    assert.match(evening.text, /I can't post in <#\d+>: press \*\*Logs\*\*/);
    place.joins.allowBot("SendMessages");
    await evening.click("Test", /A test post/);
    await evening.click("Test again", /✅\u00a0Test[\s\S]*⏭ marks what you skipped/);
    assert.doesNotMatch(evening.text, /did not arrive/);
  });

  test("after its end: an old message goes on from its step, also where the server is no longer linked", async () => {
    const again = await place.owner.slash(place.general, "setup start");
    await reads(again, /All set|Done for now/);
    await evening.click("Alerts", /Three alerts/);
    const other = new Evening(rig, place.owner);
    other.show(again);
    await other.click("Time zone", /each reader's own clock/);
    const question = await place.owner.slash(place.general, "setup unlink");
    await reads(question, /Unlink/);
    await reads(await place.owner.click(answerOf(question), "Unlink"), /Its key is erased/);
    await evening.click("Next", /Link your game server/);
    const zone = selectOf(other.message);
    await reads(await place.owner.select(other.message, zone, ["Europe/Berlin"]), /Link your game server/);
    assert.doesNotMatch(evening.text + other.text, /is linked\./);
  });

  test("nowhere a key, and nothing that Discord refuses", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});

/** The custom id of the only menu there. */
function selectOf(message: Message): string {
  const parts = message.components.flatMap((row) => row.components ?? []);
  return parts.find(({ type }) => type !== 2)?.custom_id ?? "";
}
