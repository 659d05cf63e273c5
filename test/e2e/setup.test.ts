import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Value } from "../../src/sandbox/discord/types.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("setup, from the form to a linked server and back", () => {
  let rig: E2eRig;
  let homeKey = "";
  before(async () => {
    rig = await E2eRig.start({
      keys: ["alpha-first-key", "beta-second-key", "gamma-third-key"],
      badKeyBudget: 18,
    });
  });
  after(() => rig.close());

  const shown = async (community = rig.home) =>
    reads(await community.owner.slash(community.general, "setup show"), /Setup of this/);

  test("only who may manage the Discord server is offered /setup", () => {
    const { owner, member, general } = rig.home;
    assert.ok(owner.commands(general).some(({ name }) => name === "setup"));
    const seen = member.commands(general).map(({ name }) => name);
    assert.ok(!seen.includes("setup") && seen.includes("server") && seen.includes("run"));
  });

  test("before anything is linked a command says so, and the owner finds the way on a button", async () => {
    const { owner, member, general } = rig.home;
    const exchange = await owner.slash(general, "server status");
    await reads(exchange, /No game server is linked here yet/);
    assert.deepEqual(labelsOf(answerOf(exchange)), ["Set it up"]);
    const guide = await press(owner, exchange, "Set it up");
    await reads(guide, /Set up Marshal/);
    const form = await press(owner, guide, "Paste the key");
    assert.equal(form.modal?.title, "Link your game server");
    const other = await member.slash(general, "server status");
    await reads(other, /No game server is linked here yet[\s\S]*Manage Server/);
    assert.deepEqual(labelsOf(answerOf(other)), []);
  });

  test("a wrong key is refused in words and saves nothing; typed again, it is not asked again", async () => {
    const clumsy = rig.community("Lakeside");
    await reads(await rig.typeKey("wrong-key-1", clumsy), /That key is wrong or expired\n1 try left/);
    await reads(await rig.typeKey(" wrong-key-1 ", clumsy), /refused .*in the last day/);
    assert.equal(rig.service.counts.badKeyRequests.get("wrong-key-1"), 1);
    assert.match(await shown(clumsy), /No game server is linked yet/);
  });

  test("a few wrong keys close linking for this community alone, so that the host is not banned", async () => {
    const clumsy = rig.community("Woodside");
    await reads(await rig.typeKey("wrong-key-2", clumsy), /That key is wrong or expired/);
    await reads(await rig.typeKey("wrong-key-3", clumsy), /No tries left for now[\s\S]*Try again after <t:/);
    await reads(await rig.typeKey("wrong-key-4", clumsy), /unanswered keys[\s\S]*Try again after <t:/);
    assert.equal(rig.service.counts.badKeyRequests.get("wrong-key-4"), undefined);
    const other = rig.community("Parkside");
    await reads(await rig.typeKey("beta-second-key", other), /Is this your server/);
  });

  test("what cannot be a key is refused before anything is asked", async () => {
    const { requests } = rig.service.counts;
    await reads(await rig.typeKey("https://example.com/api-key"), /This is a link/);
    await reads(await rig.typeKey("clé-d'accès-été"), /characters that a server key never has/);
    await reads(await rig.typeKey("x".repeat(300)), /too long/);
    assert.equal(rig.service.counts.requests, requests);
  });

  test("what does not look like a key is asked about before a request is spent on it", async () => {
    const other = rig.community("Oddside");
    const { requests } = rig.service.counts;
    const asked = await rig.typeKey("hunter2.not.a.key", other);
    await reads(asked, /Is this really the server key\?[\s\S]*Not sent yet\..*1 of your 2 tries/);
    assert.deepEqual(labelsOf(answerOf(asked)), ["Paste again", "It is the key", "No"]);
    assert.ok((await press(other.owner, asked, "Paste again")).modal !== undefined);
    assert.equal(rig.service.counts.requests, requests);
    const sent = await press(other.owner, asked, "It is the key");
    await reads(sent, /That key is wrong or expired\n1 try left/);
    assert.equal(rig.service.counts.badKeyRequests.get("hunter2.not.a.key"), 1);
    assert.deepEqual(labelsOf(sent.followUps.at(-1) ?? answerOf(sent)), ["Try again"]);
  });

  test("a service that does not answer, answers half a document or a page: said in words, nothing saved", async () => {
    const other = rig.community("Hillside");
    rig.service.faults.next({ resetBefore: 1 });
    await reads(await rig.typeKey("gamma-third-key", other), /is not answering/);
    rig.service.faults.next({ truncate: 1 });
    await reads(await rig.typeKey("gamma-third-key", other), /is not answering/);
    rig.service.faults.next({ html: 1, htmlStatus: 502 });
    const paged = await rig.typeKey("gamma-third-key", other);
    await reads(paged, /error page came instead of the game service/);
    assert.match(await shown(other), /No game server is linked yet/);
    // The same key, at the time that was told, is as good as before.
    await rig.timeToldIn(paged.text);
    await reads(await rig.typeKey("gamma-third-key", other), /Is this your server/);
  });

  test("No saves nothing, and its question cannot be answered afterwards", async () => {
    const { owner } = rig.home;
    const asked = await rig.typeKey(rig.key);
    await reads(asked, /Is this your server\?[\s\S]*River City Roleplay/);
    const question = answerOf(asked);
    await reads(await owner.click(question, "No"), /Nothing was saved/);
    assert.match(await shown(), /No game server is linked yet/);
    await assert.rejects(owner.click(question, "Yes, link it"), /no button/);
  });

  test("spaces, line breaks and quotes around a key are what pasting adds: it is linked", async () => {
    await rig.link(`  "${rig.key}"\n `);
    const text = await shown();
    assert.match(text, /River City Roleplay/);
    assert.match(text, /Key in use/);
    assert.match(text, new RegExp(`Moderators: <@&${rig.home.staffRole.id}>`));
  });

  test("the same key again says that it is linked already", async () => {
    await reads(await rig.typeKey(rig.key), /linked here already/);
  });

  test("another community links the same server with its own copy, and sees nothing of the first", async () => {
    const other = rig.community("Seaside");
    await rig.link(rig.key, other);
    assert.match(await shown(other), new RegExp(`<@&${other.staffRole.id}>`));
    assert.doesNotMatch(await shown(other), new RegExp(rig.home.staffRole.id));
  });

  test("a new key of the same server replaces the old one and keeps its staff, though its join key was changed", async () => {
    Object.assign(rig.service.town(rig.key).world.info, { joinKey: "another" });
    const { owner, general } = rig.home;
    await reads(await owner.slash(general, "feed add", { kind: "joins" }), /Feed added/);
    // It is polled now.
    await rig.clock.sleep(60_000);
    await reads(await owner.slash(general, "feed remove", { feed: "1" }), /Removed/);
    const fresh = rig.service.regenerateKey(rig.key);
    homeKey = fresh;
    const asked = await rig.typeKey(fresh);
    await reads(asked, /Its key will be replaced/);
    await reads(await owner.click(answerOf(asked), "Yes, replace it"), /has its new key/);
    const text = await shown();
    assert.equal(text.match(/Key in use/g)?.length, 1);
    assert.match(text, new RegExp(`Moderators: <@&${rig.home.staffRole.id}>`));
  });

  test("under a key that is refused stands the form for the new one, which asks for nothing else", async () => {
    const { guild, owner, general, staffRole } = rig.home;
    const notices = guild.addChannel({ name: "key-notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    const fresh = rig.service.regenerateKey(homeKey);
    rig.keys.add(fresh);
    owner.member.addRole(staffRole);
    const refused = await owner.slash(general, "run command", { text: ":h hello" });
    await reads(refused, /The server key is wrong or expired/);
    const { modal } = await press(owner, refused, "Paste the new key");
    assert.ok(modal !== undefined);
    assert.deepEqual(
      modal.fields.map(({ label }) => label),
      ["Server key"],
    );
    const asked = await owner.submit(modal, { key: fresh });
    await reads(asked, /Its key will be replaced/);
    const replaced = await owner.click(answerOf(asked), "Yes, replace it");
    await reads(replaced, /has its new key[\s\S]*Staff, logs and alerts stay as they were/);
    assert.deepEqual(labelsOf(answerOf(replaced)), []);
    await rig.posted(notices, "paused until the key works");
    await rig.posted(notices, "works again. Logs and commands are back.");
    assert.match(await shown(), new RegExp(`Moderators: <@&${rig.home.staffRole.id}>`));
  });

  test("with nothing typed a setting is shown, off turns it off, and one card shows all of them", async () => {
    const { owner, general, staffRole: ping } = rig.home;
    const set = async (line: string, options: Readonly<Record<string, Value>>, words: RegExp) =>
      reads(await owner.slash(general, line, options), words);
    const publicly = /✅ Cases are posted in <#\d+>\.\n⚠ Everyone can read <#\d+>\. If only staff should/;
    await set("setup cases", { channel: general }, publicly);
    general.denyBot("SendMessages");
    const shut = /^Cases are posted in <#\d+>\.\n⚠ I can't post there: missing \*\*Send Messages\*\*/;
    await set("setup cases", {}, shut);
    assert.match(await shown(), /⚠ Cases are posted in/);
    general.allowBot("SendMessages");
    await set("setup watches", { ping }, /Choose a channel too/);
    await set(
      "setup watches",
      { channel: general, ping },
      /✅ Joins of watched players are posted in <#\d+>, with a ping/,
    );
    await set("setup notices", { channel: general }, /✅ Notices are posted in <#\d+>/);
    await set("audit channel", { channel: general }, /✅ The audit is posted in <#\d+>/);
    const all = [
      /Cases are posted in/,
      /watched players are posted in/,
      /Notices are posted in/,
      /audit is posted in/,
    ];
    for (const [at, line] of ["setup cases", "setup watches", "setup notices", "audit channel"].entries()) {
      const now = await set(line, {}, all[at] ?? /^$/);
      assert.doesNotMatch(now, /✅/, "nothing was changed");
      assert.match(
        now,
        /\n-# `channel:` moves these posts, `off:` (stops them|sends them as direct messages)\.$/,
      );
      assert.match(await shown(), all[at] ?? /^$/);
      await set(line, { channel: general, off: true }, /Choose a channel or `?off/);
      await set(line, { off: true }, /✅ .*(are off|direct message)/);
      assert.doesNotMatch(await shown(), all[at] ?? /^$/);
    }
  });

  test("an owner without a tier gets the button that gives one wherever Moderators read", async () => {
    const community = rig.community("Tierside");
    const { owner, general, member } = community;
    await rig.link("gamma-third-key", community);
    for (const [line, options] of [
      ["stats server", {}],
      ["player show", { player: "Celeb" }],
      ["server at", { time: "10 min ago" }],
    ] as const) {
      const refused = await owner.slash(general, line, options);
      await reads(refused, /Moderator/);
      assert.deepEqual(labelsOf(answerOf(refused)), ["Choose roles"], line);
      const other = await member.slash(general, line, options);
      await reads(other, /Moderator/);
      assert.deepEqual(labelsOf(answerOf(other)), [], line);
    }
  });

  test("a restart keeps what is linked", async () => {
    await rig.restart();
    assert.match(await shown(), /Key in use/);
    await reads(await rig.home.member.slash(rig.home.general, "server status"), /Seen <t:/);
  });

  test("a community that removes the bot while it is down is forgotten at the next start, the others are not", async () => {
    const away = rig.community("Faraway");
    await rig.link(rig.key, away);
    await rig.stop();
    away.guild.removeBot();
    const told = () => rig.lines.filter((line) => line.includes("removed while it was not running"));
    await rig.startBot();
    await rig.until("the log telling of it", () => told().length > 0);
    await rig.restart();
    assert.match(await shown(), /Key in use/);
    assert.deepEqual(
      told().map((line) => JSON.parse(line).guildId),
      [away.guild.id],
      "nothing is left to forget",
    );
  });

  test("a community that removes the bot and takes it back finds staff and feeds again once it links the server", async () => {
    const away = rig.community("Elsewhere");
    await rig.link(rig.key, away);
    const { owner, general, guild } = away;
    await reads(await owner.slash(general, "feed add", { kind: "joins" }), /Feed added/);
    await reads(await owner.slash(general, "staff protect", { player: "Celeb" }), /is protected/);
    guild.removeBot();
    const forgotten = async () => JSON.parse(await rig.ops("/state")).feeds.live === 0;
    while (!(await forgotten())) await rig.clock.sleep(50);
    guild.addBot();
    await reads(await owner.slash(general, "feed list"), /No feeds yet/);
    const back = await rig.link(rig.key, away);
    assert.match(back.text, /1 earlier feed posts again/);
    await reads(await owner.slash(general, "feed list"), /joins and leaves/);
    await reads(await owner.slash(general, "staff list"), /Protected players[\s\S]*Celeb/);
    await reads(await owner.slash(general, "feed remove", { feed: "1" }), /Removed/);
    const question = await owner.slash(general, "setup unlink");
    await reads(question, /Unlink River City Roleplay\?/);
    await reads(await press(owner, question, "Unlink"), /Its key is erased/);
  });

  test("unlinking asks first; kept is kept, unlinked is gone", async () => {
    const { owner, general } = rig.home;
    const question = await owner.slash(general, "setup unlink");
    await reads(question, /Unlink River City Roleplay\?/);
    await reads(await press(owner, question, "Keep it"), /Nothing was changed/);
    assert.match(await shown(), /Key in use/);
    const again = await owner.slash(general, "setup unlink");
    await reads(
      again,
      /Unlink River City Roleplay\?[\s\S]*staff roles, logs, alerts, panels[\s\S]*`\/setup link`/,
    );
    await reads(await press(owner, again, "Unlink"), /Its key is erased/);
    assert.match(await shown(), /No game server is linked yet/);
    await reads(await owner.slash(general, "server status"), /No game server is linked here yet/);
  });

  test("none of the keys that were typed stands in a message, a log line, /state or /metrics", async () => {
    assert.ok(rig.keys.size >= 8);
    await assertNoKeySeen(rig);
  });

  test("what was sent and answered fits Discord's description", (t) => assertFitsDescription(rig, t));

  test("no defect was logged, and nothing was sent during a wait", () => {
    assertWellBehaved(rig);
  });
});
