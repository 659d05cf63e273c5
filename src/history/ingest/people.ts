import type { Transaction } from "kysely";
import type { PlayerRef } from "../../domain/model.ts";
import { chunks } from "../database/chunks.ts";
import { nextPersons } from "../database/row-numbers.ts";
import type { HistoryTables, NameTable, PersonTable } from "../database/schema.ts";
import { nameKey, storableName } from "../database/storable.ts";
import type { Inserts } from "./inserts.ts";

/** A person of a guild, as the worker remembers it. */
interface Known {
  readonly person: number;
  readonly playerId: number;
  readonly bareName: string;
  /** Rows up to this second are not stored: the player was forgotten. */
  readonly barredUntilS: number;
  name: string | undefined;
  nameS: number;
  firstS: number;
  lastS: number;
}

/** Somebody who is named by rows, and when. */
export interface Sighting {
  readonly ref: PlayerRef;
  readonly atS: number;
}

/** Somebody whom one answer names: from when to when, and by which name last. */
interface Seen {
  readonly ref: PlayerRef;
  firstS: number;
  lastS: number;
  name: string;
}

interface Changes {
  readonly persons: PersonTable[];
  readonly names: NameTable[];
}

/** A player must be seen this much later until that is written; else each row of each player would be a change. */
const SEEN_AGAIN_S = 300;
const MOST_KNOWN = 200_000;

/** The number, in this database, of everybody whom rows name. Remembers what the database holds, within a bound. */
export class People {
  readonly #known = new Map<string, Known>();
  readonly #inserts: Pick<Inserts, "persons" | "names">;

  constructor(inserts: Pick<Inserts, "persons" | "names">) {
    this.#inserts = inserts;
  }

