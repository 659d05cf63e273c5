import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Player } from "../../src/domain/model.ts";
import { CHANNEL, host, nothingDemanded, SERVER, SessionWorld, voter } from "./session-world.ts";

const MINUTE_MS = 60_000;
const player = (id: number, permission = "Normal"): Player => ({
  ...{ player: { name: `P${id}`, id }, team: "Civilian", permission, wantedStars: 0 },
});

const votersOf = (world: SessionWorld) => world.current?.vote?.voterIds;
const press = (world: SessionWorld, userId: string, wants: "in" | "out" = "in") =>
  world.asks(world.sessions.press(voter(userId), world.current?.id ?? "", wants));

describe("a vote", () => {
  test("counts each person once: two presses at once, a second one, and after a restart", async () => {
    const world = await SessionWorld.open();
    await world.vote();
    const id = world.current?.id ?? "";
    const both = await world.asks(
      Promise.all([world.sessions.press(voter("5"), id, "in"), world.sessions.press(voter("5"), id, "in")]),
    );
    assert.deepEqual(
      both.map(({ kind }) => kind),
      ["counted", "already"],
    );
    await world.restart();
    assert.equal((await press(world, "5")).kind, "already");
    assert.equal((await press(world, "5", "out")).kind, "taken-back");
    assert.equal((await press(world, "5", "out")).kind, "none");
    assert.deepEqual(votersOf(world), []);
    await world.refuses(world.sessions.press({ ...voter("5"), guildId: "g2" }, id, "in"), /vote is over/);
  });

  test("that has too few at its deadline is over, and the next one waits as long as is set up now", async () => {
    const world = await SessionWorld.open();
    await world.vote(10);
    await press(world, "5");
    await world.clock.advance(10 * MINUTE_MS + 20_000);
    assert.match(world.text("Vote"), /not enough votes/);
    assert.deepEqual(world.message("Vote").body.rows, []);
    await world.refuses(world.sessions.vote(host, SERVER, { minutes: 10 }), /begin in 30 min/);
    await world.sessions.setUp(SERVER.guildId, SERVER.id, (before) => ({
      ...(before ?? assert.fail()),
      cooldownMinutes: 1,
    }));
    await world.refuses(world.sessions.vote(host, SERVER, { minutes: 10 }), /begin in 1 min/);
    await world.clock.advance(MINUTE_MS);
    await world.vote();
  });

  test("that has enough takes no votes after its deadline, and waits two hours for a start", async () => {
    const world = await SessionWorld.open();
    await world.vote(10);
    const id = world.current?.id ?? "";
    await press(world, "5");
    await press(world, "6");
    await world.clock.advance(11 * MINUTE_MS);
    assert.match(world.text("Vote"), /Enough/);
    assert.deepEqual(world.message("Vote").body.rows, []);
    await world.refuses(world.sessions.press(voter("6"), id, "out"), /vote is over/);
    await world.refuses(world.sessions.press(voter("7"), id, "in"), /vote is over/);
    await world.clock.advance(110 * MINUTE_MS);
    assert.deepEqual(votersOf(world), ["5", "6"]);
    await world.clock.advance(10 * MINUTE_MS);
    assert.equal(world.current, undefined);
    assert.match(world.text("Vote"), /nobody started in time/);
  });

  test("whose deadline passes while Discord is away and the bot is down says so afterwards, once and without a ping", async () => {
    const world = await SessionWorld.open();
    world.sink.fault = () => "unknown";
    assert.equal((await world.vote(10)).message, "follows");
    await world.restart();
    await world.clock.advance(40 * MINUTE_MS);
    world.sink.fault = () => undefined;
    await world.clock.advance(10 * MINUTE_MS);
    const { sent } = world.message("Vote");
    assert.match(world.text("Vote"), /not enough votes/);
    assert.deepEqual([sent.pingRoleIds, sent.silent], [undefined, true]);
  });

  test("or a session, that went on in a backup is over once that was put back: it says so, and has no second summary", async () => {
    const world = await SessionWorld.open();
    await world.vote();
    const putBackVote = world.backUp();
    await world.start();
    const putBackSession = world.backUp();
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(10 * MINUTE_MS);
    const messages = () => world.sink.messages(CHANNEL).length;
    const before = messages();
    await putBackSession();
    await world.clock.advance(13 * 60 * MINUTE_MS);
    assert.match(world.text("Session over"), /Nobody knows when it ended.*restored from an older copy/);
    assert.deepEqual([messages(), world.current, nothingDemanded(world)], [before, undefined, true]);
    await putBackVote();
    await world.clock.advance(10 * MINUTE_MS);
    assert.match(world.text("Vote"), /The vote is over.*restored from an older copy/);
    assert.deepEqual([messages(), world.current], [before, undefined]);
    await world.vote();
  });

  test("is not kept where Discord does not take it, and the server is not asked for", async () => {
    const world = await SessionWorld.open();
    world.sink.fault = () => "no-access";
    await assert.rejects(world.vote(), { reason: "no-access" });
    assert.equal(world.current, undefined);
    await assert.rejects(world.start(), { reason: "no-access" });
    assert.equal(world.current, undefined);
    assert.ok(nothingDemanded(world));
    assert.deepEqual([world.process.sessions.keys, world.told], [[], []]);
    world.sink.fault = () => undefined;
    await world.vote();
  });

  test("goes on where the start that it led to is refused", async () => {
    const world = await SessionWorld.open();
    await world.vote();
    await press(world, "5");
    world.sink.fault = (call) => (call === "send" ? "form" : undefined);
    await assert.rejects(world.start({ pictureUrl: "https://example.org/a.png" }), { reason: "form" });
    world.sink.fault = () => undefined;
    assert.deepEqual([votersOf(world), world.current?.start], [["5"], undefined]);
    assert.equal((await press(world, "6")).kind, "counted");
    await world.clock.advance(MINUTE_MS);
    assert.match(world.text("Vote"), /\*\*2\*\* of \*\*2\*\*.*\n✅ Enough/);
    assert.ok(nothingDemanded(world));
  });

  test("keeps nobody waiting because a clock was wrong: set back after a vote, forward within one", async () => {
    const world = await SessionWorld.open();
    await world.vote(10);
    await world.asks(world.sessions.cancel(host, SERVER));
    await world.refuses(world.sessions.vote(host, SERVER, { minutes: 10 }), /begin in 30 min/);
    world.clock.step(-5 * 3_600_000);
    await world.vote(10);
    world.clock.step(5 * 3_600_000);
    await world.clock.advance(20_000);
    assert.equal(world.current, undefined);
  });

  test("lasts as long over the night in which clocks go back an hour", async () => {
    const world = await SessionWorld.open();
    // Berlin, 2026-10-25: 03:00 is 02:00 again at 01:00 UTC.
    await world.clock.advanceTo(Date.UTC(2026, 9, 25, 0, 30));
    await world.vote(60);
    await world.clock.advance(59 * MINUTE_MS);
    assert.ok(world.current);
    await world.clock.advance(1.5 * MINUTE_MS);
    assert.equal(world.current, undefined);
  });
});

