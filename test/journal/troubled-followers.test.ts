import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { journalOf } from "../../src/domain/journal-id.ts";
import type { CommandEntry, SourceId } from "../../src/domain/model.ts";
import type { FollowerStart, JournalReader } from "../../src/domain/ports/journal.ts";
import type { JournalWing } from "../../src/journal/create-journal.ts";
import { VirtualClock } from "../support/clock.ts";
import { type JournalTexts, journalTexts, memoryJournal } from "../support/memory-journal.ts";
import { RowTexts } from "../support/memory-rows.ts";
import { snapshotWith } from "./compare/log-model.ts";

const START_S = 1_800_000_000;
const row = (n: number): CommandEntry => ({
  kind: "command",
  atS: START_S + n,
  player: { name: "Ann", id: 1 },
  text: `:h ${n}`,
});
const rows = (count: number, first = 1): readonly CommandEntry[] =>
  Array.from({ length: count }, (_, at) => row(first + at));

/** What a follower did, in order; it throws where it is told to, before it does anything with what it was given. */
class Follower {
  readonly did: string[] = [];
  throwsOn: (text: string) => boolean = () => false;
  reader: JournalReader;

  constructor(journal: JournalWing, name: string, start: FollowerStart = "head") {
    this.reader = journal.reader(name, start);
  }

  async take(look: ReturnType<typeof snapshotWith>): Promise<void> {
    for (const { items, done, failed } of await this.reader.unread(look)) {
      const texts = items.map((item) =>
        item.kind === "entry" && item.entry.kind === "command" ? item.entry.text : item.kind,
      );
      if (texts.some((text) => this.throwsOn(text))) {
        failed(new Error("it does not work"));
        continue;
      }
      // What it does is the same when it is done twice.
      this.did.push(...texts.filter((text) => !this.did.includes(text)));
      done();
    }
  }
}

/** A journal with two followers; each look comes a while after the one before. */
class Rig {
  readonly clock = new VirtualClock();
  readonly texts = journalTexts();
  readonly warnings: string[] = [];
  journal!: JournalWing;
  troubled!: Follower;
  other!: Follower;
  #looks = 0;

  constructor() {
    this.begin();
  }

  begin(texts: JournalTexts = this.texts): void {
    const warn = (message: string) => void this.warnings.push(message);
    this.journal = memoryJournal({ clock: this.clock, texts, warn });
    this.troubled = new Follower(this.journal, "troubled");
    this.other = new Follower(this.journal, "other");
  }