  /** What is remembered of a guild is void: somebody was forgotten, perhaps by another process. */
  forgetGuild(guild: number): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${guild} `)) this.#known.delete(key);
  }

  clear(): void {
    this.#known.clear();
  }

  /**
   * Makes sure that everybody of `sightings` has a number, and notes names and when they were seen. `barredUntilS` says
   * of a player until when they are not to be stored; sightings up to then are left out.
   */
  async note(
    db: Transaction<HistoryTables>,
    guild: number,
    sightings: readonly Sighting[],
    barredUntilS: (playerId: number) => number,
  ): Promise<Book> {
    const people = new Map<string, Seen>();
    const renamed = new Set<string>();
    for (const { ref, atS } of sightings) {
      if (ref.id !== undefined && atS <= barredUntilS(ref.id)) continue;
      const key = keyOf(guild, ref);
      const one = people.get(key);
      const name = storableName(ref.name);
      if (one === undefined) people.set(key, { ref, firstS: atS, lastS: atS, name });
      else {
        if (name !== one.name) renamed.add(key);
        if (atS >= one.lastS && name !== "") one.name = name;
        one.firstS = Math.min(one.firstS, atS);
        one.lastS = Math.max(one.lastS, atS);
      }
    }
    await this.#load(db, guild, people, barredUntilS);
    const changes: Changes = { persons: [], names: [] };
    const created = await this.#create(db, guild, people, barredUntilS);
    for (const [key, one] of people) this.#see(guild, key, one, changes);
    // Several names within one answer: the older ones are names too.
    for (const { ref, atS } of renamed.size === 0 ? [] : sightings) {
      const known = renamed.has(keyOf(guild, ref)) ? this.#known.get(keyOf(guild, ref)) : undefined;
      const name = storableName(ref.name);
      if (known === undefined || ref.id === undefined || name === "" || atS <= known.barredUntilS) continue;
      if (name !== known.name) changes.names.push(nameRow(guild, known.person, name, atS, atS));
    }
    await this.#inserts.persons.run(db, lastOfEach([...created, ...changes.persons]));
    await this.#inserts.names.run(db, merged(changes.names));
    this.#shrink();
    return new Book(guild, this.#known);
  }

  /** Reads who is named without being seen, so that they have their number where one is stored. */
  async recall(
    db: Transaction<HistoryTables>,
    guild: number,
    refs: readonly PlayerRef[],
    barredUntilS: (playerId: number) => number,
  ): Promise<void> {
    const people = new Map(refs.map((ref) => [keyOf(guild, ref), { ref }]));
    await this.#load(db, guild, people, barredUntilS);
  }

  /** Reads those that are not remembered. */
  async #load(
    db: Transaction<HistoryTables>,
    guild: number,
    people: ReadonlyMap<string, { readonly ref: PlayerRef }>,
    barredUntilS: (playerId: number) => number,
  ): Promise<void> {
    const missing = [...people].filter(([key]) => !this.#known.has(key)).map(([, { ref }]) => ref);
    if (missing.length === 0) return;
    for (const some of chunks(missing)) await this.#loadSome(db, guild, some, barredUntilS);
  }

  async #loadSome(
    db: Transaction<HistoryTables>,
    guild: number,
    missing: readonly PlayerRef[],
    barredUntilS: (playerId: number) => number,
  ): Promise<void> {
    const bare = missing.filter(({ id }) => id === undefined).map(({ name }) => storableName(name));
    const rows = await db
      .selectFrom("persons")
      .selectAll()
      .where("guild", "=", guild)
      .where("player_id", "in", [...new Set(missing.map(({ id }) => id ?? 0))])
      .where("bare_name", "in", ["", ...new Set(bare)])
      .execute();
    const numbers = rows.map(({ id }) => id);
    const names =
      numbers.length === 0
        ? []
        : await db
            .selectFrom("names")
            .select(["person", "name", "first_s", "last_s"])
            .where("person", "in", numbers)
            .orderBy("last_s")
            .orderBy("first_s")
            .execute();
    const newest = new Map(names.map((name) => [name.person, name]));
    for (const row of rows) {
      const ref = row.player_id === 0 ? { name: row.bare_name } : { name: "", id: row.player_id };
      this.#known.set(keyOf(guild, ref), {
        person: row.id,
        playerId: row.player_id,
        bareName: row.bare_name,
        barredUntilS: row.player_id === 0 ? 0 : barredUntilS(row.player_id),
        name: newest.get(row.id)?.name,
        nameS: newest.get(row.id)?.last_s ?? 0,
        firstS: row.first_s,
        lastS: row.last_s,
      });
    }
  }

  /** Gives a number to everybody who has none. Answers their rows, which are not saved yet. */
  async #create(
    db: Transaction<HistoryTables>,
    guild: number,
    people: ReadonlyMap<string, Seen>,
    barredUntilS: (playerId: number) => number,
  ): Promise<readonly PersonTable[]> {
    const fresh = [...people].filter(([key]) => !this.#known.has(key));
    if (fresh.length === 0) return [];
    const numbers = await nextPersons(db, guild, fresh.length);
    return fresh.map(([key, { ref, firstS, lastS }], at) => {
      const id = numbers[at] ?? 0;
      const barred = ref.id === undefined ? 0 : barredUntilS(ref.id);
      this.#known.set(key, {
        person: id,
        playerId: ref.id ?? 0,
        bareName: ref.id === undefined ? storableName(ref.name) : "",
        barredUntilS: barred,
        name: undefined,
        nameS: 0,
        firstS,
        lastS,
      });
      return personRow(guild, this.#known.get(key));
    });
  }

  /** Notes when somebody was seen, and as whom. */
  #see(guild: number, key: string, { firstS, lastS, name }: Seen, changes: Changes): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    if (lastS >= known.lastS + SEEN_AGAIN_S || firstS < known.firstS) {
      known.firstS = Math.min(known.firstS, firstS);
      known.lastS = Math.max(known.lastS, lastS);
      changes.persons.push(personRow(guild, known));
    }
    // The caller of an emergency call is an id without a name.
    if (name === "") return;
    if (name === known.name) {
      // Not written: a name counts from when it was seen first until another one is.
      known.nameS = Math.max(known.nameS, lastS);
      return;
    }
    changes.names.push(nameRow(guild, known.person, name, firstS, lastS));
    if (lastS >= known.nameS) {
      known.name = name;
      known.nameS = lastS;
    }
  }

  #shrink(): void {
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) return;
      this.#known.delete(key);
    }
  }
}

/** The numbers of a guild's people. */
export class Book {
  readonly #guild: number;
  readonly #known: ReadonlyMap<string, Known>;

  constructor(guild: number, known: ReadonlyMap<string, Known>) {
    this.#guild = guild;
    this.#known = known;
  }

  /** The number of who is named by a row of that second; undefined: they were forgotten later than that. */
  numberOf(ref: PlayerRef, atS: number): number | undefined {
    const known = this.#known.get(keyOf(this.#guild, ref));
    return known === undefined || atS <= known.barredUntilS ? undefined : known.person;
  }
}

function keyOf(guild: number, { id, name }: PlayerRef): string {
  return id === undefined ? `${guild} ~${storableName(name)}` : `${guild} ${id}`;
}

function personRow(guild: number, known: Known | undefined): PersonTable {
  return {
    id: known?.person ?? 0,
    guild,
    player_id: known?.playerId ?? 0,
    bare_name: known?.bareName ?? "",
    first_s: known?.firstS ?? 0,
    last_s: known?.lastS ?? 0,
  };
}

function nameRow(guild: number, person: number, name: string, firstS: number, lastS: number): NameTable {
  return { guild, person, name, name_key: nameKey(name), first_s: firstS, last_s: lastS };
}

/** The last of several rows of a person holds. */
function lastOfEach(rows: readonly PersonTable[]): readonly PersonTable[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** One row of each name, over all times at which it was seen. */
function merged(rows: readonly NameTable[]): readonly NameTable[] {
  const byName = new Map<string, NameTable>();
  for (const row of rows) {
    const key = `${row.person} ${row.name}`;
    const other = byName.get(key) ?? row;
    const first_s = Math.min(row.first_s, other.first_s);
    byName.set(key, { ...row, first_s, last_s: Math.max(row.last_s, other.last_s) });
  }
  return [...byName.values()];
}