describe("a session", () => {
  test("mentions of those who voted only who allows it when it is posted, 25 at most", async () => {
    const world = await SessionWorld.open({ needed: 40 });
    await world.vote();
    for (let id = 100; id < 140; id++) {
      if (id % 4 !== 0) world.allowed.add(String(id));
      await press(world, String(id));
    }
    world.sink.fault = () => "unknown";
    const { session, message } = await world.start();
    assert.deepEqual([message, session.start?.mentionIds.length], ["follows", 25]);
    world.allowed.delete("101");
    world.sink.fault = () => undefined;
    await world.clock.advance(5 * MINUTE_MS);
    const { pingUserIds = [], pingRoleIds } = world.message("Session: ").sent;
    assert.deepEqual([pingUserIds.length, pingUserIds.includes("101"), pingRoleIds], [24, false, ["77"]]);
    assert.ok(pingUserIds.every((id) => world.allowed.has(id)));
  });

  test("shows what looks show, and its summary says what was seen, whoever was on when", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.look([player(1), player(2, "Server Moderator")]);
    await world.clock.advance(90_000);
    assert.match(world.text("Session: "), /\*\*2\*\* of \*\*40\*\*.*\n🛡 \*\*1\*\* staff/);
    world.look([1, 3, 4, 5].map((id) => player(id)).concat(player(6, "Server Administrator")));
    await world.clock.advance(90_000);
    world.look([player(1)]);
    await world.clock.advance(30 * MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    // What comes after the end is not of the session.
    world.look([1, 2, 3, 4, 5, 6, 7].map((id) => player(id)));
    await world.clock.advance(2 * MINUTE_MS);
    assert.match(
      world.text("📋"),
      /Most players: \*\*5\*\*\n.*Staff seen: \*\*2\*\*.*\n.*calls: \*\*4\*\*, answered \*\*3\*\*/,
    );
    assert.deepEqual([world.message("📋").sent.silent, world.message("Session over").body.rows], [true, []]);
    assert.deepEqual(world.process.sessions.keys, []);
    assert.ok(nothingDemanded(world));
    assert.equal((await world.sessions.past(SERVER.guildId, SERVER.id)).length, 1);
  });

  test("in which the clock of the machine is set back counts what looks show after it", async () => {
    const world = await SessionWorld.open();
    await world.clock.advance(120 * MINUTE_MS);
    await world.start();
    world.look([player(1)]);
    await world.clock.advance(MINUTE_MS);
    world.clock.step(-60 * MINUTE_MS);
    world.look([player(1), player(2), player(3)]);
    await world.clock.advance(20 * MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(10 * MINUTE_MS);
    assert.match(world.text("📋"), /Most players: \*\*3\*\*/);
  });

  test("of a few minutes its summary says no average: staff is counted once a minute", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.look([player(1), player(2, "Server Moderator")]);
    await world.clock.advance(90_000);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(2 * MINUTE_MS);
    assert.match(world.text("📋"), /Staff seen: \*\*1\*\*\n/);
  });

  test("its summary waits for the history an hour, and then says that calls were not counted", async () => {
    const world = await SessionWorld.open();
    world.figures = "away";
    await world.start();
    await world.clock.advance(MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(50 * MINUTE_MS);
    assert.equal(world.messages.length, 1);
    await world.clock.advance(20 * MINUTE_MS);
    assert.match(world.text("📋"), /Marshal couldn't read its records, so calls were not counted/);
  });

  test("that waits for a history that does not answer holds up no other: a vote ends, and a card lives", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.figures = "silent";
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(MINUTE_MS);
    await world.vote(10);
    await world.clock.advance(11 * MINUTE_MS);
    assert.equal(world.current, undefined);
    await world.start();
    await world.clock.advance(2 * MINUTE_MS);
    world.look([player(1), player(2)]);
    await world.clock.advance(2 * MINUTE_MS);
    const card = world.messages.at(-1)?.body.cards?.[0];
    assert.match(String(card?.description), /\*\*2\*\*/);
  });

  test("calls are answered by whether they stand; refused ones are not kept", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.sink.fault = (call) => (call === "send" ? "gone" : undefined);
    const full = () => world.asks(world.sessions.call(host, SERVER, "full"));
    await assert.rejects(full(), { reason: "gone" });
    assert.deepEqual(world.current?.calls, []);
    world.sink.fault = () => undefined;
    assert.equal((await full()).announced?.message, "posted");
    assert.deepEqual(await full(), { announced: undefined });
    const low = await world.asks(world.sessions.call(host, SERVER, "low"));
    assert.equal(low.call?.isPinging, false);
    await world.clock.advance(16 * MINUTE_MS);
    await world.asks(world.sessions.call(host, SERVER, "low"));
    const pings = world.messages.map(({ sent }) => sent.pingRoleIds);
    assert.deepEqual(pings, [["77"], undefined, undefined, ["77"]]);
  });

  test("started by a clock that was an hour ahead pings again once it is put right", async () => {
    const world = await SessionWorld.open();
    world.clock.step(60 * MINUTE_MS);
    await world.start();
    world.clock.step(-60 * MINUTE_MS);
    await world.clock.advance(20 * MINUTE_MS);
    const low = await world.asks(world.sessions.call(host, SERVER, "low"));
    assert.equal(low.call?.isPinging, true);
    assert.deepEqual(world.messages.at(-1)?.sent.pingRoleIds, ["77"]);
  });

  test("in a channel that is deleted tells who started it, and can still end", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.sink.fault = () => "gone";
    await world.clock.advance(3 * MINUTE_MS);
    world.look([player(1)]);
    await world.clock.advance(3 * MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(3 * MINUTE_MS);
    assert.ok(world.told.length >= 1 && world.told.length <= 2, world.told.join("\n"));
    assert.match(world.told[0] ?? "", /^1: .*it no longer exists/);
    assert.deepEqual([world.current, world.process.sessions.keys], [undefined, []]);
    assert.equal((await world.sessions.past(SERVER.guildId, SERVER.id)).length, 1);
  });

  test("whose channel was deleted goes on in the one that is set up next, as its words say", async () => {
    const world = await SessionWorld.open();
    await world.vote();
    await press(world, "5");
    world.sink.fault = (_, channelId) => (channelId === CHANNEL ? "gone" : undefined);
    await assert.rejects(world.start(), { reason: "gone" });
    await world.sessions.setUp(SERVER.guildId, SERVER.id, (before) => ({
      ...(before ?? assert.fail()),
      channelId: "next",
    }));
    const posted = () => world.sink.messages("next").map(({ body }) => String(body.cards?.[0]?.title));
    const { session } = await world.start();
    assert.deepEqual([session.channelId, posted().length], ["next", 1]);
    await world.asks(world.sessions.call(host, SERVER, "full"));
    await world.restart();
    await world.clock.advance(3 * MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(3 * MINUTE_MS);
    const [card = "", call = "", summary = ""] = posted();
    assert.match(`${card}, ${call}, ${summary}`, /Session over.*is full.*Session on/);
    assert.deepEqual([posted().length, world.process.sessions.keys], [3, []]);
  });

  test("whose channel is changed while it is on keeps its card where it is, and posts what is new in the new one", async () => {
    const world = await SessionWorld.open();
    await world.start();
    await world.sessions.setUp(SERVER.guildId, SERVER.id, (before) => ({
      ...(before ?? assert.fail()),
      channelId: "next",
    }));
    await world.asks(world.sessions.call(host, SERVER, "low"));
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(3 * MINUTE_MS);
    assert.match(world.text("Session over"), /Session over/);
    assert.equal(world.sink.messages("next").length, 2);
  });

  test("whose card is deleted gets a new one without a ping; deleted twice it stays away", async () => {
    const world = await SessionWorld.open();
    await world.start();
    for (const left of [1, 0]) {
      world.sink.channels.set(CHANNEL, []);
      world.look([player(1), player(2), ...(left === 1 ? [player(3)] : [])]);
      await world.clock.advance(3 * MINUTE_MS);
      assert.deepEqual(
        world.messages.map(({ sent }) => sent.pingRoleIds),
        left === 1 ? [undefined] : [],
      );
    }
  });

  test("whose card takes no edits for long, as a published one, gets a new card in its place, also over a restart", async () => {
    const cards = (world: SessionWorld) =>
      world.messages.filter(({ body }) => /Session/.test(String(body.cards?.[0]?.title))).length;
    for (const isKilled of [false, true]) {
      const world = await SessionWorld.open();
      await world.start();
      const [first] = world.messages;
      world.sink.fault = (call) => (call === "edit" ? "edit-limit" : undefined);
      world.look([player(1), player(2)]);
      const isReplaced = () => world.messages.some(({ sent }) => sent.nonce !== first?.nonce);
      await world.clock.until(isReplaced, 30 * MINUTE_MS);
      if (isKilled) await world.restart();
      await world.clock.advance(2 * MINUTE_MS);
      assert.equal(cards(world), 1);
      assert.match(world.text("Session"), /\*\*2\*\*/);
      assert.equal(world.messages[0]?.sent.pingRoleIds, undefined);
      world.sink.fault = () => undefined;
      await world.asks(world.sessions.end(host, SERVER));
      await world.clock.advance(10 * MINUTE_MS);
      assert.equal(world.messages.length, 2, "the card, and the summary");
      assert.match(world.text("Session over"), /Session over/);
      assert.deepEqual([world.told, world.process.sessions.keys], [[], []]);
    }
  });

  test("in a thread that Discord archived shows the end on its card once the summary has revived it, and nobody is told", async () => {
    const world = await SessionWorld.open();
    await world.start();
    let isArchived = true;
    world.sink.fault = (call) => {
      if (call === "send") isArchived = false;
      return call === "edit" && isArchived ? "closed" : undefined;
    };
    world.look([player(1), player(2)]);
    await world.clock.advance(10 * MINUTE_MS);
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(10 * MINUTE_MS);
    assert.match(world.text("Session over"), /Session over/);
    assert.deepEqual([world.told, world.process.sessions.keys], [[], []]);
  });

  test("in a thread that stays closed is done with a day after its end, and its host is told", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.sink.fault = () => "closed";
    await world.asks(world.sessions.end(host, SERVER));
    await world.clock.advance(25 * 60 * MINUTE_MS);
    assert.match(world.told[0] ?? "", /^1: .*archived or locked/);
    assert.deepEqual(world.process.sessions.keys, []);
  });

  test("is over when its server is unlinked, also where the process ended right after that", async () => {
    for (const isKilled of [false, true]) {
      const world = await SessionWorld.open();
      await world.start();
      world.linked = [];
      if (isKilled) await world.restart();
      else await world.process.wing.onUnlinked({ guildId: SERVER.guildId, bindingId: SERVER.id });
      await world.clock.advance(3 * MINUTE_MS);
      assert.match(world.text("Session over"), /server was unlinked/);
      assert.deepEqual([world.current, world.process.sessions.keys], [undefined, []]);
      assert.ok(nothingDemanded(world));
    }
  });

  test("of a community that removes the bot is forgotten", async () => {
    const world = await SessionWorld.open();
    await world.start();
    await world.process.wing.onGuildRemoved(SERVER.guildId);
    await world.clock.advance(MINUTE_MS);
    assert.deepEqual([world.process.sessions.keys, world.messages.length], [[], 1]);
    assert.ok(nothingDemanded(world));
  });

  test("that nobody ends is over after half a day, by the clock of the machine or not", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.clock.step(-3_600_000);
    await world.clock.advance(13 * 3_600_000 + MINUTE_MS);
    assert.match(world.text("Session over"), /after 12 hours/);
    world.clock.step(-30 * 86_400_000);
    await world.clock.advance(10 * MINUTE_MS);
    assert.ok(world.message("📋"));
  });

  test("that was forgotten lasted for half a day, also where the bot was down for longer", async () => {
    const world = await SessionWorld.open();
    await world.start();
    world.process.kill();
    await world.clock.advance(30 * 3_600_000);
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    assert.match(world.text("📋"), /\*\*12.h\*\*/u);
    const [past] = await world.sessions.past(SERVER.guildId, SERVER.id);
    assert.equal((past?.untilMs ?? 0) - (past?.fromMs ?? 0), 12 * 3_600_000);
  });

  test("started by two at once is one", async () => {
    const world = await SessionWorld.open();
    const both = await world.asks(
      Promise.allSettled([
        world.sessions.start(host, SERVER, {}),
        world.sessions.start({ ...host, userId: "2" }, SERVER, {}),
      ]),
    );
    assert.deepEqual(
      both.map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.equal(world.messages.length, 1);
  });

  test("says hostile texts as they were typed: no mention, no markup, nothing too long", async () => {
    const longest = "@everyone <@1> **x** [a](https://e.org) `".padEnd(1_000, "*_~|#[]()\\");
    for (const text of [longest, "\\n".repeat(500), "\u202e# big\\n> quote\\n-# small", "@".repeat(1_000)]) {
      const world = await SessionWorld.open({ text });
      await world.start();
      const { body, sent } = world.message("Session: ");
      const [card] = body.cards ?? [];
      assert.ok((card?.description?.length ?? 0) <= 4_096);
      assert.ok((card?.title?.length ?? 0) <= 256);
      assert.ok((body.content?.length ?? 0) <= 2_000);
      assert.doesNotMatch(
        card?.description ?? "",
        /@(everyone|here)|(^|\n)(#|>|-#) (big|quote|small)|[^\\]\*\*x|[^\\]\[a/,
      );
      assert.deepEqual([sent.pingUserIds, sent.pingRoleIds], [undefined, ["77"]]);
    }
  });
});
