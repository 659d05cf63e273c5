import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HistoryDatabase } from "../../src/history/database/open-database.ts";
import { Ingest } from "../../src/history/ingest/ingest.ts";
import { Recorder } from "../../src/history/ingest/recorder.ts";
import { openContext } from "../../src/history/queries/context.ts";
import { forget } from "../../src/history/queries/forget-player.ts";
import { take } from "../../src/history/queries/ingest.ts";
import { readSessions } from "../../src/history/queries/player-sessions.ts";
import { personOf, scopesOf } from "../../src/history/queries/scopes.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { type JournalTexts, journalTexts, memoryJournal } from "../support/memory-journal.ts";
import { WakeUp } from "../support/wake-up.ts";
import { onBothDatabases } from "./databases.ts";
import { BINDING, GUILD, START_S, snapshotOf } from "./rig.ts";
import { SimulatedTown, type TownRow } from "./simulated-town.ts";
import { acrossGaps, asTold, contradiction, realSessions } from "./town-sessions.ts";

const KILLED = "the process was killed here";

/** One process of the bot: it has the database, and forgets everything else when it ends. */
async function startProcess(db: HistoryDatabase["db"], dieAt: () => boolean, texts: JournalTexts) {
  const clock = new VirtualClock();
  const journal = memoryJournal({ clock, texts });
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
  let nowS: number | undefined;
  let lookS: number | undefined;
  const failures: unknown[] = [];
  const ended = new WakeUp();
  const recorder = new Recorder({
    clock,
    journal: journal.reader("history", "window"),
    random: { next: () => 0.5, id: () => "id" },
    servers: () => 1,
    presentS: () => nowS,
    linksOf: () => [{ guildId: GUILD, bindingId: BINDING, linkedAtS: START_S }],
    tracks: () => false,
    hitBy: () => [],
    callsOnCards: () => [],
    accountOf: async () => undefined,
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
    async see(snapshot: ReturnType<typeof snapshotOf>, atS: number): Promise<boolean> {
      // Once an answer has told the time, it goes on by itself.
      if (snapshot.serviceAtMs !== undefined || nowS !== undefined) nowS = atS;
      await clock.advance((atS - (lookS ?? atS)) * 1_000);
      lookS = atS;
      await journal.take(snapshot);
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

const BLANKED = ":log [forgotten] ";
const identity = ({ log, atS, people, text, joined }: TownRow) =>
  `${log} ${atS} ${people.map(({ id }) => id).join(" ")} ${text ?? ""} ${joined ?? ""}`;

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

interface Evening {
  readonly seed: number;
  /** Somebody looks all the time, and is not killed. */
  readonly isCalm: boolean;
}

/** An evening, then what is stored against the town's own record. Answers what happened on the way. */
async function evening({ db }: HistoryDatabase, { seed, isCalm }: Evening) {
  const random = seededRandom(seed);
  const town = new SimulatedTown(random);
  let deaths = 0;
  const dieAt = () => {
    const dies = random.next() < 0.01 && !isCalm;
    if (dies) deaths += 1;
    return dies;
  };
  const texts = journalTexts();
  let bot = await startProcess(db, dieAt, texts);
  let clockStepS = 0;
  const processed: Seen[] = [];
  const older: (ReturnType<SimulatedTown["shown"]> & { readonly atS: number })[] = [];
  const servedAgain = new Map<number, number>();
  const forgotten = new Map<number, number>();
  let outages = 0;
  let nowS = START_S;

  for (let look = 0; look < 120; look += 1) {
    const isOutage = random.next() < 0.03 && !isCalm;
    if (isOutage) outages += 1;
    const untilS = nowS + (isOutage ? 600 : 5 + Math.floor(random.next() * 25));
    for (; nowS < untilS; nowS += 1) town.second(nowS);
    const now = { ...town.shown(), atS: nowS };
    older.push(now);
    const chance = random.next();
    if (chance < 0.03) clockStepS = Math.floor((random.next() - 0.5) * 4e8);
    if (chance > 0.97) bot = await startProcess(db, dieAt, texts);
    // An answer of before is served again now and then.
    const shown = chance > 0.1 && chance < 0.2 ? (older.at(-2) ?? now) : now;
    if (shown !== now) servedAgain.set(nowS, shown.atS);
    const snapshot = snapshotOf(shown.town, nowS);
    const told = random.next() < 0.8 ? { serviceAtMs: nowS * 1_000 } : { serviceAtMs: undefined };
    const answer = { ...snapshot, takenAtMs: (nowS + clockStepS) * 1_000, ...told };
    if (await bot.see(answer, nowS)) processed.push({ rows: shown.rows });
    else bot = await startProcess(db, dieAt, texts);
    if (chance > 0.5 && chance < 0.515) {
      const who = town.people[Math.floor(random.next() * town.people.length)];
      if (who !== undefined && (await forget(bot.context, { guildId: GUILD, playerId: who.id, nowS }))) {
        forgotten.set(who.id, nowS);
      }
    }
  }
  // A last look that nothing disturbs.
  bot = await startProcess(db, () => false, texts);
  const last = town.shown();
  assert.ok(await bot.see(snapshotOf(last.town, nowS), nowS));
  processed.push({ rows: last.rows });
  // Who is there or gone without a row of the log is believed when two lists agree.
  assert.ok(await bot.see(snapshotOf(town.shown().town, nowS + 1), nowS + 1));
  return { town, processed, forgotten, deaths, outages, servedAgain, context: bot.context };
}

const answersIn = (rows: readonly TownRow[], isForgotten: (row: TownRow) => boolean) =>
  countsOf(
    rows.flatMap(({ moderator, ...row }) => {
      const people = [...row.people, ...(moderator === undefined ? [] : [moderator])];
      const isKept = moderator !== undefined && !isForgotten({ ...row, people });
      return isKept ? `${row.atS} ${row.people[0]?.id} answered by ${moderator.id}` : [];
    }),
  );

async function storedAnswers({ db }: HistoryDatabase): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("mod_calls")
    .innerJoin("persons as caller", "caller.id", "mod_calls.caller")
    .innerJoin("persons as moderator", "moderator.id", "mod_calls.moderator")
    .select(["at_s", "caller.player_id as by", "moderator.player_id as answered"])
    .execute();
  return countsOf(rows.map(({ at_s, by, answered }) => `${at_s} ${by} answered by ${answered}`));
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
  const seeds = databases.kind === "sqlite" ? [1, 2, 3, 4, 5, 6, 7, 8] : [9, 11];
  let unseen = 0;
  let answered = 0;
  let whole = 0;
  let guessed = 0;
  after(() => {
    assert.ok(unseen > 0, "in none of the evenings a row scrolled out unseen");
    assert.ok(answered > 0 && whole > 0 && guessed > 0, `${answered} ${whole} ${guessed}`);
  });
  for (const seed of seeds) {
    test(`evening ${seed}: killed at any point, old answers, clock steps, players who are forgotten`, async () => {
      const database = await databases.open();
      const isCalm = seed % 3 === 0;
      const happened = await evening(database, { seed, isCalm });
      const { town, processed, forgotten, deaths, outages, servedAgain, context } = happened;
      assert.equal(deaths > 0, !isCalm);
      const isForgotten = ({ people, atS }: TownRow) =>
        people.some(({ id }) => atS <= (forgotten.get(id) ?? 0));
      const kept = town.rows.filter((row) => !isForgotten(row));
      // A command of somebody else that names who was forgotten is blanked where it was stored by then.
      const gone = town.people.filter(({ id }) => forgotten.has(id)).map(({ name }) => `:log ${name} `);
      const blank = (key: string) =>
        gone.some((said) => key.endsWith(said)) ? key.replace(/:log .*/, BLANKED) : key;
      const real = countsOf(kept.map(identity).map(blank));
      const stored = countsOf((await storedRows(database)).map(blank));

      // Nothing is there that did not happen, or more often than it happened, or of somebody who was forgotten.
      for (const [key, count] of stored) assert.ok(count <= (real.get(key) ?? 0), `${key}: ${count}`);

      // Whatever any answer showed is there. More of it may be: one that was stored right before a kill is not in `processed`.
      const shown = new Map<string, number>();
      for (const { rows } of processed) {
        for (const [key, count] of countsOf(
          rows
            .filter((row) => !isForgotten(row))
            .map(identity)
            .map(blank),
        )) {
          shown.set(key, Math.max(count, shown.get(key) ?? 0));
        }
      }
      for (const [key, count] of shown)
        assert.ok((stored.get(key) ?? 0) >= count, `${key} was shown and is not stored`);

      // Who answered a call: each that an answer showed, and nothing else.
      const answers = await storedAnswers(database);
      const realAnswers = answersIn(town.rows, isForgotten);
      for (const [key, count] of answers) assert.ok(count <= (realAnswers.get(key) ?? 0), `${key}: ${count}`);
      for (const { rows } of processed) {
        for (const [key, count] of answersIn(rows, isForgotten)) {
          assert.ok((answers.get(key) ?? 0) >= count, `${key} was shown and is not stored`);
        }
      }
      answered += answers.size;

      // Sessions: exact where each row of a player was seen, else true as far as they say something.
      const scopes = await scopesOf(context, GUILD);
      for (const { id } of town.people.filter((player) => !forgotten.has(player.id))) {
        const found = await personOf(context, GUILD, id);
        if (found === undefined) continue;
        const sessions = acrossGaps((await readSessions(context, scopes, found.person)).toReversed());
        const trueOnes = realSessions(town.rows, id);
        const own = town.rows.filter(({ log, people }) => log === "joins" && people[0]?.id === id);
        if (own.every((row) => stored.has(identity(row)))) {
          whole += 1;
          assert.deepEqual(
            sessions.map(({ bindingId: _, ...session }) => session),
            asTold(trueOnes),
          );
        }
        for (const session of sessions)
          assert.equal(contradiction(session, trueOnes, servedAgain), undefined, `player ${id}`);
        const isInside = sessions.at(-1)?.end === undefined && sessions.length > 0;
        assert.equal(isInside, trueOnes.at(-1)?.leaveS === undefined && trueOnes.length > 0, `player ${id}`);
        guessed += sessions.filter(({ start, end }) => !start.isSure || end?.isSure === false).length;
      }

      // What no answer showed lies in an interval that is told.
      const gaps = await database.db.selectFrom("gaps").selectAll().execute();
      const firstS = new Map<string, number>();
      for (const { log, atS } of processed[0]?.rows ?? [])
        firstS.set(log, Math.min(atS, firstS.get(log) ?? atS));
      let missing = 0;
      for (const row of kept) {
        const key = blank(identity(row));
        if ((stored.get(key) ?? 0) >= (real.get(key) ?? 0)) continue;
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