  async look(shown: readonly CommandEntry[]): Promise<void> {
    const look = snapshotWith("commandLogs", shown, { atMs: (START_S + ++this.#looks * 10) * 1_000 });
    await this.journal.take(look);
    for (const follower of [this.troubled, this.other]) await follower.take(look);
  }
}

const texts = (count: number, first = 1) => rows(count, first).map(({ text }) => text);

describe("a follower in trouble", () => {
  test("that fails for an hour has all of it afterwards, once and in order; the other notices nothing", async () => {
    const rig = new Rig();
    await rig.look([]);
    rig.troubled.throwsOn = () => true;
    for (let n = 1; n <= 360; n++) {
      await rig.look(rows(n).slice(-50));
      assert.equal(rig.other.did.length, n);
    }
    assert.equal((await rig.journal.state()).unread.troubled, 360);
    rig.troubled.throwsOn = () => false;
    for (let n = 0; n < 12; n++) await rig.look(rows(360).slice(-50));
    assert.deepEqual(rig.troubled.did, texts(360));
    assert.deepEqual(await rig.journal.state(), {
      unread: { troubled: 0, other: 0 },
      setAside: { troubled: 0, other: 0 },
    });
  });

  test("that has dealt with nothing for a day gets what came in the last day, and a gap for what came before", async () => {
    const rig = new Rig();
    await rig.look([]);
    rig.troubled.throwsOn = () => true;
    for (let hour = 0; hour < 40; hour++) {
      await rig.clock.advance(3_600_000);
      await rig.look(rows(5 * hour + 5).slice(-50));
    }
    rig.troubled.throwsOn = () => false;
    for (let n = 0; n < 12; n++) await rig.look(rows(200).slice(-50));
    assert.equal(rig.troubled.did[0], "gap");
    const count = rig.troubled.did.length - 1;
    assert.ok(count >= 24 * 5 && count < 33 * 5, String(count));
    assert.deepEqual(rig.troubled.did.slice(1), texts(count, 201 - count));
    assert.deepEqual(rig.other.did, texts(200));
  });

  test("that makes cases has all of two days, however old it is", async () => {
    const rig = new Rig();
    rig.troubled = new Follower(rig.journal, "cases");
    await rig.look([]);
    rig.troubled.throwsOn = () => true;
    for (let hour = 0; hour < 48; hour++) {
      await rig.clock.advance(3_600_000);
      await rig.look(rows(5 * hour + 5).slice(-50));
    }
    rig.troubled.throwsOn = () => false;
    for (let n = 0; n < 12; n++) await rig.look(rows(240).slice(-50));
    assert.deepEqual(rig.troubled.did, texts(240));
  });

  test("that fails on one event for good goes on without it, which is counted and told", async () => {
    const rig = new Rig();
    await rig.look([]);
    rig.troubled.throwsOn = (text) => text === ":h 3";
    for (let n = 1; n <= 20; n++) await rig.look(rows(n));
    const all = texts(20);
    assert.deepEqual(rig.troubled.did.toSorted(), all.filter((text) => text !== ":h 3").toSorted());
    assert.deepEqual(rig.other.did, all);
    assert.deepEqual((await rig.journal.state()).setAside, { troubled: 1, other: 0 });
    assert.match(rig.warnings.join(), /troubled failed again and again on one event of commandLogs/);
  });

  test("that fails on the only event there is keeps it until another one shows what it hangs on", async () => {
    const rig = new Rig();
    await rig.look([]);
    rig.troubled.throwsOn = () => true;
    for (let n = 0; n < 30; n++) await rig.look(rows(1));
    assert.equal((await rig.journal.state()).unread.troubled, 1);
    rig.troubled.throwsOn = () => false;
    await rig.look(rows(1));
    assert.deepEqual(rig.troubled.did, texts(1));
  });
});

describe("followers and what may happen to their journals", () => {
  test("one that begins late begins with what comes then, whatever the others have", async () => {
    const rig = new Rig();
    await rig.look([]);
    await rig.look(rows(40));
    const late = new Follower(rig.journal, "late");
    const look = snapshotWith("commandLogs", rows(42), { atMs: (START_S + 1_000) * 1_000 });
    await rig.journal.take(look);
    await late.take(look);
    assert.deepEqual(late.did, texts(2, 41));
  });

  test("10,000 rows in one look are read in order, in parts", async () => {
    const rig = new Rig();
    await rig.look([]);
    for (let n = 0; n < 8; n++) await rig.look(rows(10_000));
    assert.equal(rig.other.did[0], "gap", "the log was empty before");
    assert.deepEqual(rig.other.did.slice(1), texts(10_000));
  });

  test("two takeovers within one look leave each event done, and none of it lost", async () => {
    const rig = new Rig();
    await rig.look(rows(3));
    await rig.look(rows(5));
    const did = new Set(rig.other.did);
    const look = snapshotWith("commandLogs", rows(9), { atMs: (START_S + 500) * 1_000 });
    for (let process = 0; process < 3; process++) {
      rig.begin();
      await rig.journal.take(look);
      // The first two are killed when half of it is done.
      if (process === 2) await rig.other.take(look);
      else for (const { items } of await rig.other.reader.unread(look)) did.add(String(items.length));
    }
    for (const text of rig.other.did) did.add(text);
    for (const text of texts(6, 4)) assert.ok(did.has(text), text);
  });

  test("a journal set back behind what a follower wrote elsewhere brings again what it lacks, and loses nothing", async () => {
    const poll = fc.record({
      news: fc.nat(3),
      deals: fc.boolean(),
      cut: fc.nat(9).map((n) => n === 0),
      back: fc.nat(6),
    });
    const away = (news: number) => ({ news, deals: false, cut: false, back: 0 });
    const there = (news: number) => ({ news, deals: true, cut: false, back: 0 });
    await fc.assert(
      fc.asyncProperty(fc.array(poll, { maxLength: 40 }), async (polls) => {
        const rig = new Rig();
        /** The follower's own database, which no power cut of the journal's machine sets back. */
        const effects = new Set<string>();
        const states: JournalTexts[] = [];
        let count = 0;
        await rig.look([]);
        for (const { news, deals, cut, back } of polls) {
          count += news;
          rig.other.throwsOn = () => !deals;
          await rig.look(rows(count));
          for (const text of rig.other.did.splice(0)) effects.add(text);
          states.push({
            heads: new Map(rig.texts.heads),
            chunks: new Map(),
            rows: new RowTexts(rig.texts.rows),
          });
          const before = states.at(-1 - back);
          if (!cut || before === undefined) continue;
          for (const name of ["heads", "rows"] as const) {
            rig.texts[name].clear();
            for (const [key, text] of before[name]) rig.texts[name].set(key, text);
          }
          rig.begin();
        }
        rig.other.throwsOn = () => false;
        for (let n = 0; n < 9; n++) await rig.look(rows(count));
        for (const text of rig.other.did) effects.add(text);
        assert.deepEqual([...effects].sort(), texts(count).sort());
      }),
      // The first: away for five looks, there for one, and away again when the event comes once more.
      {
        numRuns: 60,
        examples: [[[away(1), away(0), away(0), away(0), away(0), there(1), away(0), there(0)]]],
      },
    );
  });

  test("a second guild that links the server later has its own mark, and one that stays has all", async () => {
    const guilds = ["g1"];
    const journal = memoryJournal({
      clock: new VirtualClock(),
      followedOf: (source: SourceId) => guilds.map((guildId) => journalOf("guild", source, guildId)),
    });
    const follower = new Follower(journal, "one");
    const look = async (count: number) => {
      const shown = snapshotWith("commandLogs", rows(count), { atMs: (START_S + count * 10) * 1_000 });
      await journal.take(shown);
      await follower.take(shown);
      return follower.did.splice(0);
    };
    await look(1);
    assert.deepEqual(await look(2), texts(1, 2));
    guilds.push("g2");
    assert.deepEqual(await look(3), texts(1, 3));
    assert.deepEqual(await look(4), texts(1, 4));
    assert.equal((await journal.state()).unread.one, 0);
  });
});
