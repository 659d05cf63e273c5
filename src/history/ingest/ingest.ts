import type { Kysely, Transaction } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import type { Spot } from "../../domain/track.ts";
import { chunks } from "../database/chunks.ts";
import { isRefused } from "../database/database-errors.ts";
import type { HistoryTables } from "../database/schema.ts";
import { storeLookOf } from "../positions/store-positions.ts";
import type { Hashes } from "../queries/hashes.ts";
import { isInside, type Visit } from "../queries/sessions.ts";
import { storeCardAnswers } from "./card-answers.ts";
import { forgottenSince } from "./forgotten-since.ts";
import { type InferredVisit, lookAt, noteGap, noteVisits, setInside } from "./inferred-visits.ts";
import { createInserts } from "./inserts.ts";
import { type Book, People } from "./people.ts";
import {
  type Link,
  type LogRows,
  type RecordedAnswer,
  type StoredAnswers,
  sightingsOf,
  sumOf,
} from "./recorded-answer.ts";
import { type GuildState, openGuild, openScope, type ScopeState } from "./scope-state.ts";
import { eraseLater, isSetBack, notAhead, presentOf } from "./set-back.ts";
import { rowsIn, splitAnswer } from "./split-answer.ts";
import { storeFirstGaps, storeMissed } from "./store-gaps.ts";
import {
  type Place,
  type Stored,
  type StoredVisit,
  storeCommands,
  storeJoins,
  storeKills,
  storeModCalls,
} from "./store-logs.ts";
import {
  rankShown,
  storeCount,
  storeEmergencyCalls,
  storeLook,
  storePermissions,
  storeRoster,
} from "./store-players-and-calls.ts";

type Db = Transaction<HistoryTables>;

const DAY_S = 86_400;

/** Writes what answers of the service bring. Remembers what it last saw of each server; the database is what counts. */
export class Ingest {
  readonly #db: Kysely<HistoryTables>;
  readonly #hashes: Hashes;
  readonly #inserts = createInserts();
  readonly #people = new People(this.#inserts);
  readonly #guilds = new Map<string, GuildState>();
  readonly #scopes = new Map<string, ScopeState>();

  constructor(db: Kysely<HistoryTables>, hashes: Hashes) {
    this.#db = db;
    this.#hashes = hashes;
  }

