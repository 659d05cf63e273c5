import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { Panel } from "../../src/sandbox/web/panel.ts";
import { needsRedis } from "../support/redis-server.ts";
import { Crew, standingOf } from "./crew.ts";

describe("two processes on one Redis", needsRedis(), () => {
  let crew: Crew;
  let panel: Panel;
  before(async () => {
    crew = await Crew.open(2);
    panel = new Panel(crew.stage);
  });
  after(async () => {
    await panel.close();
    await crew.close();
  });
  afterEach((t) => {
    if ("passed" in t && t.passed === false) crew.tell();
  });

  const executions = (text: string) => crew.stage.service.counts.executionsByText.get(text) ?? 0;

  /** A command whose answer never comes while the process that sent it lives. */
  async function askSlowly(text: string) {
    const { stage } = crew;
    // Held back for longer than any of these processes lives.
    stage.service.faults.set({ only: "commands", late: 1, lateMs: 60_000 });
    const person = stage.discord.as(stage.cast.moderator);
    const asked = await person.slash(stage.cast.channels.staff, "run command", { text });
    await crew.until("the command at the game", () => (executions(text) > 0 ? true : undefined));
    stage.service.faults.set({ only: "all", late: 0 });
    return asked;
  }

  test("one serves, the other stands by, is connected to nothing, and says so", async () => {
    const standby = await crew.standby();
    assert.match(await standingOf(standby), /standing by/);
    assert.equal(crew.stage.discord.sessions.length, 1);
  });

  test("the holder is killed: the other goes on, each entry stands once, and what was asked is answered", async () => {
    const { town } = crew.stage;
    const holder = await crew.holder();
    const standby = await crew.standby();
    town.resume();
    town.setIntensity(240);
    const asked = await askSlowly(":h before the kill");
    const number = crew.stage.bots.indexOf(holder) + 1;
    await panel.refresh();
    assert.equal(panel.view().processes[number - 1]?.part, "serves shards 0/1");
    await panel.pull(`process-${number}-kill`);
    assert.equal(panel.view().processes[number - 1]?.part, "not running");
    await crew.ready(standby);
    town.pause();
    assert.deepEqual(await crew.shown(), { lost: [], repeated: [] });
    await asked.settled(({ text }) => /It may have run|It ran/.test(text));
    assert.equal(executions(":h before the kill"), 1);
    await panel.pull(`process-${number}-start`);
  });

  test("the holder stands still for longer than its lease and goes on: nothing is posted twice", async () => {
    const { town } = crew.stage;
    const holder = await crew.holder();
    const standby = await crew.standby();
    town.resume();
    const asked = await askSlowly(":h before it froze");
    holder.freeze();
    await crew.ready(standby);
    holder.unfreeze();
    await crew.until("the first one standing by", async () =>
      /standing by/.test(await standingOf(holder)) ? true : undefined,
    );
    town.pause();
    assert.deepEqual(await crew.shown(), { lost: [], repeated: [] });
    await asked.settled(({ text }) => /It may have run|It ran/.test(text));
    assert.equal(executions(":h before it froze"), 1);
    assert.equal(crew.stage.discord.sessions.length, 1);
  });

  test("the holder alone is cut off from Redis: once another serves, nobody reads an error of the first", async () => {
    const { stage } = crew;
    const holder = await crew.holder();
    const standby = await crew.standby();
    crew.wayOf(holder).cut();
    await crew.ready(standby);
    assert.equal(stage.discord.sessions.length, 2, "the first one cannot know, and stays");
    const person = stage.discord.as(stage.cast.owner);
    for (let asks = 0; asks < 8; asks++) {
      const { text } = await (await person.slash(stage.cast.channels.staff, "server status")).settled();
      assert.doesNotMatch(text, /paused for a moment|database is not answering/);
    }
    crew.wayOf(holder).mend();
    await crew.until("the first one standing by", async () =>
      /standing by/.test(await standingOf(holder)) ? true : undefined,
    );
    // It says so before Discord has heard of it.
    await crew.until("one session", async () => (stage.discord.sessions.length === 1 ? true : undefined));
  });

  test("Redis is lost for longer than a lease: people are told why, and it goes on by itself", async () => {
    const { stage, redis: server } = crew;
    const { town } = stage;
    const holder = await crew.holder();
    town.resume();
    await server.kill();
    const person = stage.discord.as(stage.cast.owner);
    const told = await crew.until("the reason", async () => {
      const asked = await person.slash(stage.cast.channels.staff, "server status");
      const { text } = await asked.settled();
      return /paused for a moment/.test(text) ? text : undefined;
    });
    assert.match(told, /database is not answering/);
    await crew.until("nothing being told of the bot that was dropped", async () => {
      const state = await holder.state();
      return typeof state === "object" && state !== null && !("feeds" in state) ? true : undefined;
    });
    const sessions = stage.discord.sessions.map(({ id }) => id);
    const sent = stage.service.counts.requests;
    await server.start();
    await crew.holder();
    town.pause();
    assert.deepEqual(await crew.shown(), { lost: [], repeated: [] });
    assert.ok(stage.service.counts.requests > sent);
    assert.deepEqual(crew.notices("⚠ Gap"), []);
    if ((await crew.holder()) === holder)
      assert.deepEqual(
        stage.discord.sessions.map(({ id }) => id),
        sessions,
        "the connection to Discord stayed",
      );
  });

  test("Redis is replaced by one that knows nothing: who waits for a command reads how it ended", async () => {
    const { stage, redis: server } = crew;
    const sent = await askSlowly(":h before the loss");
    const person = stage.discord.as(stage.cast.moderator);
    const waiting = await person.slash(stage.cast.channels.staff, "run command", { text: ":h behind it" });
    await waiting.settled(({ text }) => /Waiting, not sent yet/.test(text));
    await server.kill();
    await server.start({ empty: true });
    await waiting.settled(({ text }) => /Not sent: Marshal stopped/.test(text));
    const { text } = await sent.settled(({ text }) => /It may have run/.test(text));
    assert.doesNotMatch(text, /says here what it shows/, "nobody looks any more");
    assert.deepEqual([executions(":h before the loss"), executions(":h behind it")], [1, 0]);
    const saying = await crew.until("the operator being told that the store is new", () =>
      stage.bots.find(({ lines }) => lines.some((line) => line.includes("the store is new"))),
    );
    assert.match(await saying.readiness(), /the store is new/);
    await crew.until("the communities being told that nothing is linked any more", () =>
      crew.notices("⛔ Marshal has lost its data").length > 0 ? true : undefined,
    );
  });
});
