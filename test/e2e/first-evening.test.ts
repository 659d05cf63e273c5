import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { Evening, inviting } from "./evening.ts";
import { answerOf, labelsOf, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("the first evening, from the invite to the first posted join", () => {
  let rig: E2eRig;
  before(async () => {
    rig = await E2eRig.start({
      keys: [
        "alpha-first-key",
        "beta-second-key",
        "gamma-third-key",
        "delta-fourth-key",
        "epsilon-permitkey",
        "zeta-proving-key",
      ],
    });
  });
  after(() => rig.close());

  test("seven presses and one pasted key until joins are posted; every screen fits, no key is shown", async () => {
    const { general, owner, joins, guild, staffRole } = inviting(rig, "Firstside");
    const offer = await rig.posted(general, "Marshal is here");
    const evening = new Evening(rig, owner);

    await evening.open(offer, "Set it up");
    assert.match(evening.text, /1 of 12/);
    await evening.pasteKey("beta-second-key");
    await evening.click("Yes, link it", /Who may run commands/);
    assert.match(textOf(evening.message), /ends in `-key`/);
    await evening.click("Give Owners full access", /Your role is enough to run commands/);
    await evening.click("Next", /Which logs go where/);
    await evening.choose("guide-log:joins", [joins], /✅ Joins and leaves/);
    assert.equal(evening.presses, 7);

    await rig.polled("JoinLogs");
    rig.service.town("beta-second-key").join("RileyBrooks");
    await rig.posted(joins, "RileyBrooks");
    assert.ok(evening.presses <= 12 && evening.pastedKeys === 1, `${evening.presses} presses`);

    await evening.click("Next", /Where notices go/);
    await evening.choose("guide-notices", [general], /✅ Notices/);
    assert.match(evening.text, new RegExp(`⚠ Everyone can read <#${general.id}>`));
    await evening.click("Next", /Let Marshal run commands/);
    await evening.click("Skip", /each reader's own clock/);
    await evening.choose("guide-zone", ["Europe/Berlin"], /Europe\/Berlin/);
    await evening.click("Next", /Where cases go/);
    await evening.choose("guide-cases", [general], /✅ Cases/);
    await evening.click("Next", /Three alerts/);
    await evening.choose("guide-alerts", [general], /(✅ .* in <#\d+>\n){3}/);
    await evening.click("Next", /A live panel/);
    await evening.choose("guide-panel", [general], /✅ Panel posted in <#\d+>/);
    await evening.click("Next", /A summary each week/);
    await evening.click("Skip", /Where players are/);
    await evening.click("Skip", /A test post/);
    await evening.click("Post a test", /All set|Done for now/);
    assert.match(
      evening.text.replaceAll("\u00a0", " "),
      /⏭ Commands · .* · ✅ Panel · ⏭ Weekly · ⏭ Positions · ✅ Test/,
    );
    await rig.posted(joins, "Test");
    assert.match(evening.text, /\/run command/);
    // A moderator's role can still be chosen: the steps stay open on the last screen.
    await evening.click("Roles", /Who may run commands/);
    assert.match(evening.text.replaceAll("\u00a0", " "), /⏭ Commands · .* · ⏭ Weekly · ⏭ Positions/);
    await evening.choose("guide-tier:moderator", [staffRole], /Moderator: <@&\d+>/);
    await evening.choose("guide-tier:moderator", [guild.everyone], /Everyone can't be staff/);
    assert.match(await reads(await owner.slash(general, "setup show"), /Setup of/), /Moderators: <@&/);
  });

  test("it goes on after a restart where it was left, and the old message's buttons still work", async () => {
    const { general, owner, joins } = inviting(rig, "Secondside");
    const evening = new Evening(rig, owner);
    await evening.open(await rig.posted(general, "Marshal is here"), "Set it up");
    await evening.pasteKey("gamma-third-key");
    await evening.click("Yes, link it", /Who may run commands/);
    await evening.click("Skip", /Which logs go where/);
    await rig.restart();
    await evening.choose("guide-log:kills", [joins], /✅ Kills/);
    const again = await owner.slash(general, "setup start");
    await reads(again, /Which logs go where/);
    evening.show(again);
    assert.match(evening.text, /✅ Kills/);
    const offers = rig.discord.messages(general).filter((message) => /Marshal is here/.test(textOf(message)));
    assert.equal(offers.length, 1, "it is offered once");
  });

  // Before the service has refused a command to this host: until then another answer proves nothing.
  test("whether commands are allowed is shown by one that touches nobody, sent after a yes", async () => {
    const { general, owner } = inviting(rig, "Provingside");
    const evening = new Evening(rig, owner);
    await evening.open(await rig.posted(general, "Marshal is here"), "Set it up");
    await evening.pasteKey("zeta-proving-key");
    await evening.click("Yes, link it", /Who may run commands/);
    await evening.click("Give Owners full access", /Your role is enough to run commands/);
    await evening.click("Next", /Which logs go where/);
    await evening.click("Skip", /Where notices go/);
    await evening.click("Skip", /Let Marshal run commands/);
    await evening.click("Check", /:log Marshal check[\s\S]*Run it\?/);
    const ran = () => rig.service.counts.executionsByText.get(":log Marshal check");
    assert.equal(ran(), undefined);
    await evening.click("Yes, run it", /:log Marshal check` ran/);
    assert.equal(ran(), 1);
  });

  test("commands that the owner has not allowed: from the invite to the first command that ran in 12 presses", async () => {
    const { general, owner, joins } = inviting(rig, "Permitside");
    const key = "epsilon-permitkey";
    const executedBefore = rig.service.counts.executions.length;
    rig.service.keyBook.setCommandsAllowed(key, false);
    const evening = new Evening(rig, owner);
    await evening.open(await rig.posted(general, "Marshal is here"), "Set it up");
    await evening.pasteKey(key);
    await evening.click("Yes, link it", /Who may run commands/);
    await evening.click("Give Owners full access", /Your role is enough to run commands/);
    await evening.click("Next", /Which logs go where/);
    await evening.choose("guide-log:joins", [joins], /✅ Joins and leaves/);
    await evening.click("Next", /Where notices go/);
    await evening.click("Skip", /Let Marshal run commands/);
    assert.match(evening.text, /permission of the \*\*server's owner\*\*[\s\S]*`203\.0\.113\.7`/);
    const links = evening.message.components.flatMap((row) => row.components ?? []).filter(({ url }) => url);
    assert.match(String(links[0]?.url), /\/server-owners$/);
    const copied = await reads(
      await owner.click(evening.message, "Copy for the owner"),
      /Permitside|needs your/,
    );
    assert.match(copied, /```\nOur Discord bot[\s\S]*203\.0\.113\.7[\s\S]*server-owners\n```/);

    await evening.click("Check", /Not allowed yet\. Nothing ran/);
    const refused = await owner.slash(general, "run command", { text: ":h hello" });
    await reads(refused, /owner does not let Marshal run commands[\s\S]*was not asked again/);
    assert.deepEqual(labelsOf(answerOf(refused)), ["Let Marshal run commands"]);
    assert.equal(rig.service.counts.executions.length, executedBefore);

    rig.service.keyBook.setCommandsAllowed(key, true);
    await evening.open(answerOf(refused), "Let Marshal run commands");
    await rig.clock.sleep(31_000);
    await evening.click("Check again", /The owner has allowed it/);
    assert.equal(evening.presses, 12);
    await reads(await owner.slash(general, "run command", { text: ":h hello" }), /It ran/);
    assert.ok(rig.service.counts.executionsByText.get(":h hello") === 1);
    const { badKeyRequests } = rig.service.counts;
    assert.equal(badKeyRequests.get(key), undefined);

    await evening.click("Next", /each reader's own clock/);
    assert.match(evening.text, /⏭\u00a0Notices · ✅\u00a0Commands/);
    rig.service.keyBook.setCommandsAllowed(key, false);
    await reads(await owner.slash(general, "run command", { text: ":h again" }), /does not let Marshal run/);
    const opened = await owner.slash(general, "setup start");
    // Nobody skipped it: it is what broke.
    await reads(opened, /⏭\u00a0Notices · ⚠\u00a0Commands/);
  });

  test("permissions that are missing in a channel are named, and ticked when they are given", async () => {
    const { general, owner, joins } = inviting(rig, "Thirdside");
    joins.denyBot("SendMessages", "EmbedLinks");
    const evening = new Evening(rig, owner);
    await evening.open(await rig.posted(general, "Marshal is here"), "Set it up");
    await evening.pasteKey("alpha-first-key");
    await evening.click("Yes, link it", /Who may run commands/);
    await evening.click("Skip", /Which logs go where/);
    await evening.choose("guide-log:joins", [joins], /⚠ Joins and leaves.*Send Messages.*Embed Links/);
    joins.allowBot("SendMessages", "EmbedLinks");
    await evening.click("Check again", /✅ Joins and leaves/);
  });

  test("a refusal for want of a tier carries the button that mends it, for those who may", async () => {
    const { general, owner, member } = rig.home;
    await rig.link("delta-fourth-key");
    const refused = await owner.slash(general, "run command", { text: ":h hello" });
    await reads(refused, /Current tier\\?: none/);
    assert.deepEqual(labelsOf(answerOf(refused)), ["Choose roles"]);
    const role = rig.home.guild.addRole({ name: "Owners" });
    owner.member.addRole(role);
    const evening = new Evening(rig, owner);
    await evening.open(answerOf(refused), "Choose roles");
    await evening.click("Give Owners full access", /Your role is enough to run commands/);
    await reads(await owner.slash(general, "run command", { text: ":h hello" }), /It ran/);
    const other = await member.slash(general, "run command", { text: ":h hello" });
    await reads(other, /Current tier\\?: none/);
    assert.deepEqual(labelsOf(answerOf(other)), []);
  });

  test("who may not manage the Discord server is told so, and sees no step", async () => {
    const { general, member } = inviting(rig, "Fourthside");
    const offer = await rig.posted(general, "Marshal is here");
    const exchange = await member.click(offer, "Set it up");
    await reads(exchange, /Manage Server/);
    assert.deepEqual(labelsOf(answerOf(exchange)), []);
  });

  test("nowhere a key, and nothing that Discord refuses", () => {
    assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
