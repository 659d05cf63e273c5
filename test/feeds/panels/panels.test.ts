import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { panelRenderer } from "../../../src/discord/render/server/panel.ts";
import { DutyRoster } from "../../../src/domain/duty-roster.ts";
import { md } from "../../../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../../../src/domain/failure.ts";
import type { Binding } from "../../../src/domain/guild.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { Demand, ServerState, SourceId } from "../../../src/domain/model.ts";
import type { Panel } from "../../../src/domain/ports/panels.ts";
import type { Failing } from "../../../src/domain/ports/snapshots.ts";
import { PanelBoard } from "../../../src/feeds/panels/panel-board.ts";
import { panelKey, parsePanel } from "../../../src/feeds/panels/panel-records.ts";
import type { Outbox } from "../../../src/outbox/create-outbox.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { outboxOver } from "../../support/outbox.ts";
import { serverStatus } from "../../support/server-status.ts";

const MINUTE_MS = 60_000;
const SOURCE = "source" as SourceId;
const HALT_UNTIL_MS = 1_800_000_000_000;
const HALT_UNTIL_S = HALT_UNTIL_MS / 1_000;
const PANEL = { guildId: "g", bindingId: "b", channelId: "c", createdBy: "7" };

/** A Discord and a store that outlive the process; a process that can be started again. */
class PanelWorld {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(3);
  readonly discord = new FakeSink(this.clock);
  readonly texts = new Map<string, string>();
  readonly removed: string[] = [];
  readonly told: MessageBody[] = [];
  /** How often a server was drawn. */
  drawn = 0;
  readonly demands = new Map<string, readonly Demand[]>();
  state: ServerState | undefined;
  isHalted = false;
  isHeld = false;
  isParked = false;
  failing: Failing | undefined;
  /** Edits in it get no answer. */
  silentChannelId = "";
  isLinked = true;
  readonly roster = new DutyRoster(this.clock);
  outbox = this.#discordOf();
  board = this.#made();

  #discordOf(): Outbox {
    const { discord } = this;
    return outboxOver(
      {
        send: (...given) => discord.send(...given),
        edit: async (channelId, ...given) => {
          if (channelId === this.silentChannelId) await new Promise(() => undefined);
          await discord.edit(channelId, ...given);
        },
        readBack: (channelId, after, limit) => discord.readBack(channelId, after, limit),
        remove: async (_, messageId) => {
          if (this.isAway) throw new SinkRefusal("unknown", "Discord is away");
          this.removed.push(messageId);
        },
      },
      this.clock,
    );
  }

  /** Discord answers nothing. */
  get isAway(): boolean {
    return this.discord.fault("edit", "c") === "unknown";
  }

  set isAway(isAway: boolean) {
    this.discord.fault = () => (isAway ? "unknown" : undefined);
  }

  #made(): PanelBoard {
    const { clock, random } = this;
    const binding = { id: "b", guildId: "g", source: SOURCE, name: "Town" } as Binding;
    return new PanelBoard({
      roster: this.roster,
      panels: new MemoryDocuments(parsePanel, this.texts),
      bindings: { list: async () => (this.isLinked ? [binding] : []) },
      snapshots: { latest: () => this.state, failing: () => this.failing },
      modCalls: { withoutResolved: (_, state) => state },
      demands: { put: (owner, demands) => void this.demands.set(owner, demands) },
      health: {
        halt: () => (this.isHalted ? { untilMs: HALT_UNTIL_MS, why: "rate-limited" } : undefined),
        parked: () => (this.isParked ? { sinceMs: 0, why: "refused" } : undefined),
        held: () => (this.isHeld ? { untilMs: HALT_UNTIL_MS } : undefined),
        readRefused: () => undefined,
      },
      posts: this.outbox.posts,
      renderer: {
        ...panelRenderer,
        current: (...given) => {
          this.drawn += 1;
          return panelRenderer.current(...given);
        },
      },
      notifier: {
        person: async (_guild, _user, body) => {
          this.told.push(body);
        },
      },
      clock,
      random,
      warn: () => undefined,
    });
  }

  async restart(): Promise<void> {
    this.board.stop();
    await this.outbox.stop();
    this.state = undefined;
    this.outbox = this.#discordOf();
    this.board = this.#made();
    await this.board.start();
  }

  /** The service answers now, with so many players. */
  seen(currentPlayers: number): void {
    const atMs = this.clock.nowMs();
    this.state = { source: SOURCE, status: serverStatus({ currentPlayers }), statusAtMs: atMs, lists: {} };
  }

  /** Minutes in which the service answers every 20 s. */
  async minutes(count: number, players = 12): Promise<void> {
    for (let n = 0; n < count * 3; n++) {
      this.seen(players);
      await this.clock.advance(MINUTE_MS / 3);
    }
  }

  get messages() {
    return this.discord.messages("c");
  }
}

