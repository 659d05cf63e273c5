import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HistoryDatabase } from "../../src/history/database/open-database.ts";
import { Ingest } from "../../src/history/ingest/ingest.ts";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { openContext } from "../../src/history/queries/context.ts";
import { forget } from "../../src/history/queries/forget-player.ts";
import { take } from "../../src/history/queries/ingest.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { WakeUp } from "../support/wake-up.ts";
import { onBothDatabases } from "./databases.ts";
import { BINDING, GUILD, START_S, snapshotOf } from "./rig.ts";
import { SimulatedTown, type TownRow } from "./simulated-town.ts";

const KILLED = "the process was killed here";

/** One process of the bot: it has the database, and forgets everything else when it ends. */
async function startProcess(db: HistoryDatabase["db"], dieAt: () => boolean) {
  const opened = await openContext({ db }, new Uint8Array(32));
  const ingest = new Ingest(db, {
    markOf: (guildId, playerId) => opened.markOf(guildId, playerId),
    hashOf(text) {
      // Within the transaction, between two of its statements.
      if (dieAt()) throw new Error(KILLED);
      return opened.hashOf(text);
    },
  });
  const context = { ...opened, ingest };
  let presentS: number | undefined;
  const failures: unknown[] = [];
  const ended = new WakeUp();
  const recorder = new Recorder({
    clock: new VirtualClock(),
    random: { next: () => 0.5, id: () => "id" },
    presentS: () => presentS,
    linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    targetsOf: () => [],
    async store(answers) {
      const rows = await take(context, { answers: structuredClone(answers) });
      // After the commit, before anybody knows of it.
      if (dieAt()) throw new Error(KILLED);
      return rows;
    },
    onStored: () => ended.call(),
    onFailed(error) {
      failures.push(error);
      ended.call();
    },
    onDropped: () => ended.call(),
  });
  return {
    context,
    /** Whether the process lived through it. */
    async see(snapshot: ReturnType<typeof snapshotOf>): Promise<boolean> {
      if (snapshot.serviceAtMs !== undefined) presentS = snapshot.serviceAtMs / 1_000;
      recorder.take(snapshot);
      while (recorder.queued > 0 && failures.length === 0) await ended.next();
      for (const error of failures)
        assert.ok(error instanceof Error && error.message === KILLED, String(error));
      return failures.length === 0;
    },
  };
}

interface Seen {
  readonly rows: readonly TownRow[];
}

const identity = ({ log, atS, people, text, joined }: TownRow) =>
  `${log} ${atS} ${people.map(({ id }) => id).join(" ")} ${text ?? ""} ${joined ?? ""}`;

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** An evening, then what is stored against the town's own record. Answers what happened on the way. */
async function evening({ db }: HistoryDatabase, seed: number) {
  const random = seededRandom(seed);
  const town = new SimulatedTown(random);
  let deaths = 0;
  const dieAt = () => {
    const dies = random.next() < 0.01;
    if (dies) deaths += 1;
    return dies;
  };
  let bot = await startProcess(db, dieAt);
  let clockStepS = 0;
  const processed: Seen[] = [];
  const older: ReturnType<SimulatedTown["shown"]>[] = [];
  const forgotten = new Map<number, number>();
  let outages = 0;
  let nowS = START_S;

  for (let look = 0; look < 120; look += 1) {
    const isOutage = random.next() < 0.03;
    if (isOutage) outages += 1;
    const untilS = nowS + (isOutage ? 600 : 5 + Math.floor(random.next() * 25));
    for (; nowS < untilS; nowS += 1) town.second(nowS);
    const now = town.shown();
    older.push(now);
    const chance = random.next();
    if (chance < 0.03) clockStepS = Math.floor((random.next() - 0.5) * 4e8);
    if (chance > 0.97) bot = await startProcess(db, dieAt);
    // An answer of before is served again now and then.
    const shown = chance > 0.1 && chance < 0.2 ? (older.at(-2) ?? now) : now;
    const snapshot = snapshotOf(shown.town, nowS);
    const told = random.next() < 0.8 ? { serviceAtMs: nowS * 1_000 } : { serviceAtMs: undefined };
    const answer = { ...snapshot, takenAtMs: (nowS + clockStepS) * 1_000, ...told };
    if (await bot.see(answer)) processed.push({ rows: shown.rows });
    else bot = await startProcess(db, dieAt);
    if (chance > 0.5 && chance < 0.515) {
      const who = town.people[Math.floor(random.next() * town.people.length)];
      if (who !== undefined && (await forget(bot.context, { guildId: GUILD, playerId: who.id, nowS }))) {
        forgotten.set(who.id, nowS);
      }
    }
  }
  // A last look that nothing disturbs.
  bot = await startProcess(db, () => false);
  const last = town.shown();
  assert.ok(await bot.see(snapshotOf(last.town, nowS)));
  processed.push({ rows: last.rows });
  return { town, processed, forgotten, deaths, outages };
}

