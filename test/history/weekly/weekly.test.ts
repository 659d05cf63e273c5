import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { weeklyRenderer } from "../../../src/discord/render/stats/weekly-card.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { Binding, GuildSettings } from "../../../src/domain/guild.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Documents } from "../../../src/domain/ports/documents.ts";
import type { Sink } from "../../../src/domain/ports/sink.ts";
import type { DutyWeek } from "../../../src/domain/ports/staffing.ts";
import type { ServerStats, StatsSpan } from "../../../src/domain/stats.ts";
import { WeeklyBoard } from "../../../src/history/weekly/weekly-board.ts";
import { parseWeekly, type WeeklyRecord } from "../../../src/history/weekly/weekly-record.ts";
import { linkedServer } from "../../support/bindings.ts";
import { VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { outboxOver } from "../../support/outbox.ts";

const GUILD = "900";
const CHANNEL = "c1";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A Friday; the Monday after it is the 5th. */
const FRIDAY_MS = Date.UTC(2026, 0, 2, 12);
const MONDAY_9_MS = Date.UTC(2026, 0, 5, 9);

const bindingOf = (id: string): Binding =>
  linkedServer({ id, guildId: GUILD, source: id as SourceId, name: `Town ${id}` });

function statsOf(span: StatsSpan & { readonly bindingId: string }): ServerStats {
  const known = { knownS: span.toS - span.fromS, players: 5, peak: 9, staff: 1, uncoveredS: 3_600 };
  return {
    ...span,
    ...known,
    recordedSinceS: 0,
    peakAtS: span.fromS,
    joins: 12,
    visitors: 4,
    kills: 3,
    unrecordedS: 0,
    calls: { calls: 2, answered: 1, timed: 0 },
    stepKind: "hour",
    steps: [],
    week: Array.from({ length: 168 }, () => ({ ...known, calls: 0 })),
  };
}

/** What outlives a process: the store, the channels, the time. */
class World {
  readonly clock = new VirtualClock(FRIDAY_MS);
  readonly sink = new FakeSink(this.clock);
  readonly texts = new Map<string, string>();
  readonly told: MessageBody[] = [];
  bindings: readonly Binding[] = [bindingOf("b1")];
  settings: GuildSettings = DEFAULT_SETTINGS;
  retention: number | "off" = 90;
  failure: Error | undefined;
  isOurs = true;
  wholeSinceMs: number | undefined;
  /** Up to when the history knows the servers. */
  lookedS: number | undefined = Number.POSITIVE_INFINITY;
  duty: DutyWeek | undefined;
  #ids = 0;

  documents(): MemoryDocuments<WeeklyRecord> {
    return new MemoryDocuments(parseWeekly, this.texts);
  }

  board(documents: Documents<WeeklyRecord> = this.documents(), sink: Sink = this.sink): WeeklyBoard {
    const { clock } = this;
    return new WeeklyBoard({
      dutyOf: async () => this.duty,
      lookedS: async () => this.lookedS,
      documents,
      posts: outboxOver(sink, clock).posts,
      clock,
      renderer: weeklyRenderer,
      bindings: { list: async () => this.bindings },
      settings: { of: async () => this.settings },
      privacy: { retention: async () => this.retention },
      stats: {
        server: async (_guildId, asked) => {
          if (this.failure !== undefined) throw this.failure;
          return statsOf(asked);
        },
        draw: async (_guildId, pictures) => ({ kind: "made", pngs: pictures.map(() => new Uint8Array([1])) }),
      },
      notifier: { guild: async (_guildId, body) => void this.told.push(body) },
      wholeSinceMs: this.wholeSinceMs,
      random: { next: () => 0.5, id: () => `id${++this.#ids}-0123456789abcdef` },
      isOurs: () => this.isOurs,
      report: () => undefined,
    });
  }

  async start(documents?: Documents<WeeklyRecord>, sink?: Sink): Promise<WeeklyBoard> {
    const board = this.board(documents, sink);
    await board.start();
    return board;
  }

  /** The titles and server names of what stands in the channel. */
  get posted(): readonly string[] {
    return this.sink
      .messages(CHANNEL)
      .map(({ body }) => `${body.cards?.[0]?.author}: ${body.cards?.[0]?.title?.replace("📅 ", "")}`);
  }

  async until(atMs: number): Promise<void> {
    await this.clock.advanceTo(atMs);
  }
}

const setting = { channelId: CHANNEL, byId: "u1" };
const FIRST = "Town b1: Week of 29 December to 4 January";
const SECOND = "Town b1: Week of 5 to 11 January";

describe("the weekly summary", () => {
  test("comes once on Monday at nine in the community's zone, for each server a message with words and pictures", async () => {
    const world = new World();
    world.settings = { ...DEFAULT_SETTINGS, timeZone: "America/Los_Angeles" };
    world.bindings = [bindingOf("b1"), bindingOf("b2")];
    const board = await world.start();
    const firstAtMs = await board.set(GUILD, setting);
    assert.equal(firstAtMs, Date.UTC(2026, 0, 5, 17));
    await world.until(firstAtMs - MINUTE_MS);
    assert.deepEqual(world.posted, []);
    await world.until(firstAtMs + 10 * MINUTE_MS);
    assert.deepEqual(world.posted, [FIRST, FIRST.replace("b1", "b2")]);
    await world.until(firstAtMs + 6 * DAY_MS);
    assert.equal(world.posted.length, 2);
    await world.until(firstAtMs + 7 * DAY_MS + 10 * MINUTE_MS);
    assert.equal(world.posted.length, 4);
    const [{ body } = assert.fail()] = world.sink.messages(CHANNEL);
    assert.equal(body.files?.length, 2);
    for (const { description } of body.files ?? [])
      assert.ok(description !== undefined && description.length > 20);
    assert.match(JSON.stringify(body.cards), /as before[\s\S]*When staff are needed/);
    assert.doesNotMatch(JSON.stringify(body.cards), /Duty/);
    await board.stop();
  });

  test("compares sums only with a week of which as much is known; averages also with the half of one", () => {
    const week = { fromS: 604_800, toS: 2 * 604_800, zone: "UTC", bindingId: "b1" };
    const stats = statsOf(week);
    const said = (knownS: number, unrecordedS = 0) => {
      const before = {
        ...statsOf({ ...week, fromS: 0, toS: 604_800 }),
        knownS,
        unrecordedS,
        players: 4,
        joins: 6,
        kills: 1,
      };
      const of = { binding: bindingOf("b1"), stats, before, duty: undefined, pngs: undefined, key: "k" };
      return JSON.stringify(weeklyRenderer.summary(of).cards);
    };
    const whole = said(600_000);
    assert.match(whole, /5\*\* \(▲.1.more.*12\*\* joins \(▲.6.more.*The week before: 2.*3\*\* \(▲.2.more/su);
    // Rows of half the week before may be missing: of its players as much is known, of its joins not.
    assert.match(said(604_800, 300_000), /5\*\* \(▲.1.more.*12\*\* joins"/su);
    const half = said(300_000);
    assert.match(half, /5\*\* \(▲.1.more.*12\*\* joins"/su);
    assert.doesNotMatch(half, /The week before|6.more|2.more/u);
    assert.match(
      half,
      /Less was recorded of one of the two weeks, so joins, kills, calls and time without staff are not compared/,
    );
  });

  test("says one join as one, and thousands as they are said elsewhere", () => {
    const week = { fromS: 604_800, toS: 2 * 604_800, zone: "UTC", bindingId: "b1" };
    const before = { ...statsOf({ ...week, fromS: 0, toS: 604_800 }), joins: 5_001 };
    const stats = { ...statsOf(week), joins: 1 };
    const of = { binding: bindingOf("b1"), stats, before, duty: undefined, pngs: undefined, key: "k" };
    const [card] = weeklyRenderer.summary(of).cards ?? [];
    assert.match(String(card?.fields?.[0]?.value), /\*\*1\*\* join \(▼.5,000.fewer\)$/u);
  });

  test("says that the number of players is not known where nobody looked, and not that there were none", () => {
    const week = { fromS: 604_800, toS: 2 * 604_800, zone: "UTC", bindingId: "b1" };
    // The log that was read after the week still had its joins.
    const { players: _, peak: __, peakAtS: ___, staff: ____, ...rest } = statsOf(week);
    const stats = { ...rest, knownS: 0, uncoveredS: 0, week: [] };
    const before = statsOf({ ...week, fromS: 0, toS: 604_800 });
    const of = { binding: bindingOf("b1"), stats, before, duty: undefined, pngs: undefined, key: "k" };
    const [card] = weeklyRenderer.summary(of).cards ?? [];
    assert.equal(card?.fields?.[0]?.value, "Not known\n**12** joins");
    assert.equal(card?.description, "⚠️ How many were in the game was not recorded in this period.");
  });

  test("says once for all servers how duty, quota and leave were", async () => {
    const world = new World();
    world.bindings = [bindingOf("b1"), bindingOf("b2")];
    world.duty = { countedS: 90_000, people: 6, met: 4, notMet: 1, notMetYet: 0, excused: 1, onLeave: 1 };
    const board = await world.start();
    await world.until((await board.set(GUILD, setting)) + 10 * MINUTE_MS);
    const duty = world.sink
      .messages(CHANNEL)
      .map(({ body }) => body.cards?.[0]?.fields?.find(({ name }) => name === "🕒 Duty")?.value);
    assert.deepEqual(duty, [
      "**25 h** by 6 staff\nQuota: **4** met, **1** not met, 1 excused\nOn leave: 1",
      undefined,
    ]);
    await board.stop();
  });

  test("missed because the bot was down it is posted late, once, with the week that it is about; older ones are left out", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    await board.stop();
    await world.until(MONDAY_9_MS + 2 * DAY_MS);
    const late = await world.start();
    await world.clock.advance(10 * MINUTE_MS);
    assert.deepEqual(world.posted, [FIRST]);
    await late.stop();
    await world.until(MONDAY_9_MS + 23 * DAY_MS);
    await world.start();
    await world.clock.advance(HOUR_MS);
    assert.deepEqual(world.posted, [FIRST, "Town b1: Week of 19 to 25 January"]);
  });

  test("killed before or after any write, post or read it stands there once, also when Discord has forgotten the nonce", async () => {
    let deaths = 0;
    for (const isDone of [false, true]) {
      for (let at = 1; at <= 14; at += 1) {
        const world = new World();
        world.bindings = [bindingOf("b1"), bindingOf("b2")];
        const before = await world.start();
        await before.set(GUILD, setting);
        await before.stop();
        const killer = new Killer(at, isDone);
        await world.start(killer.documents(world.documents()), killer.sink(world.sink));
        await world.until(MONDAY_9_MS + HOUR_MS);
        deaths += killer.isDead ? 1 : 0;
        await world.start();
        await world.clock.advance(HOUR_MS);
        assert.deepEqual(
          world.posted.toSorted(),
          [FIRST, FIRST.replace("b1", "b2")],
          `killed ${isDone ? "after" : "before"} operation ${at}`,
        );
      }
    }
    assert.ok(deaths >= 12, `only ${deaths} were killed`);
  });

  test("stands once where a backup from before it is put back, also when the bot ends before it has looked", async () => {
    const world = new World();
    world.bindings = [bindingOf("b1"), bindingOf("b2")];
    const board = await world.start();
    await board.set(GUILD, setting);
    const backup = new Map(world.texts);
    await world.until(MONDAY_9_MS + 10 * MINUTE_MS);
    await board.stop();
    assert.deepEqual(world.posted, [FIRST, FIRST.replace("b1", "b2")]);
    await world.until(MONDAY_9_MS + HOUR_MS);

    world.texts.clear();
    for (const [key, text] of backup) world.texts.set(key, text);
    world.wholeSinceMs = world.clock.nowMs();
    await (await world.start()).stop();
    const next = await world.start();
    await world.until(MONDAY_9_MS + 2 * HOUR_MS);
    assert.deepEqual(world.posted, [FIRST, FIRST.replace("b1", "b2")]);
    await world.until(MONDAY_9_MS + 7 * DAY_MS + HOUR_MS);
    assert.deepEqual(world.posted.slice(2), [SECOND, SECOND.replace("b1", "b2")]);
    await next.stop();
  });

  test("a store that takes nothing after the post, or an answer that is lost, repeats nothing", async () => {
    const world = new World();
    const documents = world.documents();
    const board = await world.start(documents);
    await board.set(GUILD, setting);
    world.sink.fault = (call) => {
      if (call !== "send") return undefined;
      documents.refuseWrites = new Error("the disk is full");
      return undefined;
    };
    await world.until(MONDAY_9_MS + 20 * MINUTE_MS);
    documents.refuseWrites = undefined;
    let isLost = true;
    world.sink.fault = (call) => {
      if (call !== "send" || !isLost) return undefined;
      isLost = false;
      return "lost";
    };
    await world.until(MONDAY_9_MS + 8 * DAY_MS);
    assert.deepEqual(world.posted, [FIRST, SECOND]);
  });

  for (const hours of [0.13, 1, 6, 30]) {
    test(`stands once where Discord was away for ${hours} hours when it was due`, async () => {
      const world = new World();
      const board = await world.start();
      await board.set(GUILD, setting);
      world.sink.fault = () => "unknown";
      await world.until(MONDAY_9_MS + hours * HOUR_MS);
      world.sink.fault = () => undefined;
      await world.clock.advance(10 * MINUTE_MS);
      assert.deepEqual(world.posted, [FIRST]);
    });
  }

  test("is posted where Discord refused it for a moment only, and nobody reads of a closed channel", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    let times = 0;
    world.sink.fault = () => (times++ < 2 ? "rejected" : undefined);
    await world.until(MONDAY_9_MS + HOUR_MS);
    assert.deepEqual(world.posted, [FIRST]);
    assert.deepEqual(world.told, []);
  });

  test("a channel that takes nothing brings one notice, over a restart too; the next week is tried, and a later failure brings another", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    world.sink.fault = (call) => (call === "send" ? "no-access" : undefined);
    await world.until(MONDAY_9_MS + DAY_MS);
    assert.equal(world.told.length, 1);
    await board.stop();
    await world.start();
    await world.until(MONDAY_9_MS + 8 * DAY_MS);
    assert.deepEqual([world.told.length, world.posted], [1, []]);
    world.sink.fault = () => undefined;
    await world.until(MONDAY_9_MS + 15 * DAY_MS);
    assert.equal(world.posted.length, 1);
    world.sink.fault = (call) => (call === "send" ? "gone" : undefined);
    await world.until(MONDAY_9_MS + 22 * DAY_MS);
    assert.equal(world.told.length, 2);
  });

  test("waits for a history that does not answer, and comes when it does", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    world.failure = new Failure("store", "it is locked", { isRead: true });
    await world.until(MONDAY_9_MS + 5 * HOUR_MS);
    assert.deepEqual(world.posted, []);
    world.failure = undefined;
    await world.clock.advance(10 * MINUTE_MS);
    assert.deepEqual(world.posted, [FIRST]);
  });

  test("waits for the end of the week where the bot was down then, but not for a server that nobody can read", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    await board.stop();
    world.lookedS = MONDAY_9_MS / 1_000 - 10 * 3_600;
    await world.until(MONDAY_9_MS + HOUR_MS);
    await world.start();
    await world.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(world.posted, [], "the rows of the last hour are yet to be read");
    world.lookedS = MONDAY_9_MS / 1_000 + 4_000;
    await world.clock.advance(2 * MINUTE_MS);
    assert.deepEqual(world.posted, [FIRST]);
    world.lookedS = undefined;
    await world.until(MONDAY_9_MS + 7 * DAY_MS + 40 * MINUTE_MS);
    assert.deepEqual(world.posted, [FIRST, SECOND]);
  });

  test("says for how long rows may be missing where the end of the week is not read when it is posted", async () => {
    for (const [unreadS, words] of [
      [0, undefined],
      [2 * 3_600, "⚠️ For 2 h joins, kills or calls may be missing."],
    ] as const) {
      const world = new World();
      const board = await world.start();
      await board.set(GUILD, setting);
      world.lookedS = Date.UTC(2026, 0, 5) / 1_000 - unreadS;
      await world.until(MONDAY_9_MS + 40 * MINUTE_MS);
      const [{ body } = assert.fail()] = world.sink.messages(CHANNEL);
      assert.equal(body.cards?.[0]?.description, words);
      await board.stop();
    }
  });

  test("nothing comes once it is turned off, without a server, with the history off, or in another process", async () => {
    for (const change of [
      async (_: World, board: WeeklyBoard) => assert.ok(await board.turnOff(GUILD)),
      async (world: World, board: WeeklyBoard) => {
        world.bindings = [];
        await board.onUnlinked(GUILD);
        assert.equal(await board.of(GUILD), undefined);
      },
      async (world: World) => {
        world.retention = "off";
      },
      async (world: World) => {
        world.isOurs = false;
      },
    ]) {
      const world = new World();
      const board = await world.start();
      await board.set(GUILD, setting);
      await change(world, board);
      await world.until(MONDAY_9_MS + 8 * DAY_MS);
      assert.deepEqual(world.posted, []);
    }
  });

  for (const [before, after] of [
    ["UTC", "America/New_York"],
    ["Pacific/Auckland", "America/Los_Angeles"],
    ["America/Los_Angeles", "Pacific/Auckland"],
  ] as const) {
    test(`stands once where the community sets its zone from ${before} to ${after} right after it`, async () => {
      const world = new World();
      world.settings = { ...DEFAULT_SETTINGS, timeZone: before };
      const board = await world.start();
      await world.until((await board.set(GUILD, setting)) + 10 * MINUTE_MS);
      assert.deepEqual(world.posted, [FIRST]);
      world.settings = { ...DEFAULT_SETTINGS, timeZone: after };
      await world.clock.advance(5 * DAY_MS);
      assert.deepEqual(world.posted, [FIRST]);
      await world.clock.advance(4 * DAY_MS);
      assert.deepEqual(world.posted, [FIRST, SECOND]);
      await board.stop();
    });
  }

  test("stands once where the clock is set back to before nine after it, as by a machine that starts with the time of its last save", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    await world.until(MONDAY_9_MS + 20 * MINUTE_MS);
    world.clock.step(-HOUR_MS);
    await world.clock.advance(10 * MINUTE_MS);
    world.clock.step(HOUR_MS);
    await world.clock.advance(3 * HOUR_MS);
    assert.deepEqual(world.posted, [FIRST]);
  });

  test("a clock that was wrong by a year costs one summary, not fifty", async () => {
    const world = new World();
    const board = await world.start();
    await board.set(GUILD, setting);
    world.clock.step(365 * DAY_MS);
    await world.clock.advance(10 * MINUTE_MS);
    assert.equal(world.posted.length, 1);
    world.clock.step(-365 * DAY_MS);
    await world.until(MONDAY_9_MS + 8 * DAY_MS);
    assert.equal(world.posted.at(-1), SECOND);
  });
});

/** Ends a process at one of its operations, before or after it took effect: from then on nothing is answered. */
class Killer {
  readonly #at: number;
  readonly #isDone: boolean;
  #operations = 0;

  constructor(at: number, isDone: boolean) {
    this.#at = at;
    this.#isDone = isDone;
  }

  get isDead(): boolean {
    return this.#operations >= this.#at;
  }

  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.isDead) return await new Promise<T>(() => undefined);
    this.#operations += 1;
    if (this.isDead && !this.#isDone) return await new Promise<T>(() => undefined);
    const value = await operation();
    return this.isDead ? await new Promise<T>(() => undefined) : value;
  }

  documents(inner: Documents<WeeklyRecord>): Documents<WeeklyRecord> {
    return {
      get: (key) => inner.get(key),
      set: (key, value) => this.run(() => inner.set(key, value)),
      delete: (key) => this.run(() => inner.delete(key)),
      entries: () => inner.entries(),
    };
  }

  sink(inner: Sink): Sink {
    return {
      send: (channelId, message) => this.run(() => inner.send(channelId, message)),
      edit: (channelId, messageId, body) => this.run(() => inner.edit(channelId, messageId, body)),
      readBack: (channelId, after, limit) => this.run(() => inner.readBack(channelId, after, limit)),
    };
  }
}