/** The turns of several come one after the other. */
async function added(world: PanelWorld, panel: Panel): Promise<"posted" | "stands" | "follows"> {
  const adding = world.board.add(panel);
  adding.catch(() => undefined);
  await world.clock.advance(300);
  return await adding;
}

async function standing(): Promise<PanelWorld> {
  const world = new PanelWorld();
  await world.board.start();
  world.seen(12);
  assert.equal(await world.board.add(PANEL), "posted");
  return world;
}

const refusing = (
  world: PanelWorld,
  call: "send" | "edit",
  reason: "message-gone" | "edit-limit" | "no-access",
) => {
  world.discord.fault = (asked) => (asked === call ? reason : undefined);
};

describe("A panel", () => {
  test("shows the server, keeps it polled without naming an age, and stands once per server and channel", async () => {
    const world = await standing();
    assert.match(JSON.stringify(world.messages[0]?.body), /\*\*12\*\* of \*\*40\*\* players/);
    assert.equal(world.messages[0]?.sent.silent, true);
    const [demand] = [...world.demands.values()].flat();
    assert.equal(demand?.source, SOURCE);
    assert.equal(demand.maxAgeMs, undefined);
    assert.equal(await added(world, PANEL), "stands");
    assert.equal(world.messages.length, 1);
  });

  test("shows the time of what it shows, and is edited for that alone every five minutes at most", async () => {
    const world = await standing();
    const shownS = () => Number(/Seen <t:(\d+):R>/.exec(JSON.stringify(world.messages[0]?.body))?.[1]);
    assert.equal(shownS(), world.clock.nowMs() / 1_000);
    await world.minutes(30);
    const edits = world.messages[0]?.edits ?? 0;
    assert.ok(edits >= 5 && edits <= 6, `${edits} edits in half an hour`);
    const ageS = world.clock.nowMs() / 1_000 - shownS();
    assert.ok(ageS <= 330, `${ageS} s`);
    await world.minutes(2, 13);
    assert.ok(world.clock.nowMs() / 1_000 - shownS() <= 120, "a change shows its own time");
  });

  test("shows no time to come where the clock of the machine was ahead and is set back", async () => {
    const world = await standing();
    await world.minutes(10);
    world.clock.step(-3 * 60 * MINUTE_MS);
    await world.minutes(10);
    const shownS = Number(/Seen <t:(\d+):R>/.exec(JSON.stringify(world.messages[0]?.body))?.[1]);
    assert.ok(shownS <= world.clock.nowMs() / 1_000, `${shownS - world.clock.nowMs() / 1_000} s to come`);
  });

  test("that is not up to date goes on saying so where the clock of the machine is set", async () => {
    const world = await standing();
    for (const stepMs of [60 * MINUTE_MS, -60 * MINUTE_MS]) {
      await world.clock.advance(20 * MINUTE_MS);
      world.clock.step(stepMs);
      const { state } = world;
      // As the latest snapshots do it: what was read keeps its age.
      if (state !== undefined) world.state = { ...state, statusAtMs: state.statusAtMs + stepMs };
      await world.clock.advance(2 * MINUTE_MS);
      assert.match(world.messages[0]?.body.content ?? "", /The game service is not answering/);
    }
    await world.minutes(2);
    assert.equal(world.messages[0]?.body.content, "");
  });

  test("shows who is on duty there, and nobody who is on duty elsewhere or away", async () => {
    const world = await standing();
    const on = (userId: string, playerId: number, bindingId = "b") => ({
      ...{ userId, isOnBreak: userId === "6", seen: { bindingId, playerId } },
    });
    world.roster.set("g", [on("5", 1), on("6", 2), on("7", 3), on("8", 1, "other")]);
    world.seen(2);
    const player = (id: number) => ({
      player: { name: `P${id}`, id },
      team: "",
      permission: "",
      wantedStars: 0,
    });
    const atMs = world.clock.nowMs();
    const players = { atMs, value: [player(1), player(2)] };
    if (world.state !== undefined) world.state = { ...world.state, lists: { players } };
    await world.clock.advance(2 * MINUTE_MS);
    const [field] = world.messages[0]?.body.cards?.[0]?.fields ?? [];
    assert.deepEqual([field?.name, field?.value], ["🟢 On duty in the game · 2", "<@5>, <@6> (break)"]);
    world.roster.set("g", []);
    await world.clock.advance(2 * MINUTE_MS);
    assert.doesNotMatch(JSON.stringify(world.messages[0]?.body), /On duty/);
  });

  test("is edited on a change at most once a minute", async () => {
    const world = await standing();
    for (let n = 0; n < 60; n++) {
      world.seen(n % 40);
      await world.clock.advance(MINUTE_MS / 6);
    }
    const edits = world.messages[0]?.edits ?? 0;
    assert.ok(edits >= 8 && edits <= 10, `${edits} edits in ten minutes`);
    assert.equal(world.messages.length, 1);
  });

  test("is not drawn while it is too soon to edit it", async () => {
    const world = await standing();
    const { drawn } = world;
    world.seen(20);
    await world.clock.advance(MINUTE_MS - 1_000);
    assert.equal(world.drawn, drawn);
    await world.clock.advance(MINUTE_MS / 3);
    assert.equal(world.messages[0]?.edits, 1);
  });

  test("of many, some are drawn at a time, and each within fifteen seconds", async () => {
    const world = new PanelWorld();
    world.state = undefined;
    for (let n = 0; n < 1_000; n++) {
      const record = {
        ...PANEL,
        guildId: `g${n}`,
        mark: `m${n}`,
        nonce: `n${n}`,
        messageId: "1",
        goodAtMs: 0,
      };
      world.texts.set(panelKey(record), JSON.stringify(record));
    }
    await world.board.start();
    world.seen(12);
    let most = 0;
    for (let atMs = 0; atMs < 16_000; atMs += 10) {
      const before = world.drawn;
      await world.clock.advance(10);
      most = Math.max(most, world.drawn - before);
    }
    assert.ok(world.drawn >= 1_000, `${world.drawn} drawn`);
    assert.ok(most <= 200, `${most} at once`);
  });

  test("waits for no other panel", async () => {
    const world = await standing();
    await added(world, { ...PANEL, channelId: "d" });
    world.silentChannelId = "c";
    await world.minutes(3, 20);
    assert.match(JSON.stringify(world.discord.messages("d")[0]?.body), /\*\*20\*\* of \*\*40\*\* players/);
  });

  test("is found again after a restart, without a word where nothing changed", async () => {
    const world = await standing();
    await world.restart();
    await world.minutes(3);
    assert.equal(world.messages.length, 1);
    assert.equal(world.messages[0]?.edits, 0);
    await world.minutes(2, 13);
    assert.equal(world.messages[0]?.edits, 1);
    assert.equal([...world.demands.values()].flat().length, 1);
  });

  test("says while the service is silent that it is, keeps what it showed and its time, and is current again afterwards", async () => {
    const world = await standing();
    const goodS = world.clock.nowMs() / 1_000;
    await world.clock.advance(20 * MINUTE_MS);
    const text = JSON.stringify(world.messages[0]?.body);
    assert.match(text, /The game service is not answering/);
    assert.match(text, new RegExp(`Seen <t:${goodS}:R>`));
    assert.match(text, /\*\*12\*\* of \*\*40\*\*/);
    assert.equal(world.messages[0]?.edits, 1);
    await world.restart();
    await world.clock.advance(30 * MINUTE_MS);
    assert.match(JSON.stringify(world.messages[0]?.body), new RegExp(`answer[^]*Seen <t:${goodS}:R>`));
    await world.minutes(2);
    assert.equal(world.messages[0]?.body.content, "");
  });

  test("says within two minutes that every poll since then has failed, and nothing of one that failed alone", async () => {
    const world = await standing();
    world.failing = { sinceMs: world.clock.monotonicMs(), code: "unreachable" };
    await world.clock.advance(MINUTE_MS / 2);
    world.failing = undefined;
    await world.minutes(2);
    assert.ok(!world.messages[0]?.body.content);
    world.failing = { sinceMs: world.clock.monotonicMs(), code: "unreachable" };
    await world.clock.advance(1.5 * MINUTE_MS);
    assert.match(world.messages[0]?.body.content ?? "", /Not up to date: the game service is not answering/);
    world.failing = undefined;
    await world.minutes(2);
    assert.equal(world.messages[0]?.body.content, "");
  });

  test("says at its next look that the game server runs an old version and who can mend it, in amber", async () => {
    const world = await standing();
    const live = world.messages[0]?.body.cards?.[0]?.color;
    await world.minutes(2);
    world.failing = { sinceMs: world.clock.monotonicMs(), code: "module-outdated" };
    await world.clock.advance(10_000);
    assert.match(world.messages[0]?.body.content ?? "", /old version\. Everyone has to leave it once/);
    assert.notEqual(world.messages[0]?.body.cards?.[0]?.color, live);
    world.failing = undefined;
    await world.minutes(2);
    assert.equal(world.messages[0]?.body.cards?.[0]?.color, live);
  });

  test("says at its next look that the key is refused, and who can replace it", async () => {
    const world = await standing();
    await world.minutes(2);
    world.isParked = true;
    await world.clock.advance(MINUTE_MS);
    assert.match(
      world.messages[0]?.body.content ?? "",
      /server key is wrong or expired\. Someone with Manage Server can replace it/,
    );
  });

  test("names the right cause, sooner than it would call the service silent", async () => {
    for (const [cause, words] of [
      [
        "isHalted",
        new RegExp(`asked Marshal to wait until <t:${HALT_UNTIL_S}:t> \\(<t:${HALT_UNTIL_S}:R>\\)`),
      ],
      ["isHeld", new RegExp(`too many other keys were refused\\. Next try: <t:${HALT_UNTIL_MS / 1_000}:t>`)],
      ["isParked", /server key is wrong or expired.*setup link/],
    ] as const) {
      const world = await standing();
      world[cause] = true;
      await world.clock.advance(5 * MINUTE_MS);
      assert.match(world.messages[0]?.body.content ?? "", words);
      world[cause] = false;
      await world.minutes(2);
      assert.equal(world.messages[0]?.body.content, "");
    }
  });

  test("that somebody deleted is made again once, and given up the second time", async () => {
    const world = await standing();
    refusing(world, "edit", "message-gone");
    await world.minutes(3, 13);
    assert.equal(world.messages.length, 2);
    await world.minutes(3, 14);
    assert.equal(world.messages.length, 2);
    await world.minutes(3, 15);
    assert.equal(world.messages.length, 2);
    assert.equal(world.texts.size, 0);
    assert.deepEqual([...world.demands.values()].flat(), []);
  });

  test("whose edits Discord limits is tried every five minutes, then a new message takes its place", async () => {
    const world = await standing();
    const first = world.messages[0]?.messageId;
    await world.minutes(2);
    world.discord.calls.length = 0;
    refusing(world, "edit", "edit-limit");
    await world.minutes(14, 13);
    assert.equal(world.discord.calls.filter((call) => call.startsWith("edit")).length, 3);
    assert.equal(world.messages.length, 1);
    await world.minutes(3, 13);
    assert.equal(world.messages.length, 2);
    assert.deepEqual(world.removed, [first]);
    assert.match(JSON.stringify(world.messages[1]?.body), /\*\*13\*\*/);
  });

  test("in a thread that Discord archived gets a new message, which revives it; in a locked one it ends", async () => {
    for (const isLocked of [false, true]) {
      const world = await standing();
      const first = world.messages[0]?.messageId;
      let isClosed = true;
      world.discord.fault = (call) => {
        if (call === "send" && !isLocked) isClosed = false;
        return isClosed ? "closed" : undefined;
      };
      await world.minutes(3, 13);
      assert.equal(world.texts.size, isLocked ? 0 : 1);
      assert.deepEqual(world.removed, isLocked ? [] : [first]);
      assert.equal(world.told.length, isLocked ? 1 : 0);
      await world.minutes(3, 14);
      assert.equal(world.messages.length, isLocked ? 1 : 2);
      if (!isLocked) assert.match(JSON.stringify(world.messages[1]?.body), /\*\*14\*\*/);
    }
  });

  test("whose channel is closed to us ends, and its maker gets a notice", async () => {
    const world = await standing();
    refusing(world, "edit", "no-access");
    await world.minutes(3, 13);
    assert.equal(world.texts.size, 0);
    assert.match(world.told[0]?.content ?? "", /panel in <#c> has stopped: Marshal can't post there/);
  });

  test("whose post got no answer is not posted twice", async () => {
    const world = await standing();
    refusing(world, "edit", "message-gone");
    let lost = 0;
    const { fault } = world.discord;
    world.discord.fault = (call, channel) =>
      call === "send" && lost++ === 0 ? "lost" : fault(call, channel);
    await world.minutes(6, 13);
    assert.equal(world.messages.length, 2);
  });

  test("whose post got no answer is found by the next process behind hundreds of other messages", async () => {
    const world = new PanelWorld();
    await world.board.start();
    world.seen(12);
    let sends = 0;
    world.discord.nonceMemoryMs = 0;
    world.discord.fault = (call) => (call === "send" && sends++ === 0 ? "lost" : "unknown");
    world.board.add(PANEL).catch(() => undefined);
    await world.clock.advance(300);
    world.discord.fault = () => undefined;
    for (let nth = 0; nth < 150; nth += 1)
      await world.discord.send("c", { content: md`Somebody joined`, nonce: `${nth}` });
    await world.restart();
    await world.minutes(10);
    assert.equal(world.messages.filter(({ body }) => body.cards !== undefined).length, 1);
  });

  test("whose replacement got no answer is not replaced twice", async () => {
    const world = await standing();
    const first = world.messages[0]?.messageId;
    await world.minutes(2);
    let lost = 0;
    world.discord.fault = (call) =>
      call === "edit" ? "edit-limit" : call === "send" && lost++ === 0 ? "lost" : undefined;
    await world.minutes(20, 13);
    assert.equal(world.messages.length, 2);
    assert.deepEqual(world.removed, [first]);
  });

  test("whose post got no answer goes on where the channel may not be read", async () => {
    const world = await standing();
    let lost = 0;
    let isGone = true;
    world.discord.fault = (call) => {
      if (call === "readBack") return "no-history";
      if (call === "edit" && isGone) return "message-gone";
      if (call === "send" && lost++ === 0) {
        isGone = false;
        return "lost";
      }
      return undefined;
    };
    await world.minutes(6, 13);
    await world.minutes(3, 14);
    assert.equal(world.messages.length, 2);
    assert.match(JSON.stringify(world.messages[1]?.body), /\*\*14\*\*/);
  });

  test("is refused where nothing is known, where the channel refuses it, and past ten in a community", async () => {
    const world = new PanelWorld();
    await assert.rejects(added(world, PANEL), Failure);
    world.seen(1);
    refusing(world, "send", "no-access");
    await assert.rejects(added(world, PANEL), SinkRefusal);
    assert.equal(world.texts.size, 0);
    world.discord.fault = () => undefined;
    for (let n = 0; n < 10; n++) await added(world, { ...PANEL, channelId: `c${n}` });
    await assert.rejects(added(world, PANEL), /10 panels, the maximum/);
  });

  test("goes with its message when it is removed, and is forgotten with its server", async () => {
    const world = await standing();
    assert.equal(await world.board.remove(PANEL), true);
    await world.clock.advance(1_000);
    assert.equal(world.removed.length, 1);
    assert.equal(await world.board.remove(PANEL), false);
    await added(world, PANEL);
    await world.board.drop({ guildId: "g", bindingId: "b" });
    assert.equal(world.texts.size, 0);
    assert.deepEqual([...world.demands.values()].flat(), []);
  });

  for (const minutes of [1, 30, 360]) {
    test(`says what is so when Discord is back after ${minutes} minutes, and one asked for meanwhile follows`, async () => {
      const world = await standing();
      await world.minutes(2);
      world.isAway = true;
      const adding = world.board.add({ ...PANEL, channelId: "d" });
      await world.minutes(minutes, 20);
      assert.equal(await adding, "follows");
      world.isAway = false;
      await world.minutes(4, 25);
      for (const channelId of ["c", "d"]) {
        const messages = world.discord.messages(channelId);
        assert.equal(messages.length, 1);
        assert.match(JSON.stringify(messages[0]?.body), /\*\*25\*\*/);
      }
    });
  }

  test("that is removed while Discord is away goes when it is back, also by the next process", async () => {
    for (const restarts of [0, 1]) {
      const world = await standing();
      const [message] = world.messages;
      world.isAway = true;
      assert.equal(await world.board.remove(PANEL), true);
      assert.deepEqual(world.board.list("g"), []);
      await world.clock.advance(60 * MINUTE_MS);
      for (let n = 0; n < restarts; n++) await world.restart();
      assert.deepEqual(world.board.list("g"), []);
      world.isAway = false;
      await world.clock.advance(2 * MINUTE_MS);
      assert.deepEqual(world.removed, [message?.messageId]);
      assert.equal(world.texts.size, 0);
    }
  });

  test("that is removed while its message is on its way goes as soon as that stands, unless it was asked for again", async () => {
    for (const isWantedAgain of [false, true]) {
      const world = new PanelWorld();
      world.discord.answer = () => world.clock.sleep(20_000);
      world.seen(12);
      const adding = world.board.add(PANEL);
      await world.clock.advance(12_000);
      assert.equal(await adding, "follows");
      assert.equal(await world.board.remove(PANEL), true);
      assert.equal(world.messages.length, 1, "Discord has it, and has not said so yet");
      const again = isWantedAgain ? world.board.add(PANEL) : undefined;
      await world.minutes(2);
      await again;
      assert.equal(world.messages.length, 1);
      assert.equal(world.removed.length, isWantedAgain ? 0 : 1);
      assert.equal(world.texts.size, isWantedAgain ? 1 : 0);
    }
  });

  test("that is removed while a new message is to take its place goes with both", async () => {
    const world = await standing();
    refusing(world, "edit", "edit-limit");
    world.discord.answer = () => world.clock.sleep(MINUTE_MS);
    for (let n = 0; n < 60 && world.messages.length < 2; n++) await world.minutes(1, 13 + n);
    assert.equal(await world.board.remove(PANEL), true);
    await world.minutes(3);
    assert.deepEqual(world.removed.toSorted(), world.messages.map(({ messageId }) => messageId).toSorted());
    assert.equal(world.removed.length, 2);
    assert.equal(world.texts.size, 0);
  });

  test("whose channel is deleted while its post waits is refused, and nothing is kept of it", async () => {
    const world = await standing();
    world.isAway = true;
    const adding = added(world, { ...PANEL, channelId: "d" });
    await world.clock.advance(MINUTE_MS);
    assert.equal(await adding, "follows");
    world.discord.fault = (_, channelId) => (channelId === "d" ? "gone" : undefined);
    await world.minutes(3);
    assert.equal(world.board.list("g").length, 1);
    assert.match(world.told[0]?.content ?? "", /panel in <#d> has stopped/);
  });

  test("whose replacement was under way when the process was killed is replaced once, and the old one goes", async () => {
    const world = await standing();
    const first = world.messages[0]?.messageId;
    await world.minutes(2);
    let sends = 0;
    let isKilled = false;
    world.discord.fault = (call) => {
      if (call === "edit") return "edit-limit";
      if (call !== "send") return undefined;
      sends += 1;
      return sends === 1 ? "lost" : isKilled ? undefined : "unknown";
    };
    for (let n = 0; n < 60 && sends === 0; n++) await world.minutes(1, 13);
    assert.equal(world.messages.length, 2);
    isKilled = true;
    world.discord.nonceMemoryMs = 0;
    await world.restart();
    world.discord.fault = () => undefined;
    await world.minutes(3, 14);
    assert.equal(world.messages.length, 2);
    assert.match(JSON.stringify(world.messages[1]?.body), /\*\*14\*\*/);
    assert.deepEqual(world.removed, [first]);
  });

  test("that the version before has written is taken up: one that stands, and one that may stand", async () => {
    const world = new PanelWorld();
    const footer = { cards: [{ footer: "Kept current by Marshal · mark1234" }] };
    const sent = await world.discord.send("c", { ...footer, nonce: "a" });
    await world.discord.send("d", { ...footer, nonce: "b" });
    const record = { ...PANEL, mark: "mark1234", goodAtMs: 0 };
    world.texts.set(
      "g:b:c",
      JSON.stringify({ ...record, nonce: "a", messageId: sent.messageId, body: footer }),
    );
    world.texts.set("g:b:d", JSON.stringify({ ...record, channelId: "d", nonce: "b" }));
    world.discord.nonceMemoryMs = 0;
    await world.board.start();
    await world.minutes(2, 17);
    for (const channelId of ["c", "d"]) {
      const messages = world.discord.messages(channelId);
      assert.equal(messages.length, 1);
      assert.match(JSON.stringify(messages[0]?.body), /\*\*17\*\*/);
    }
  });
});