async function storedRows({ db }: HistoryDatabase): Promise<readonly string[]> {
  const ids = new Map(
    (await db.selectFrom("persons").select(["id", "player_id"]).execute()).map((row) => [
      row.id,
      row.player_id,
    ]),
  );
  const id = (person: number) => ids.get(person) ?? "nobody";
  const visits = await db.selectFrom("visits").selectAll().where("kind", "in", [0, 1]).execute();
  const kills = await db.selectFrom("kills").selectAll().execute();
  const commands = await db.selectFrom("commands").selectAll().execute();
  const calls = await db.selectFrom("mod_calls").selectAll().execute();
  return [
    ...visits.map((row) => `joins ${row.at_s} ${id(row.person)}  ${row.kind === 1}`),
    ...kills.map((row) => `kills ${row.at_s} ${id(row.killer)} ${id(row.killed)}  `),
    ...commands.map((row) => `commands ${row.at_s} ${id(row.person)} ${row.text} `),
    ...calls.map((row) => `modCalls ${row.at_s} ${id(row.caller)}  `),
  ];
}

onBothDatabases("the history against the town's own record, exactly", (databases) => {
  const seeds = databases.fresh().startsWith("sqlite") ? [1, 2, 3, 4, 5, 6, 7, 8] : [9];
  let unseen = 0;
  after(() => assert.ok(unseen > 0, "in none of the evenings a row scrolled out unseen"));
  for (const seed of seeds) {
    test(`evening ${seed}: killed at any point, old answers, clock steps, players who are forgotten`, async () => {
      const database = await databases.open();
      const { town, processed, forgotten, deaths, outages } = await evening(database, seed);
      assert.ok(deaths > 0);
      const isForgotten = ({ people, atS }: TownRow) =>
        people.some(({ id }) => atS <= (forgotten.get(id) ?? 0));
      const kept = town.rows.filter((row) => !isForgotten(row));
      const real = countsOf(kept.map(identity));
      const stored = countsOf(await storedRows(database));

      // Nothing is there that did not happen, or more often than it happened, or of somebody who was forgotten.
      for (const [key, count] of stored) assert.ok(count <= (real.get(key) ?? 0), `${key}: ${count}`);

      // Whatever any answer showed is there.
      const shown = new Map<string, number>();
      for (const { rows } of processed) {
        for (const [key, count] of countsOf(rows.filter((row) => !isForgotten(row)).map(identity))) {
          shown.set(key, Math.max(count, shown.get(key) ?? 0));
        }
      }
      for (const [key, count] of shown)
        assert.equal(stored.get(key), count, `${key} was shown and is not stored`);

      // What no answer showed lies in an interval that is told.
      const gaps = await database.db.selectFrom("gaps").selectAll().execute();
      const firstS = new Map<string, number>();
      for (const { log, atS } of processed[0]?.rows ?? [])
        firstS.set(log, Math.min(atS, firstS.get(log) ?? atS));
      let missing = 0;
      for (const row of kept) {
        if ((stored.get(identity(row)) ?? 0) >= (real.get(identity(row)) ?? 0)) continue;
        if (row.atS <= (firstS.get(row.log) ?? START_S)) continue;
        missing += 1;
        const isTold = gaps.some(
          ({ log, from_s, to_s }) => log === row.log && from_s <= row.atS && row.atS <= to_s,
        );
        assert.ok(isTold, `${identity(row)} is missing, and no interval says so`);
      }
      if (outages === 0) assert.equal(missing, 0);
      unseen += missing;
    });
  }
});
