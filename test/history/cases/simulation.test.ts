import assert from "node:assert/strict";
import { test } from "node:test";
import { caseRenderer } from "../../../src/discord/render/players/watch-cards.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import { createCases } from "../../../src/history/cases/create-cases.ts";
import { storedCases, storedWatches } from "../../../src/history/cases/stored-cases.ts";
import { parseUnstoredCase } from "../../../src/history/cases/unstored-case.ts";
import type { HistoryDatabase } from "../../../src/history/database/open-database.ts";
import { openContext } from "../../../src/history/queries/context.ts";
import { namedQueries, type QueryName } from "../../../src/history/queries/named-queries.ts";
import { WhoWasThere } from "../../../src/history/who-was-there.ts";
import { readLogged } from "../../../src/runs/catalogue/read-logged.ts";
import { linkedServer } from "../../support/bindings.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { type JournalTexts, journalTexts, memoryJournal } from "../../support/memory-journal.ts";
import { noticesOf, outboxOver } from "../../support/outbox.ts";
import { WakeUp } from "../../support/wake-up.ts";
import { onBothDatabases } from "../databases.ts";
import { SOURCE, START_S, snapshotOf } from "../rig.ts";

const KILLED = "the process was killed here";
/** Rows of commands that the log shows at most. */
const WINDOW = 25;
const LOOKS = 80;
const MOST_LOOKS = 8 * LOOKS;
/** Rows of windows that a process lived through, or nothing was judged. */
const LEAST_SHOWN = 50;

interface Typed {
  readonly atS: number;
  readonly player: { readonly name: string; readonly id: number };
  readonly text: string;
  readonly isPunishment: boolean;
}

const keyOf = ({ atS, player, text }: Typed) => `${atS} ${player.id} ${text}`;

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Raises each count to that of `by`, where that is greater. */
function raise(counts: Map<string, number>, by: ReadonlyMap<string, number>): void {
  for (const [key, count] of by) counts.set(key, Math.max(count, counts.get(key) ?? 0));
}

/** What staff type in the game, now and then the same twice in a second. */
function typedIn(random: ReturnType<typeof seededRandom>, atS: number): readonly Typed[] {
  const below = (count: number) => Math.floor(random.next() * count);
  const chance = random.next();
  if (chance > 0.3) return [];
  const player = { name: `Staff${below(3)}`, id: 50 + below(3) };
  const whom = `Player${below(6)}`;
  const texts = [`:kick ${whom}`, `:ban ${whom} raid`, ":jail all", `:pm ${whom} hello`, ":log marshal 1"];
  const kind = below(texts.length);
  const one = { atS, player, text: texts[kind] ?? "", isPunishment: kind < 3 };
  return chance < 0.05 ? [one, one] : [one];
}

/** One process of the bot: the database outlives it. */
async function startProcess(database: HistoryDatabase, dieAt: () => boolean, texts: JournalTexts) {
  const context = await openContext(database, new Uint8Array(32));
  const clock = new VirtualClock();
  let isAlive = true;
  let underWay = 0;
  const idle = new WakeUp();
  const call = async (name: QueryName, args: never) => {
    // A process that was killed waits for ever.
    if (!isAlive) return await new Promise(() => undefined);
    const query: (context: never, args: never) => Promise<unknown> = namedQueries[name];
    underWay += 1;
    try {
      const diesBefore = dieAt();
      const answer = diesBefore ? undefined : await query(context as never, args);
      if (diesBefore || dieAt()) {
        isAlive = false;
        throw new Error(KILLED);
      }
      return answer;
    } finally {
      underWay -= 1;
      if (underWay === 0) idle.call();
    }
  };
  const binding = linkedServer({ source: SOURCE, linkedAtMs: START_S * 1_000 });
  const reported: string[] = [];
  const there = new WhoWasThere();
  const outbox = outboxOver(new FakeSink(clock), clock);
  const journal = memoryJournal({ clock, texts });
  const room = createCases({
    journal,
    store: storedCases(call as never, ({ atMs }) => Math.floor(atMs / 1_000)),
    watchStore: storedWatches(call as never),
    owed: noticesOf(outbox),
    hasReplay: async () => false,
    posts: outbox.posts,
    settings: { of: async () => DEFAULT_SETTINGS },
    bindings: { bySource: async () => [binding], list: async () => [binding] },
    accounts: { of: async () => undefined, ofPlayer: async () => undefined },
    there,
    notifier: { guild: async () => undefined },
    renderer: caseRenderer,
    read: readLogged,
    findPlayers: async () => [],
    audit: { get: async () => undefined },
    unstored: new MemoryDocuments(parseUnstoredCase),
    keeps: async () => true,
    isOurs: () => true,
    clock,
    random: seededRandom(1),
    onUnreadable: (watches) => assert.equal(watches, 0),
    report: (what, error) => {
      if (!(error instanceof Error && error.message === KILLED)) reported.push(what);
    },
  });
  return {
    reported,
    /** Whether the process lived through it. */
    async see(rows: readonly Typed[], nowS: number): Promise<boolean> {
      const players = Array.from({ length: 6 }, (_, n) => ({ name: `Player${n}`, id: 100 + n }));
      const commands = rows.map(({ player, text, atS }) => [player, text, atS] as const);
      const snapshot = snapshotOf({ commands, players }, nowS);
      there.see(snapshot);
      await journal.take(snapshot);
      room.take(snapshot);
      for (let quiet = 0; quiet < 5; ) {
        if (underWay > 0) await idle.next();
        await new Promise(setImmediate);
        quiet = underWay === 0 ? quiet + 1 : 0;
      }
      return isAlive;
    },
  };
}

