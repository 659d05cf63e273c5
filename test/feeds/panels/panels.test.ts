import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { panelRenderer } from "../../../src/discord/render/server/panel.ts";
import { Failure, SinkRefusal } from "../../../src/domain/failure.ts";
import type { Binding } from "../../../src/domain/guild.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { Demand, ServerState, SourceId } from "../../../src/domain/model.ts";
import { PanelBoard } from "../../../src/feeds/panels/panel-board.ts";
import { parsePanel } from "../../../src/feeds/panels/panel-records.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { serverStatus } from "../../support/server-status.ts";

const MINUTE_MS = 60_000;
const SOURCE = "source" as SourceId;
const PANEL = { guildId: "g", bindingId: "b", channelId: "c", createdBy: "7" };

/** A Discord and a store that outlive the process; a process that can be started again. */
class PanelWorld {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(3);
  readonly discord = new FakeSink(this.clock);
  readonly texts = new Map<string, string>();
  readonly removed: string[] = [];
  readonly told: MessageBody[] = [];
  readonly demands = new Map<string, readonly Demand[]>();
  state: ServerState | undefined;
  isHalted = false;
  isLinked = true;
  board = this.#made();

  #made(): PanelBoard {
    const { clock, random, discord } = this;
    const binding = { id: "b", guildId: "g", source: SOURCE, name: "Town" } as Binding;
    return new PanelBoard({
      panels: new MemoryDocuments(parsePanel, this.texts),
      bindings: { list: async () => (this.isLinked ? [binding] : []) },
      snapshots: { latest: () => this.state },
      modCalls: { withoutResolved: (_, state) => state },
      demands: { put: (owner, demands) => void this.demands.set(owner, demands) },
      health: {
        halt: () => (this.isHalted ? { untilMs: 0, why: "blocked" } : undefined),
        parked: () => undefined,
      },
      sink: {
        send: (...given) => discord.send(...given),
        edit: (...given) => discord.edit(...given),
        readBack: (...given) => discord.readBack(...given),
        remove: async (_, messageId) => void this.removed.push(messageId),
      },
      renderer: panelRenderer,
      notifier: {
        person: async (_guild, _user, body) => {
          this.told.push(body);
          return "told";
        },
      },
      clock,
      random,
      warn: () => undefined,
    });
  }

  async restart(): Promise<void> {
    await this.board.stop();
    this.state = undefined;
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
    assert.equal(await world.board.add(PANEL), "stands");
    assert.equal(world.messages.length, 1);
  });

  test("is edited on a change alone, and at most once a minute", async () => {
    const world = await standing();
    await world.minutes(30);
    assert.equal(world.messages[0]?.edits, 0);
    for (let n = 0; n < 60; n++) {
      world.seen(n % 40);
      await world.clock.advance(MINUTE_MS / 6);
    }
    const edits = world.messages[0]?.edits ?? 0;
    assert.ok(edits >= 8 && edits <= 10, `${edits} edits in ten minutes`);
    assert.equal(world.messages.length, 1);
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

  test("says while the service is silent when its data was good, keeps them, and is current again afterwards", async () => {
    const world = await standing();
    const goodS = world.clock.nowMs() / 1_000;
    await world.clock.advance(20 * MINUTE_MS);
    const text = JSON.stringify(world.messages[0]?.body);
    assert.match(text, new RegExp(`Last good data from <t:${goodS}:f>`));
    assert.match(text, /\*\*12\*\* of \*\*40\*\*/);
    assert.equal(world.messages[0]?.edits, 1);
    await world.restart();
    await world.clock.advance(30 * MINUTE_MS);
    assert.match(JSON.stringify(world.messages[0]?.body), new RegExp(`good data from <t:${goodS}:f>`));
    await world.minutes(2);
    assert.doesNotMatch(JSON.stringify(world.messages[0]?.body.content ?? ""), /silent/);
  });

  test("says so sooner in a halt", async () => {
    const world = await standing();
    world.isHalted = true;
    await world.clock.advance(5 * MINUTE_MS);
    assert.match(world.messages[0]?.body.content ?? "", /silent/);
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

  test("whose channel is closed to us ends, and its maker gets a notice", async () => {
    const world = await standing();
    refusing(world, "edit", "no-access");
    await world.minutes(3, 13);
    assert.equal(world.texts.size, 0);
    assert.match(world.told[0]?.content ?? "", /panel in <#c> has stopped: Marshal may not post there/);
  });

  test("whose post got no answer is not posted twice", async () => {
    const world = await standing();
    refusing(world, "edit", "message-gone");
    let lost = 0;
    const { fault } = world.discord;
    world.discord.fault = (call, channel) =>
      call === "send" && lost++ === 0 ? "lost" : fault(call, channel);
    world.discord.nonceMemoryMs = 0;
    await world.minutes(6, 13);
    assert.equal(world.messages.length, 2);
  });

  test("whose replacement got no answer is not replaced twice", async () => {
    const world = await standing();
    const first = world.messages[0]?.messageId;
    await world.minutes(2);
    let lost = 0;
    world.discord.fault = (call) =>
      call === "edit" ? "edit-limit" : call === "send" && lost++ === 0 ? "lost" : undefined;
    world.discord.nonceMemoryMs = 0;
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
    await assert.rejects(world.board.add(PANEL), Failure);
    world.seen(1);
    refusing(world, "send", "no-access");
    await assert.rejects(world.board.add(PANEL), SinkRefusal);
    assert.equal(world.texts.size, 0);
    world.discord.fault = () => undefined;
    for (let n = 0; n < 10; n++) await world.board.add({ ...PANEL, channelId: `c${n}` });
    await assert.rejects(world.board.add(PANEL), /at most 10 panels/);
  });

  test("goes with its message when it is removed, and is forgotten with its server", async () => {
    const world = await standing();
    assert.equal(await world.board.remove(PANEL), true);
    assert.equal(world.removed.length, 1);
    assert.equal(await world.board.remove(PANEL), false);
    await world.board.add(PANEL);
    await world.board.drop({ guildId: "g", bindingId: "b" });
    assert.equal(world.texts.size, 0);
    assert.deepEqual([...world.demands.values()].flat(), []);
  });
});
