import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("server status, in good times and in a halt", () => {
  let rig: E2eRig;
  before(async () => {
    rig = await E2eRig.start({ keys: ["alpha-first-key", "beta-second-key"] });
    await rig.link();
  });
  after(() => rig.close());

  test("everyone sees every base field, in public", async () => {
    const { member, general } = rig.home;
    const exchange = await member.slash(general, "server status");
    const text = await reads(exchange, /Players/);
    const { info, players } = rig.town.world;
    for (const part of [info.name, `**${players.length}** of ${info.maxPlayers}`, String(info.ownerId)])
      assert.ok(text.includes(part), part);
    for (const id of info.coOwnerIds) assert.ok(text.includes(String(id)));
    assert.match(text, /Account verification:? Disabled/);
    assert.match(text, /Team balance:? On/);
    assert.equal(exchange.ephemeral, false);
  });

  test("the join key is for staff, and only who asked sees it", async () => {
    const { joinKey } = rig.town.world.info;
    const { member, moderator, general } = rig.home;
    const plain = await member.slash(general, "server status");
    await reads(plain, /Players/);
    assert.ok(!plain.text.includes(joinKey));
    const staff = await moderator.slash(general, "server status");
    await staff.settled(({ followUps }) => followUps.length > 0);
    assert.ok(!textOf(answerOf({ ...staff, message: staff.message })).includes(joinKey));
    const [aside] = staff.followUps;
    assert.ok(aside !== undefined && textOf(aside).includes(joinKey));
    assert.equal(aside.ephemeralFor, moderator.member.id);
    assert.ok(member.sees(general).every((message) => !textOf(message).includes(joinKey)));
  });

  test("two who look at once cost one request", async () => {
    const { member, moderator, general } = rig.home;
    await rig.clock.sleep(10_001);
    const { requests } = rig.service.counts;
    const both = await Promise.all([member, moderator].map((who) => who.slash(general, "server status")));
    for (const exchange of both) await reads(exchange, /Players/);
    assert.equal(rig.service.counts.requests, requests + 1);
  });

  test("the lists: who plays, staff, vehicles, queue; rows with a missing field do not hide the others", async () => {
    const { moderator, general } = rig.home;
    const someone = rig.town.players[0];
    await reads(await moderator.slash(general, "server players"), new RegExp(String(someone?.id)));
    await reads(await moderator.slash(general, "server staff"), /Administrators/);
    await reads(await moderator.slash(general, "server vehicles"), /on the streets/);
    await reads(await moderator.slash(general, "server queue"), /Nobody waits/);
  });

  test("an unreachable service: the last snapshot with its age; without one, the reason and a way to try again", async () => {
    const { owner, general } = rig.home;
    await rig.link("beta-second-key", rig.community("Lakeside"));
    const lakeside = rig.discord.guilds.find(({ name }) => name === "Lakeside");
    assert.ok(lakeside !== undefined);
    rig.service.faults.set({ resetBefore: 1 });
    await rig.clock.sleep(10_001);
    const stale = await owner.slash(general, "server status");
    await reads(stale, /Not up to date: the game service could not be reached[\s\S]*Seen <t:\d+:R>/);
    const person = rig.discord.as(lakeside.owner);
    const none = await person.slash(lakeside.channel("general"), "server status");
    await reads(none, /cannot be reached[\s\S]*no earlier snapshot/);
    rig.service.faults.clear();
    assert.ok(labelsOf(answerOf(none)).includes("Try again"));
    await reads(await press(person, none, "Try again"), /Players/);
    await reads(await press(owner, stale, "Refresh"), /^(?![\s\S]*Not up to date)[\s\S]*Players/);
  });

  test("in a halt it answers at once from the last snapshot, with its age and when asking resumes", async () => {
    const { owner, member, general } = rig.home;
    const other = rig.community("Hillside");
    await rig.link("beta-second-key", other);
    const feed = await rig.feed("joins");
    await reads(await member.slash(general, "server status"), /Players/);
    rig.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 10_000 });
    await rig.until("the 429", () => rig.service.counts.answers429 === 1);
    const { requests } = rig.service.counts;
    const text = await reads(await owner.slash(general, "server status"), /Not up to date/);
    assert.match(text, /asked this bot to wait\. Asking resumes <t:(\d+):R>[\s\S]*Seen <t:\d+:R>/);
    const resumesMs = Number(/resumes <t:(\d+):R>/.exec(text)?.[1]) * 1_000;
    assert.ok(resumesMs > rig.clock.nowMs() && resumesMs < rig.clock.nowMs() + 12_000);
    assert.equal(rig.service.counts.requests, requests, "nothing was sent in the halt");
    rig.town.join("PatientPlayer");
    await rig.posted(feed, "PatientPlayer");
    assert.equal(rig.service.counts.avoidable, 0);
    await reads(await owner.slash(general, "server status"), /^(?![\s\S]*Not up to date)[\s\S]*Players/);
  });

  test("in a halt without any snapshot it says so, and when asking resumes", async () => {
    const other = rig.community("Seaside");
    await rig.link("beta-second-key", other);
    await rig.restart();
    rig.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 6_000 });
    const { answers429 } = rig.service.counts;
    await rig.until("the 429", () => rig.service.counts.answers429 > answers429);
    const exchange = await other.member.slash(other.general, "server status");
    await reads(exchange, /asks us to wait[\s\S]*no earlier snapshot[\s\S]*When:\*\* <t:\d+:R>/);
    await rig.polled("JoinLogs");
    await reads(await other.member.slash(other.general, "server status"), /Players/);
  });

  test("a halt survives a restart: nothing is sent before its end", async () => {
    rig.service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 8_000 });
    const { answers429 } = rig.service.counts;
    await rig.until("the 429", () => rig.service.counts.answers429 > answers429);
    const { requests } = rig.service.counts;
    await rig.restart();
    await reads(await rig.home.member.slash(rig.home.general, "server status"), /asks us to wait/);
    assert.equal(rig.service.counts.requests, requests);
    await rig.polled("JoinLogs");
    assert.equal(rig.service.counts.avoidable, 0);
  });

  test("an invalid-request block is told to the community with its end, and so is that it is over", async () => {
    const { owner, general, guild } = rig.home;
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices go to/);
    const identity = { address: "127.0.0.1", application: undefined };
    rig.service.blocks.block(identity, rig.clock.nowMs(), 6_000);
    const notice = await rig.posted(notices, "has blocked requests from this bot");
    assert.match(textOf(notice), /tries again <t:\d+:R>/);
    await rig.posted(notices, "answers again");
    assert.equal(rig.service.counts.avoidable, 0);
    const state: { service?: { halt?: unknown } } = JSON.parse(await rig.ops("/state"));
    assert.equal(state.service?.halt, null);
  });

  test("no key and no defect anywhere, and nothing was ever sent during a wait", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });

  test("what was sent and answered fits Discord's description", (t) => assertFitsDescription(rig, t));
});
