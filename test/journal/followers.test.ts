import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { guildOf, type JournalOwner, journalOf } from "../../src/domain/journal-id.ts";
import type { CommandEntry, SourceId } from "../../src/domain/model.ts";
import type { FollowerStart, FollowerWants, Unread } from "../../src/domain/ports/journal.ts";
import type { JournalWing } from "../../src/journal/create-journal.ts";
import { VirtualClock } from "../support/clock.ts";
import { journalTexts, MemoryJournalStore, memoryJournal } from "../support/memory-journal.ts";
import { snapshotWith } from "./compare/log-model.ts";

const START_S = 1_800_000_000;
const row = (atS: number, text = ":h hi"): CommandEntry => ({
  kind: "command",
  atS: START_S + atS,
  player: { name: "Ann", id: 1 },
  text,
});

/** One follower over a journal whose store outlives it. */
class Rig {
  readonly clock = new VirtualClock();
  readonly texts = journalTexts();
  journal!: JournalWing;
  reader!: ReturnType<JournalWing["reader"]>;

  readonly #start: FollowerStart;

  constructor(start: FollowerStart = "head") {
    this.#start = start;
    this.begin();
  }

  begin(): void {
    this.journal = memoryJournal({ clock: this.clock, texts: this.texts });
    this.reader = this.journal.reader("one", this.#start);
    this.journal.trimFromNow();
  }

  async look(rows: readonly CommandEntry[]): Promise<readonly Unread[]> {
    const look = snapshotWith("commandLogs", rows);
    await this.journal.take(look);
    return await this.reader.unread(look);
  }
}

function said(unread: readonly Unread[]): readonly string[] {
  return unread.flatMap(({ items }) =>
    items.map((item) =>
      item.kind === "entry" && item.entry.kind === "command"
        ? `${item.entry.atS - START_S} ${item.entry.text} ${item.ordinal ?? 0}`
        : item.kind,
    ),
  );
}

describe("a follower of the journal", () => {
  test("reads nothing at first sight, then each row once, with its place among equal ones", async () => {
    const rig = new Rig();
    assert.deepEqual(said(await rig.look([row(1), row(1)])), []);
    const unread = await rig.look([row(1), row(1), row(1), row(2)]);
    assert.deepEqual(said(unread), ["1 :h hi 2", "2 :h hi 0"]);
    for (const { done } of unread) done();
    assert.deepEqual(said(await rig.look([row(2), row(1)])), []);
  });

  test("gets again what it did not deal with, also after a crash", async () => {
    const rig = new Rig();
    await rig.look([row(1)]);
    await rig.look([row(1), row(2)]);
    assert.deepEqual(said(await rig.look([row(1), row(2), row(3)])), ["2 :h hi 0", "3 :h hi 0"]);
    rig.begin();
    assert.deepEqual(said(await rig.look([row(1), row(2), row(3), row(4)])), [
      "2 :h hi 0",
      "3 :h hi 0",
      "4 :h hi 0",
    ]);
  });

  test("does not get again what it dealt with for good, whatever happens then", async () => {
    const rig = new Rig();
    await rig.look([row(1)]);
    for (const one of await rig.look([row(1), row(2)])) one.done();
    rig.begin();
    const again = await rig.look([row(1), row(2)]);
    assert.deepEqual(said(again), ["2 :h hi 0"]);
    for (const one of again) await one.doneForGood();
    rig.begin();
    assert.deepEqual(said(await rig.look([row(1), row(2), row(3)])), ["3 :h hi 0"]);
  });

  test("that reads windows reads the first as a whole, and misses nothing that comes meanwhile", async () => {
    const rig = new Rig("window");
    const first = snapshotWith("commandLogs", [row(1)]);
    await rig.journal.take(first);
    await rig.journal.take(snapshotWith("commandLogs", [row(1), row(2)]));
    const unread = await rig.reader.unread(first);
    assert.deepEqual(
      unread.map(({ isFirst }) => isFirst),
      [true],
    );
    for (const { done } of unread) done();
    assert.deepEqual(said(await rig.reader.unread(first)), ["2 :h hi 0"]);
  });

  test("that ends an earlier part after a later one does not get the later one again", async () => {
    const rig = new Rig();
    await rig.look([row(1)]);
    const earlier = await rig.look([row(1), row(2)]);
    const later = await rig.look([row(1), row(2), row(3)]);
    for (const { done } of [...later, ...earlier]) done();
    assert.deepEqual(said(await rig.look([row(1), row(2), row(3)])), []);
  });

  test("of a log that nobody asked for in an hour begins anew; of one of which the whole server was silent it goes on", async () => {
    const rig = new Rig();
    await rig.look([row(1)]);
    await rig.clock.advance(2 * 3_600_000);
    assert.deepEqual(said(await rig.look([row(1), row(2)])), ["2 :h hi 0"]);
    for (const { done } of await rig.reader.unread(snapshotWith("commandLogs", []))) done();
    await rig.journal.take(snapshotWith("killLogs", []));
    await rig.clock.advance(2 * 3_600_000);
    assert.deepEqual(said(await rig.look([row(1), row(2), row(3)])), []);
    assert.deepEqual(said(await rig.look([row(3), row(4)])), ["4 :h hi 0"]);
  });

  test("goes on where it was when the server gets a new key", async () => {
    const rig = new Rig();
    await rig.look([row(1)]);
    const [from, to] = [snapshotWith("commandLogs", []).source, "source-new" as SourceId];
    await rig.journal.replaced(from, to);
    const look = { ...snapshotWith("commandLogs", [row(1), row(2)]), source: to };
    await rig.journal.take(look);
    assert.deepEqual(said(await rig.reader.unread(look)), ["2 :h hi 0"]);
  });

  test("of what looks differ in goes on with a new key too, and begins anew where its server was linked again", async () => {
    const texts = journalTexts();
    const clock = new VirtualClock();
    const { source } = snapshotWith("commandLogs", []);
    let linked: readonly SourceId[] = [source];
    const journal = memoryJournal({ clock, texts, followedOf: (of) => linked.filter((one) => one === of) });
    const reader = journal.reader("one", "head", { states: () => ["teams"] });
    const teamsOf = async (of: SourceId, team: string) => {
      const seen = { ...snapshotWith("commandLogs", [], { source: of }), serviceAtMs: clock.nowMs() };
      const player = { player: { name: "Ann", id: 1 }, team, permission: "Normal", wantedStars: 0 };
      const look = { ...seen, lists: { players: [player] } };
      await journal.take(look);
      const unread = await reader.unread(look);
      for (const { done } of unread) done();
      return unread.flatMap(({ items }) =>
        items.flatMap((item) => (item.kind === "change" ? [item.entry.values.join(" to ")] : [])),
      );
    };
    await teamsOf(source, "Civilian");
    const to = "source-new" as SourceId;
    linked = [to];
    await journal.replaced(source, to);
    await journal.unlinked(source);
    assert.deepEqual(await teamsOf(to, "Police"), ["Civilian to Police"]);
    linked = [];
    await journal.unlinked(to);
    assert.deepEqual([...texts.heads.keys()], [], "of a server that nobody links nothing is kept");
    await clock.advance(30_000);
    linked = [to];
    assert.deepEqual(await teamsOf(to, "Sheriff"), [], "what was before is of another time");
  });

  test("where each guild has its own journal reads each guild's, and a guild that links later misses none of its own", async () => {
    const guilds = ["g1"];
    const journal = memoryJournal({
      clock: new VirtualClock(),
      followedOf: (source) => guilds.map((guildId) => journalOf("guild", source, guildId)),
    });
    const reader = journal.reader("one", "head");
    const look = async (rows: readonly CommandEntry[]) => {
      const snapshot = snapshotWith("commandLogs", rows);
      await journal.take(snapshot);
      const unread = await reader.unread(snapshot);
      for (const { done } of unread) done();
      return unread.map((one) => [guildOf(one.log.source), ...said([one])]);
    };
    await look([row(1)]);
    guilds.push("g2");
    assert.deepEqual(await look([row(1), row(2)]), [["g1", "2 :h hi 0"]]);
    assert.deepEqual(await look([row(1), row(2), row(3)]), [
      ["g1", "3 :h hi 0"],
      ["g2", "3 :h hi 0"],
    ]);
    guilds.shift();
    await journal.unlinked(snapshotWith("commandLogs", []).source);
    assert.deepEqual(await look([row(3), row(4)]), [["g2", "4 :h hi 0"]]);
  });

  test("is told whom the list shows and the one before did not, nobody of a list after a time without links", async () => {
    const { source } = snapshotWith("commandLogs", []);
    let isLinked = true;
    const journal = memoryJournal({
      clock: new VirtualClock(),
      followedOf: () => (isLinked ? [source] : []),
    });
    let atMs = START_S * 1_000;
    const arrived = (...ids: readonly number[]) => arrivedBeside(0, ids);
    const arrivedBeside = async (odd: number, ids: readonly number[]) => {
      atMs += 10_000;
      const players = ids.map((id) => ({
        ...{ player: { name: `P${id}`, id }, team: "", permission: "", wantedStars: 0 },
      }));
      const look = snapshotWith("commandLogs", [], { atMs });
      const skippedRows = odd === 0 ? {} : { players: odd };
      await journal.take({ ...look, lists: ids.length === 0 ? {} : { players }, skippedRows });
      return journal.arrived(look).map(({ id }) => id);
    };
    assert.deepEqual(await arrived(1, 2), [], "the first list");
    assert.deepEqual(await arrived(2, 3), [3]);
    assert.deepEqual(await arrived(), [], "a look without the list");
    assert.deepEqual(await arrived(1, 2, 3), [1]);
    assert.deepEqual(await arrivedBeside(1, [2, 3]), []);
    assert.deepEqual(await arrived(1, 2, 3), [], "whose row could not be read had not left");
    assert.deepEqual(await arrived(2, 3), []);
    assert.deepEqual(await arrived(1, 2, 3), [1]);
    isLinked = false;
    await journal.unlinked(source);
    isLinked = true;
    assert.deepEqual(await arrived(1, 4), []);
    assert.deepEqual(await arrived(4, 5), [5]);
  });

  test("holds nothing of logs that it does not read, whatever an earlier release has stored of it there", async (t) => {
    const clock = new VirtualClock();
    const texts = journalTexts();
    const begin = (wants: FollowerWants) => {
      const store = new MemoryJournalStore(texts);
      const { mock: stored } = t.mock.method(store.rows, "read");
      const journal = memoryJournal({ clock, store });
      const reader = journal.reader("proof", "head", wants);
      const other = journal.reader("history", "head");
      const look = async (list: "commandLogs" | "killLogs", count: number, from = 0) => {
        const all = Array.from({ length: count }, (_, at) => row(from + at, `:h ${from + at}`));
        const kills = all.map(({ atS, player }) => {
          return { kind: "kill" as const, atS, killer: player, killed: { name: "Bo", id: 2 } };
        });
        const shown = list === "killLogs" ? snapshotWith(list, kills) : snapshotWith(list, all);
        await journal.take(shown);
        for (const { done } of await other.unread(shown)) done();
        const before = stored.callCount();
        const unread = await reader.unread(shown);
        return { unread, reads: stored.callCount() - before };
      };
      return { journal, look };
    };
    // As every follower read every log.
    const before = begin({});
    await before.look("killLogs", 1);
    await before.look("killLogs", 400);

    const { journal, look } = begin({ logs: ["commandLogs"] });
    for (let from = 100; from < 1_000; from += 100) {
      const { unread, reads } = await look("killLogs", 400, from);
      assert.deepEqual([unread.length, reads], [0, 0], "nothing is read for it");
    }
    assert.equal((await journal.state()).unread.proof, 0, "nor counted");
    await look("commandLogs", 1);
    const news = await look("commandLogs", 2);
    assert.deepEqual(said(news.unread), ["1 :h 1 0"]);
  });

  test("leaves what it has read stored for a rewind where that is on a disk, and nothing of it in Redis", async () => {
    const rowsAfter = async (owner: JournalOwner) => {
      const texts = journalTexts();
      const followedOf = (source: SourceId) => [journalOf(owner, source, "g1")];
      const journal = memoryJournal({ clock: new VirtualClock(), texts, followedOf });
      const reader = journal.reader("one", "head");
      for (let n = 1; n <= 200; n++) {
        const look = snapshotWith("commandLogs", Array.from({ length: n }, (_, at) => row(at)).slice(-50));
        await journal.take(look);
        for (const { done } of await reader.unread(look)) done();
      }
      return texts.rows.size;
    };
    assert.ok((await rowsAfter("server")) >= 199);
    // Rows go when the head is written, which is after some dozens.
    assert.ok((await rowsAfter("guild")) <= 40);
  });

  test("reads each row of any log once, whatever windows show, fails and dies in between", async () => {
    const step = fc.record({
      added: fc.array(fc.nat(3), { maxLength: 4 }),
      shown: fc.integer({ min: 3, max: 12 }),
      deals: fc.boolean(),
      dies: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const rig = new Rig();
        const log: CommandEntry[] = [row(0, "first")];
        await rig.look(log);
        const read = new Set<string>();
        let atS = 1;
        for (const { added, shown, deals, dies } of steps) {
          atS += 1;
          for (const text of added) log.push(row(atS, String(text)));
          if (dies) rig.begin();
          const unread = await rig.look(log.slice(-Math.max(shown, added.length + 1)));
          for (const what of said(unread)) if (what !== "gap") read.add(what);
          if (deals) for (const { done } of unread) done();
        }
        assert.equal(read.size, log.length - 1);
      }),
      { numRuns: 60 },
    );
  });
});