onBothDatabases("cases of the game's log against the town's own record", (databases) => {
  for (const seed of [1, 2, 3, 4]) {
    test(`evening ${seed}: none is missing, none is there twice, wherever the process is killed`, async () => {
      const database = await databases.open();
      const random = seededRandom(seed);
      const texts = journalTexts();
      let deaths = 0;
      const dieAt = () => {
        const dies = random.next() < 0.02;
        if (dies) deaths += 1;
        return dies;
      };
      let bot = await startProcess(database, dieAt, texts);
      const record: Typed[] = [];
      const older: (readonly Typed[])[] = [];
      /** Of each row, the most that stood in one window: of those that a process lived through, and of all. */
      const shown = new Map<string, number>();
      const given = new Map<string, number>();
      let nowS = START_S;
      // On PostgreSQL a busy machine decides as well when the process dies, so how much it lives through.
      for (let look = 0, isLast = false; !isLast; look += 1) {
        const untilS = nowS + 5 + Math.floor(random.next() * 25);
        for (; nowS < untilS; nowS += 1) record.push(...typedIn(random, nowS));
        const now = record.slice(-WINDOW);
        older.push(now);
        // An answer of before is served again now and then; a restart may come at any time.
        const chance = random.next();
        const window = chance < 0.1 ? (older.at(-2) ?? now) : now;
        isLast = look >= MOST_LOOKS || (look >= LOOKS && shown.size > LEAST_SHOWN);
        if (chance > 0.95 || isLast) bot = await startProcess(database, isLast ? () => false : dieAt, texts);
        const rowsOfWindow = counted(window.filter(({ isPunishment }) => isPunishment).map(keyOf));
        raise(given, rowsOfWindow);
        if (await bot.see(chance < 0.5 ? window : window.toReversed(), nowS)) raise(shown, rowsOfWindow);
        else bot = await startProcess(database, dieAt, texts);
        assert.deepEqual(bot.reported, []);
      }
      assert.ok(deaths > 0);
      const rows = await database.db
        .selectFrom("cases")
        .select(["number", "body"])
        .orderBy("number")
        .execute();
      const cases = rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      const stored = counted(
        cases.map(({ atMs, author, command }) => {
          const { playerId } = author as { readonly playerId: number };
          return `${Number(atMs) / 1_000} ${playerId} ${String(command)}`;
        }),
      );
      const real = counted(record.filter(({ isPunishment }) => isPunishment).map(keyOf));
      for (const [key, count] of stored) assert.ok(count <= (real.get(key) ?? 0), `${key}: ${count} times`);
      // Who was killed may have stored its window before, of which a later one shows less.
      for (const [key, count] of stored) assert.ok(count <= (given.get(key) ?? 0), `${key}: ${count} times`);
      for (const [key, count] of shown) assert.ok((stored.get(key) ?? 0) >= count, `${key} was shown`);
      // Numbers follow each other, whatever was killed between.
      assert.deepEqual(
        rows.map(({ number }) => number),
        rows.map((_, index) => index + 1),
      );
      assert.ok(shown.size > LEAST_SHOWN);
    });
  }
});
