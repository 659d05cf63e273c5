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

  /** A 429, until the bot has read it: what it had sent before it could is no request into a halt, and has arrived. */
  async function halt(tooManyRetryAfterMs: number): Promise<void> {
    const from = rig.lines.length;
    rig.service.faults.next({ tooMany: 1, tooManyRetryAfterMs });
    await rig.until("the bot stopping to ask", () =>
      rig.lines.slice(from).some((line) => line.includes("stopped asking")),
    );
    // What was sent earlier than this goes over the same loopback before it.
    await rig.ops("/state");
  }

  test("everyone sees every base field, in public", async () => {
    const { member, general } = rig.home;
    const exchange = await member.slash(general, "server status");
    const text = await reads(exchange, / players/);
    const { info, players } = rig.town.world;
    for (const part of [
      info.name,
      `**${players.length}** of **${info.maxPlayers}** players`,
      `/users/${info.ownerId}/profile`,
      ...info.coOwnerIds.map((id) => `/users/${id}/profile`),
    ])
      assert.ok(text.includes(part), part);
    assert.match(text, /No account verification · Team balance on/);
    assert.equal(exchange.ephemeral, false);
  });

  test("the join key is for staff, and only who asked sees it", async () => {
    const { joinKey } = rig.town.world.info;
    const { member, moderator, general } = rig.home;
    const plain = await member.slash(general, "server status");
    await reads(plain, / players/);
    assert.ok(!plain.text.includes(joinKey));
    const staff = await moderator.slash(general, "server status");
    await reads(staff, / players/);
    const key = await press(moderator, staff, "Join key");
    await reads(key, new RegExp(joinKey));
    assert.equal(answerOf(key).ephemeralFor, moderator.member.id);
    await reads(await press(member, plain, "Join key"), /Only staff of this server can see its join key/);
    assert.ok(member.sees(general).every((message) => !textOf(message).includes(joinKey)));
  });

  test("two who look at once cost one request", async () => {
    const { member, moderator, general } = rig.home;
    // What a status shows is known no longer; the schedule goes on reading its own lists, which the staff's is not of.
    await rig.clock.sleep(10_001);
    const from = rig.service.answered.length;
    const both = await Promise.all([member, moderator].map((who) => who.slash(general, "server status")));
    for (const exchange of both) await reads(exchange, / players/);
    const paths = rig.service.answered.slice(from).map(({ path }) => path);
    assert.equal(paths.filter((path) => path.includes("Staff=true")).length, 1, paths.join("\n"));
  });

  test("the lists: who plays, staff, vehicles, queue; rows with a missing field do not hide the others", async () => {
    const { moderator, general } = rig.home;
    const someone = rig.town.players[0];
    assert.ok(someone !== undefined);
    const list = await moderator.slash(general, "server players");
    await reads(list, /Players of /);
    const menu = answerOf(list).components[0]?.components?.[0];
    assert.ok(menu?.custom_id !== undefined);
    const opened = await moderator.select(answerOf(list), menu.custom_id, [String(someone.id)]);
    await reads(opened, /In the game/);
    assert.ok(JSON.stringify(answerOf(opened).embeds).includes(`/users/${someone.id}/profile`));
    await reads(await press(moderator, list, "Refresh"), /Seen <t:/);
    await reads(await moderator.slash(general, "server staff"), /Staff of[\s\S]*\*\*\d+\*\* in all/);
    await reads(await moderator.slash(general, "server calls"), /Open calls/);
    for (const kind of ["joins", "kills", "commands", "calls"]) {
      await reads(await moderator.slash(general, "server logs", { kind }), /game's log/);
    }
    await reads(await moderator.slash(general, "server vehicles"), /on the streets/);
    await reads(await moderator.slash(general, "server queue"), /Nobody is waiting/);
  });

  test("a panel stands once in a channel, is found again after a restart, and follows the server", async () => {
    const { owner, member, guild } = rig.home;
    const channel = guild.addChannel({ name: "panel" });
    await reads(await member.slash(channel, "server panel"), /Only people with Manage Server/);
    await reads(await owner.slash(channel, "server panel"), /Panel posted in <#\d+>/);
    const panel = await rig.posted(channel, "Updated by Marshal");
    assert.match(textOf(panel), /players[\s\S]*Owner/);
    await reads(await owner.slash(channel, "server panel"), /already a panel for this server in <#\d+>/);
    await rig.restart();
    await reads(await owner.slash(channel, "server panel"), /already a panel for this server in <#\d+>/);
    await reads(await press(member, panel, "Players"), /Players of/);
    await reads(await owner.slash(channel, "server panel", { remove: true }), /Panel removed from/);
    assert.equal(owner.sees(channel).filter((message) => textOf(message).includes("Updated by")).length, 0);
  });

  test("an unreachable service: the last snapshot with its age; without one, the reason and a way to try again", async () => {
    const { owner, general } = rig.home;
    await rig.link("beta-second-key", rig.community("Lakeside"));
    const lakeside = rig.discord.guilds.find(({ name }) => name === "Lakeside");
    assert.ok(lakeside !== undefined);
    rig.service.faults.set({ resetBefore: 1 });
    await rig.clock.sleep(10_001);
    const stale = await owner.slash(general, "server status");
    await reads(stale, /Not up to date: the game service is not answering[\s\S]*Seen <t:\d+:R>/);
    // Linking has read the server: only another process knows nothing of it.
    await rig.restart();
    const person = rig.discord.as(lakeside.owner);
    const none = await person.slash(lakeside.channel("general"), "server status");
    await reads(none, /is not answering[\s\S]*no earlier state/);
    rig.service.faults.clear();
    assert.ok(labelsOf(answerOf(none)).includes("Try again"));
    await reads(await press(person, none, "Try again"), / players/);
    await reads(await press(owner, stale, "Refresh"), /^(?![\s\S]*Not up to date)[\s\S]* players/);
  });

  test("in a halt it answers at once from the last snapshot, with its age and when asking resumes", async () => {
    const { owner, member, general } = rig.home;
    const other = rig.community("Hillside");
    await rig.link("beta-second-key", other);
    const feed = await rig.feed("joins");
    await reads(await member.slash(general, "server status"), / players/);
    await halt(10_000);
    const { requests } = rig.service.counts;
    const text = await reads(await owner.slash(general, "server status"), /Not up to date/);
    assert.match(text, /asked Marshal to wait\. Next try: <t:(\d+):T>[\s\S]*Seen <t:\d+:R>/);
    const resumesMs = Number(/Next try: <t:(\d+):T>/.exec(text)?.[1]) * 1_000;
    assert.ok(resumesMs > rig.clock.nowMs() && resumesMs < rig.clock.nowMs() + 12_000);
    assert.equal(rig.service.counts.requests, requests, "nothing was sent in the halt");
    rig.town.join("PatientPlayer");
    await rig.posted(feed, "PatientPlayer");
    assert.equal(rig.service.counts.avoidable, 0);
    await reads(await owner.slash(general, "server status"), /^(?![\s\S]*Not up to date)[\s\S]* players/);
  });

  test("in a halt without any snapshot it says so, and when asking resumes", async () => {
    const other = rig.community("Seaside");
    await rig.link("beta-second-key", other);
    await rig.restart();
    await halt(6_000);
    const exchange = await other.member.slash(other.general, "server status");
    await reads(exchange, /asked Marshal to wait[\s\S]*no earlier state[\s\S]*Try again after <t:\d+:T>/);
    await rig.polled("JoinLogs");
    await reads(await other.member.slash(other.general, "server status"), / players/);
  });

  test("a halt survives a restart: nothing is sent before its end", async () => {
    await halt(8_000);
    const { requests } = rig.service.counts;
    await rig.restart();
    await reads(await rig.home.member.slash(rig.home.general, "server status"), /asked Marshal to wait/);
    assert.equal(rig.service.counts.requests, requests);
    await rig.polled("JoinLogs");
    assert.equal(rig.service.counts.avoidable, 0);
  });

  test("an invalid-request block is told to the community with its end, and so is that it is over", async () => {
    const { owner, general, guild } = rig.home;
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    const identity = { address: "127.0.0.1", application: undefined };
    rig.service.blocks.block(identity, rig.clock.nowMs(), 6_000);
    const notice = await rig.posted(notices, "is blocking Marshal");
    assert.match(textOf(notice), /Next try: <t:\d+:t> \(<t:\d+:R>\)/);
    await rig.posted(notices, "The game service is back");
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
