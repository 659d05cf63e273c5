// Over 200 lines: one transaction from an answer to its rows; its steps share what is remembered of a server.
import type { Kysely, Transaction } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import type { HistoryTables } from "../database/schema.ts";
import type { Hashes } from "../queries/hashes.ts";
import { isInside, type Visit } from "../queries/sessions.ts";
import { CommandTargets } from "./command-targets.ts";
import { lookAt, noteVisits, setInside } from "./inferred-visits.ts";
import { createInserts } from "./inserts.ts";
import { type Book, People, type Sighting } from "./people.ts";
import type { Link, LogRows, RecordedAnswer } from "./recorded-answer.ts";
import { followers } from "./row-followers.ts";
import { type GuildState, openGuild, openScope, type ScopeState } from "./scope-state.ts";
import { storeGaps } from "./store-gaps.ts";
import {
  type Place,
  type Stored,
  storeCommands,
  storeJoins,
  storeKills,
  storeModCalls,
} from "./store-logs.ts";
import { storeCount, storeEmergencyCalls, storePermissions, storeRoster } from "./store-players-and-calls.ts";

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
  readonly #targets = new Map<number, CommandTargets>();

  constructor(db: Kysely<HistoryTables>, hashes: Hashes) {
    this.#db = db;
    this.#hashes = hashes;
  }

  /** Stores an answer for each guild, each in one transaction. Answers how many rows were new. */
  async take(answer: RecordedAnswer): Promise<number> {
    let rows = 0;
    for (const link of answer.links) {
      try {
        rows += await this.#db.transaction().execute((db) => this.#store(db, link, answer));
      } catch (error) {
        // What was undone in the database is not undone in memory.
        this.forget();
        throw error;
      }
    }
    return rows;
  }

  /** Forgets what is remembered: something else changed the database. */
  forget(): void {
    this.#people.clear();
    this.#guilds.clear();
    this.#scopes.clear();
    this.#targets.clear();
  }

  async #store(db: Db, link: Link, answer: RecordedAnswer): Promise<number> {
    const guild = await this.#guild(db, link.guildId);
    if (guild.retentionDays === 0) return 0;
    const state = await this.#scope(db, guild, link, answer.atS);
    const barredUntilS = (playerId: number) =>
      guild.barriers.size === 0
        ? -1
        : (guild.barriers.get(this.#hashes.markOf(link.guildId, playerId)) ?? -1);
    const fromS = Math.max(state.startS, presentOf(answer) - guild.retentionDays * DAY_S);
    const sightings = sightingsOf(answer).filter(({ atS }) => atS >= fromS);
    const book = await this.#people.note(db, guild.id, sightings, barredUntilS);
    const targets = this.#targetsFor(state);
    targets.note(sightings, book);
    const place: Place = {
      db,
      scope: state.id,
      inserts: this.#inserts,
      book,
      fromS,
      callsLook: { atS: answer.atS, beforeS: state.callsLookS },
      hashOf: (text) => this.#hashes.hashOf(text),
      aimedAt: (name, atS) => targets.at(name, atS),
    };

    const { joins, kills, commands, modCalls } = answer;
    const visits = joins && (await storeJoins(place, joins));
    const killed = kills && (await storeKills(place, kills));
    const run = commands && (await storeCommands(place, commands));
    const called = modCalls && (await storeModCalls(place, modCalls));
    if (modCalls !== undefined) state.callsLookS = answer.atS;
    await this.#noteLog(db, state, "joins", joins, visits);
    await this.#noteLog(db, state, "kills", kills, killed);
    await this.#noteLog(db, state, "commands", commands, run);
    await this.#noteLog(db, state, "modCalls", modCalls, called);

    if (visits !== undefined) await noteInside(db, state, visits.rows);
    await this.#look(db, state, book, answer);
    await storeEmergencyCalls(place, state, answer);
    const added = { guild: guild.id, scope: state.id, visits: visits?.rows ?? [], commands: run?.rows ?? [] };
    for (const follower of followers) await follower.onAdded(db, added);
    return [visits, killed, run, called].reduce((sum, stored) => sum + (stored?.rows.length ?? 0), 0);
  }

  /** Who is there, how many and of which rank. An answer that is older than what is stored says nothing of the present. */
  async #look(db: Db, state: ScopeState, book: Book, answer: RecordedAnswer): Promise<void> {
    const { players, atS } = answer;
    const newestS = state.newestS.get("joins");
    const isOld =
      (newestS !== undefined && (answer.newestJoinS ?? newestS) < newestS) ||
      atS < (state.presence.lastLookS ?? Number.NEGATIVE_INFINITY);
    if (players === undefined || isOld) return;
    const listed = new Map<number, string>();
    for (const { player, permission } of players) {
      const person = book.numberOf(player, atS);
      if (person !== undefined) listed.set(person, permission);
    }
    const inferred = lookAt(state.presence, new Set(listed.keys()), atS);
    if (inferred.length > 0) {
      const rows = inferred.map((row) => ({ scope: state.id, n: 0, ...row }));
      await this.#inserts.visits.run(db, rows);
    }
    await storePermissions(db, state, listed, atS);
    await storeCount(db, state, answer);
    await storeRoster(db, state, [...listed.keys()], atS);
  }

  async #noteLog(
    db: Db,
    state: ScopeState,
    log: RecordedLog,
    window: LogRows<unknown> | undefined,
    stored: Stored<unknown> | undefined,
  ): Promise<void> {
    if (window === undefined || stored === undefined) return;
    const isMissed = window.isUnshared && !stored.isShared && stored.rows.length > 0;
    if (isMissed) await storeGaps(db, state, log, window);
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
      for (const [key, { id }] of this.#scopes) {
        if (!key.startsWith(`${guildId} `)) continue;
        this.#scopes.delete(key);
        this.#targets.delete(id);
      }
    }
    const guild = await openGuild(db, guildId);
    this.#guilds.set(guildId, guild);
    return guild;
  }

  async #scope(db: Db, guild: GuildState, link: Link, nowS: number): Promise<ScopeState> {
    const key = `${link.guildId} ${link.bindingId}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const state = await openScope(db, guild, link, nowS);
    this.#scopes.set(key, state);
    return state;
  }

  #targetsFor({ id }: ScopeState): CommandTargets {
    const targets = this.#targets.get(id) ?? new CommandTargets();
    this.#targets.set(id, targets);
    return targets;
  }
}

/** Who was inside, after rows that came out of order, is read from all rows of these persons. */
async function noteInside(
  db: Db,
  { id, presence }: ScopeState,
  rows: Stored<{ person: number; at_s: number; kind: number }>["rows"],
): Promise<void> {
  const unclear = noteVisits(presence, rows);
  if (unclear.length === 0) return;
  const found = await db
    .selectFrom("visits")
    .select(["person", "at_s", "kind", "after_s"])
    .where("person", "in", [...unclear])
    .where("scope", "=", id)
    .orderBy("at_s")
    .execute();
  const byPerson = Map.groupBy(found, ({ person }) => person);
  for (const [person, visits] of byPerson) {
    setInside(presence, person, isInside(visits as readonly Visit[], false));
    presence.lastRowS.set(person, visits.at(-1)?.at_s ?? 0);
  }
}

/**
 * The present, for what is too old: where the service does not tell its time, our clock may be ahead by years, and the
 * newest row then says better what is new.
 */
function presentOf({ atS, joins, kills, commands, modCalls }: RecordedAnswer): number {
  const newest = [joins, kills, commands, modCalls].flatMap((log) => log?.newestS ?? []);
  return newest.length === 0 ? atS : Math.min(atS, Math.max(...newest));
}

/** All people whom an answer names, and when. */
function sightingsOf(answer: RecordedAnswer): readonly Sighting[] {
  const { atS, players = [], joins, kills, commands, modCalls, emergencyCalls = [] } = answer;
  return [
    ...players.map(({ player }) => ({ ref: player, atS })),
    ...(joins?.rows ?? []).map(({ player, atS: at }) => ({ ref: player, atS: at })),
    ...(kills?.rows ?? []).flatMap(({ killer, killed, atS: at }) => [
      { ref: killer, atS: at },
      { ref: killed, atS: at },
    ]),
    ...(commands?.rows ?? []).map(({ player, atS: at }) => ({ ref: player, atS: at })),
    ...(modCalls?.rows ?? []).flatMap(({ caller, moderator, atS: at }) =>
      [caller, ...(moderator === undefined ? [] : [moderator])].map((ref) => ({ ref, atS: at })),
    ),
    ...emergencyCalls.flatMap(({ callerId, startedAtS }) =>
      callerId === undefined ? [] : { ref: { name: "", id: callerId }, atS: startedAtS },
    ),
  ];
}
