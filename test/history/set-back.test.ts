import assert from "node:assert/strict";
import { test } from "node:test";
import { documentsOf, rowsOf, writeTogetherOn } from "../../src/document-table.ts";
import type { PlayerRef } from "../../src/domain/model.ts";
import { VISIT } from "../../src/history/database/schema.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import { openStore } from "../../src/store/open-store.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { needsRedis } from "../support/redis-server.ts";
import { type SetBackStore, setBackRedis, setBackSqlite } from "../support/set-back-store.ts";
import { onBothDatabases } from "./databases.ts";
import { ann, bob, type HistoryRig, mod, openRig, START_S, type Town } from "./rig.ts";
import type { Databases } from "./tracked-databases.ts";

/** Rows of each log that an answer shows. */
const WINDOW = 30;
const EVERY_S = 10;
/** The journal loses no more, so that the log still shows all of it. */
const MOST_LOST_S = 50;
const people = [ann, bob, mod];

/** What truly happened, and what an answer shows of it. */
class TrueTown {
  readonly #random: ReturnType<typeof seededRandom>;
  readonly joins: [PlayerRef, number, boolean][] = [];
  readonly kills: [PlayerRef, PlayerRef, number][] = [];
  readonly commands: [PlayerRef, string, number][] = [];
  readonly modCalls: [PlayerRef, number, PlayerRef?][] = [];
  nowS = START_S;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }

  /** Ten seconds in which now and then the same happens twice within one of them. */
  goOn(): void {
    for (let second = 0; second < EVERY_S; second += 1) {
      this.nowS += 1;
      const [one = ann, other = bob] = [people[this.below(3)], people[this.below(3)]];
      const times = this.below(4) === 0 ? 2 : 1;
      for (let n = 0; n < times; n += 1) {
        if (this.below(5) === 0) this.kills.push([one, other, this.nowS]);
        if (this.below(5) === 0) this.commands.push([one, `:h ${this.below(2)}`, this.nowS]);
      }
      if (this.below(8) === 0) this.joins.push([one, this.nowS, this.below(2) === 0]);
      if (this.below(15) === 0) this.modCalls.push([one, this.nowS]);
    }
    // One that every answer of the next minutes still shows.
    const open = this.modCalls.slice(-WINDOW / 2).find((call) => call.length === 2);
    if (open !== undefined && this.below(3) === 0) open.push(mod);
  }

  shown(): Town {
    return {
      joins: this.joins.slice(-WINDOW),
      kills: this.kills.slice(-WINDOW),
      commands: this.commands.slice(-WINDOW),
      modCalls: this.modCalls.slice(-WINDOW),
      players: [ann, bob],
    };
  }
}

/** A process of the bot, as far as the journal and the history go: each has a database of its own. */
async function startProcess(databases: Databases, { url, disk }: { url: string; disk: SetBackStore }) {
  const store = await openStore(disk.url, { runsIn: "caller" });
  const journal: JournalWing = createJournal({
    heads: documentsOf(store, "journal-heads"),
    chunks: documentsOf(store, "journal-chunks"),
    rows: rowsOf(store, "journal-rows"),
    write: writeTogetherOn(store),
    followedOf: (source) => [source],
    clock: new VirtualClock(),
    random: seededRandom(5),
    warn: (message) => assert.fail(message),
  });
  journal.trimFromNow();
  return { store, rig: await openRig(databases, url, journal) };
}

/** How often each thing of each second stands in the history. */
async function recorded({ context: { db } }: HistoryRig) {
  const seen = await db
    .selectFrom("visits")
    .select(["at_s", "kind"])
    .where("kind", "in", [VISIT.joined, VISIT.left])
    .execute();
  const [kills, commands, calls] = [
    await db.selectFrom("kills").select("at_s").execute(),
    await db.selectFrom("commands").select(["at_s", "text"]).execute(),
    await db.selectFrom("mod_calls").select(["at_s", "moderator"]).execute(),
  ];
  return [
    ...seen.map(({ at_s, kind }) => `${at_s} ${kind === VISIT.joined ? "joined" : "left"}`),
    ...kills.map(({ at_s }) => `${at_s} killed`),
    ...commands.map(({ at_s, text }) => `${at_s} ${text}`),
    ...calls.map(({ at_s, moderator }) => `${at_s} called${moderator === null ? "" : ", answered"}`),
  ].sort();
}

function happened({ joins, kills, commands, modCalls }: TrueTown): readonly string[] {
  return [
    ...joins.map(([, atS, joined]) => `${atS} ${joined ? "joined" : "left"}`),
    ...kills.map(([, , atS]) => `${atS} killed`),
    ...commands.map(([, text, atS]) => `${atS} ${text}`),
    ...modCalls.map(([, atS, by]) => `${atS} called${by === undefined ? "" : ", answered"}`),
  ].sort();
}

const STORES = [
  ["sqlite", async () => setBackSqlite(), {}],
  ["Redis", setBackRedis, needsRedis()],
] as const;

onBothDatabases(
  "a journal that a power cut sets back behind the history, which has a database of its own",
  (databases) => {
    for (const [name, open, options] of STORES) {
      test(`${name}: what it derives again stands once, and nothing is missing`, options, async (t) => {
        const disk: SetBackStore = await open();
        const url = await databases.fresh();
        const town = new TrueTown(name.length);
        let bot = await startProcess(databases, { url, disk });
        t.after(async () => {
          await bot.store.close();
          await disk.close();
        });
        /** States of the store, each with the second of the last look that it knows. */
        let states: { readonly state: unknown; readonly atS: number }[] = [];
        let [cuts, lost] = [0, 0];
        for (let look = 0; look < 150; look += 1) {
          town.goOn();
          await bot.rig.see(town.shown(), town.nowS);
          states.push({ state: disk.state(), atS: town.nowS });
          if (town.below(3) > 0) continue;
          // What the log has dropped meanwhile would be a gap to the journal.
          const near = states.filter(
            ({ state, atS }) => state !== undefined && town.nowS - atS <= MOST_LOST_S,
          );
          const to = near[town.below(near.length)];
          if (to === undefined) continue;
          await bot.store.close();
          await disk.setBack(to.state);
          cuts += 1;
          lost += (town.nowS - to.atS) / EVERY_S;
          states = [to];
          bot = await startProcess(databases, { url, disk });
        }
        await bot.rig.see(town.shown(), town.nowS);
        assert.ok(cuts > 30 && lost > 50, `${cuts} cuts, ${lost} looks`);
        assert.deepEqual(await recorded(bot.rig), happened(town));
        assert.deepEqual(await bot.rig.context.db.selectFrom("gaps").selectAll().execute(), []);
      });
    }
  },
);