  /**
   * Stores answers in their order, each for each guild, in one transaction: a page of the file that changes for many is
   * written once. What the database refuses is left out and counted. Rejects where it is away.
   */
  async takeAll(answers: readonly RecordedAnswer[]): Promise<StoredAnswers> {
    if (answers.length > 1) {
      try {
        return await this.#db.transaction().execute(async (db) => {
          let rows = 0;
          for (const answer of answers)
            for (const link of answer.links) rows += await this.#store(db, link, answer);
          return { rows, refused: 0 };
        });
      } catch (error) {
        this.forget();
        if (!isRefused(error)) throw error;
      }
    }
    const all: StoredAnswers[] = [];
    for (const answer of answers) all.push(await this.take(answer));
    return sumOf(all);
  }

  /** The same of one. */
  async take(answer: RecordedAnswer): Promise<StoredAnswers> {
    const all: StoredAnswers[] = [];
    for (const link of answer.links) all.push(await this.#storeOrSplit(link, answer));
    return sumOf(all);
  }

  /** In one transaction; what cannot be stored as a whole, in parts. */
  async #storeOrSplit(link: Link, answer: RecordedAnswer): Promise<StoredAnswers> {
    try {
      const rows = await this.#db.transaction().execute((db) => this.#store(db, link, answer));
      return { rows, refused: 0 };
    } catch (error) {
      // What was undone in the database is not undone in memory.
      this.forget();
      if (!isRefused(error)) throw error;
      const parts = splitAnswer(answer);
      if (parts.length === 0) return { rows: 0, refused: rowsIn(answer), why: String(error) };
      const all: StoredAnswers[] = [];
      for (const part of parts) all.push(await this.#storeOrSplit(link, part));
      return sumOf(all);
    }
  }

  /** Forgets what is remembered: something else changed the database. */
  forget(): void {
    this.#people.clear();
    this.#guilds.clear();
    this.#scopes.clear();
  }

  async #store(db: Db, link: Link, answer: RecordedAnswer): Promise<number> {
    const guild = await this.#guild(db, link.guildId);
    if (guild.retentionDays === 0) return 0;
    const state = await this.#scope(db, guild, link, answer);
    const forgotten = forgottenSince(guild.barriers, { ...this.#hashes, guildId: link.guildId });
    const barredUntilS = (playerId: number) => forgotten.untilS(playerId);
    const fromS = Math.max(state.startS, presentOf(answer) - guild.retentionDays * DAY_S);
    const cardAnswers = answer.cardAnswers?.filter(({ bindingId }) => bindingId === link.bindingId) ?? [];
    const takers = cardAnswers.flatMap(({ by, answeredS }) =>
      by === undefined ? [] : { ref: by, atS: answeredS },
    );
    const sightings = [...sightingsOf(answer), ...takers].filter(({ atS }) => atS >= fromS);
    const book = await this.#people.note(db, guild.id, sightings, barredUntilS);
    const aimed = answer.commands?.rows.flatMap(({ targets }) => targets) ?? [];
    await this.#people.recall(db, guild.id, aimed, barredUntilS);
    const place: Place = {
      db,
      scope: state.id,
      inserts: this.#inserts,
      book,
      fromS,
      callsLook: { atS: answer.atS, beforeS: state.callsLookS },
      hashOf: (text) => this.#hashes.hashOf(text),
      forgotten,
    };

    const { joins, kills, commands, modCalls } = answer;
    const visits = joins && (await storeJoins(place, joins));
    const killed = kills && (await storeKills(place, kills));
    const run = commands && (await storeCommands(place, commands));
    const called = modCalls && (await storeModCalls(place, modCalls));
    await storeCardAnswers(place, cardAnswers);
    if (answer.hasModCalls) state.callsLookS = answer.atS;
    await this.#noteLog(db, state, "joins", joins, visits);
    await this.#noteLog(db, state, "kills", kills, killed);
    await this.#noteLog(db, state, "commands", commands, run);
    await this.#noteLog(db, state, "modCalls", modCalls, called);

    if (visits !== undefined) await this.#noteVisits(db, state, visits.rows);
    await this.#look(db, { guild, state }, book, answer);
    await storeEmergencyCalls(place, state, answer);
    return [visits, killed, run, called].reduce((sum, stored) => sum + (stored?.rows.length ?? 0), 0);
  }

  /** Who is there, how many and of which rank. An answer that is older than what is stored says nothing of the present. */
  async #look(
    db: Db,
    { guild, state }: { readonly guild: GuildState; readonly state: ScopeState },
    book: Book,
    answer: RecordedAnswer,
  ): Promise<void> {
    const { players, atS } = answer;
    const newestS = state.newestS.get("joins");
    const isOld =
      (newestS !== undefined && (answer.newestJoinS ?? newestS) < newestS) ||
      atS < (state.presence.lastLookS ?? Number.NEGATIVE_INFINITY);
    if (players === undefined || isOld) return;
    const listed = new Map<number, string>();
    const ranks: string[] = [];
    const spots = new Map<number, Spot>();
    for (const { player, permission, spot } of players) {
      const person = book.numberOf(player, atS);
      const rank = rankShown(state, person, permission);
      ranks.push(rank);
      if (person === undefined) continue;
      listed.set(person, rank);
      if (spot !== undefined) spots.set(person, spot);
    }
    if (guild.positionsDays > 0 && atS >= state.startS) await storeLookOf(db, state.id, { atS, spots });
    await this.#infer(db, state, lookAt(state.presence, new Set(listed.keys()), atS));
    await storeLook(db, state, atS);
    await storePermissions(db, state, listed, atS);
    await storeCount(db, state, { ...answer, ranks });
    await storeRoster(db, state, [...listed.keys()], atS);
  }

  async #noteVisits(db: Db, state: ScopeState, rows: readonly StoredVisit[]): Promise<void> {
    const { unclear, missed } = noteVisits(state.presence, rows);
    await this.#infer(db, state, missed);
    if (unclear.length > 0) await readInside(db, state, unclear);
  }

  async #infer(db: Db, { id }: ScopeState, inferred: readonly InferredVisit[]): Promise<void> {
    if (inferred.length === 0) return;
    await this.#inserts.visits.run(
      db,
      inferred.map((row) => ({ scope: id, n: 0, ...row })),
    );
  }

  async #noteLog(
    db: Db,
    state: ScopeState,
    log: RecordedLog,
    window: LogRows<unknown> | undefined,
    stored: Stored<{ readonly at_s: number }> | undefined,
  ): Promise<void> {
    if (window === undefined || stored === undefined) return;
    for (const gap of window.gaps) {
      const { missed, oldestS, newestS } = gap;
      const isMissed =
        missed === undefined
          ? !stored.isShared && stored.rows.length > 0
          : stored.rows.some(({ at_s }) => at_s >= oldestS && at_s <= newestS);
      if (!isMissed) continue;
      if (missed === undefined) await storeFirstGaps(db, state, log, { ...gap, length: window.length });
      else await storeMissed(db, state, log, [{ ...missed, oldestS }]);
      if (log === "joins") noteGap(state.presence, oldestS);
    }
    await storeMissed(db, state, log, window.cleared);
    state.newestS.set(log, Math.max(state.newestS.get(log) ?? 0, window.newestS));
    state.longest.set(log, Math.max(state.longest.get(log) ?? 0, window.length));
  }

  async #guild(db: Db, guildId: string): Promise<GuildState> {
    const row = await db
      .selectFrom("guilds")
      .select(["id", "version"])
      .where("guild_id", "=", guildId)
      .executeTakeFirst();
    const known = this.#guilds.get(guildId);
    if (known !== undefined && row?.version === known.version && row.id === known.id) return known;
    if (known !== undefined) {
      this.#people.forgetGuild(known.id);
      for (const key of this.#scopes.keys()) {
        if (key.startsWith(`${guildId} `)) this.#scopes.delete(key);
      }
    }
    const guild = await openGuild(db, guildId);
    this.#guilds.set(guildId, guild);
    return guild;
  }

  async #scope(db: Db, guild: GuildState, link: Link, answer: RecordedAnswer): Promise<ScopeState> {
    const key = `${link.guildId} ${link.bindingId}`;
    const known = this.#scopes.get(key);
    const hasWrongTimes = known !== undefined && isSetBack(known.presence, answer);
    if (known !== undefined && !hasWrongTimes) return known;
    const { atS } = answer;
    if (known !== undefined) {
      await eraseLater(db, { guild: guild.id, scope: known.id, atS });
      this.#people.forgetGuild(guild.id);
    }
    const state = await openScope(db, guild, link, atS);
    if (hasWrongTimes) notAhead(state, atS);
    // After a restart the first answer is looked at too.
    else isSetBack(state.presence, answer);
    this.#scopes.set(key, state);
    return state;
  }
}

/** Who was inside, after rows that came out of order, is read from all rows of these persons. */
async function readInside(db: Db, { id, presence }: ScopeState, unclear: readonly number[]): Promise<void> {
  for (const some of chunks(unclear)) {
    const found = await db
      .selectFrom("visits")
      .select(["person", "at_s", "kind", "after_s"])
      .where("person", "in", some)
      .where("scope", "=", id)
      .orderBy("at_s")
      .execute();
    const byPerson = Map.groupBy(found, ({ person }) => person);
    for (const [person, visits] of byPerson) {
      setInside(presence, person, isInside(visits as readonly Visit[], false));
      presence.lastRowS.set(person, visits.at(-1)?.at_s ?? 0);
    }
  }
}
