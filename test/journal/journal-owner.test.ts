import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JournalOwner, journalOf } from "../../src/domain/journal-id.ts";
import type { JoinEntry, SourceId } from "../../src/domain/model.ts";
import type { JournalWing } from "../../src/journal/create-journal.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { joined, withRig } from "../support/feeds-rig.ts";
import { journalTexts, memoryJournal } from "../support/memory-journal.ts";
import { snapshotWith } from "./compare/log-model.ts";

const server = "aa" as SourceId;
const list = "joinLogs";

function joins(count: number): JoinEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    kind: "join",
    atS: n + 1,
    player: { name: `p${n + 1}`, id: n + 1 },
    joined: true,
  }));
}

describe("a server that guilds of two processes link", () => {
  /** Processes on one store, each with the feed of one guild. */
  class Processes {
    readonly #texts = journalTexts();
    readonly #owner: JournalOwner;

    constructor(owner: JournalOwner) {
      this.#owner = owner;
    }

    of(guildId: string) {
      return { source: journalOf(this.#owner, server, guildId), list } as const;
    }

    begin(seed: number): JournalWing {
      return memoryJournal({
        followedOf: () => [],
        texts: this.#texts,
        random: seededRandom(seed),
        clock: new VirtualClock(),
      });
    }

    async first(seed: number, guildId: string): Promise<JournalWing> {
      const journal = this.begin(seed);
      journal.trimFromNow();
      await journal.attachAtHead("feed", this.of(guildId).source, list);
      return journal;
    }
  }

  /** What the second guild's feed reads, whose process is killed while the first goes on, once another serves it. */
  async function afterKill(owner: JournalOwner): Promise<readonly string[]> {
    const processes = new Processes(owner);
    const look = (count: number) => snapshotWith(list, joins(count), { source: server });
    const one = await processes.first(1, "guild-1");
    await one.take(look(1));
    const two = await processes.first(2, "guild-2");
    await two.take(look(2));
    await two.take(look(3));
    two.acknowledge("feed", 2);
    await one.take(look(4));
    await one.take(look(6));
    const heir = processes.begin(3);
    await heir.attach("feed", processes.of("guild-2"), 2);
    heir.trimFromNow();
    await heir.take(look(7));
    const items = await heir.read(processes.of("guild-2"), 2, 100);
    return items.map((item) =>
      item.kind === "entry" && item.entry.kind === "join" ? item.entry.player.name : item.kind,
    );
  }

  test("each guild's journal goes on where its own process was", async () => {
    assert.deepEqual(await afterKill("guild"), ["p4", "p5", "p6", "p7"]);
    assert.notDeepEqual(
      await afterKill("server"),
      ["p4", "p5", "p6", "p7"],
      "one journal for both would not",
    );
  });

  test("a guild whose feeds are removed leaves the other's journal alone", async () => {
    const processes = new Processes("guild");
    const one = await processes.first(1, "guild-1");
    const two = await processes.first(2, "guild-2");
    for (const journal of [one, two]) await journal.take(snapshotWith(list, joins(2), { source: server }));
    await one.detach("feed");
    const heir = processes.begin(3);
    await heir.attach("feed", processes.of("guild-2"), 1);
    await heir.take(snapshotWith(list, joins(4), { source: server }));
    assert.equal((await heir.read(processes.of("guild-2"), 1, 100)).length, 2);
  });
});

describe("the feeds of a store that goes from one process to several and back", () => {
  test("go on where they were: each entry once, and no gap", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      for (const [owner, missed, next] of [
        ["guild", "B", "C"],
        ["guild", "D", "E"],
        ["server", "F", "G"],
        ["server", "H", "I"],
        ["guild", "J", "K"],
      ] as const) {
        await rig.stop();
        rig.join(missed);
        rig.journalOwner = owner;
        await rig.restart();
        await rig.pollAndFlush();
        rig.join(next);
        await rig.pollAndFlush();
      }
      assert.deepEqual(joined(rig), [..."ABCDEFGHIJK"]);
    }));

  test("take a new key of their server along", () =>
    withRig(async (rig) => {
      rig.journalOwner = "guild";
      await rig.stop();
      await rig.restart();
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      const [from, to] = ["source-a", "source-b"] as SourceId[];
      rig.link("binding-1", "Town", to ?? assert.fail());
      await rig.wing.replaced(from ?? assert.fail());
      rig.join("B");
      await rig.poll(to);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig), ["A", "B"]);
    }));
});
