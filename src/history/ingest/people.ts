import type { Transaction } from "kysely";
import type { PlayerRef } from "../../domain/model.ts";
import { nextNumber } from "../database/next-number.ts";
import type { HistoryTables } from "../database/schema.ts";

/** A person of a guild, as the worker remembers it. */
interface Known {
  readonly person: number;
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

/** How much later somebody has to be seen until that is written: else each row of each player would be a change. */
const SEEN_AGAIN_S = 300;
const MOST_KNOWN = 200_000;

/** The number, in this database, of everybody whom rows name. Remembers what the database holds, within a bound. */
export class People {
  readonly #known = new Map<string, Known>();

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
    const people = new Map<string, { ref: PlayerRef; firstS: number; lastS: number; name: string }>();
    for (const { ref, atS } of sightings) {
      if (ref.id !== undefined && atS <= barredUntilS(ref.id)) continue;
      const key = keyOf(guild, ref);
      const one = people.get(key);
      const name = storable(ref.name);
      if (one === undefined) people.set(key, { ref, firstS: atS, lastS: atS, name });
      else {
        if (atS >= one.lastS && name !== "") one.name = name;
        one.firstS = Math.min(one.firstS, atS);
        one.lastS = Math.max(one.lastS, atS);
      }
    }
    await this.#load(db, guild, people, barredUntilS);
    for (const [key, one] of people) await this.#see(db, guild, key, one, barredUntilS);
    // Several names within one answer: the older ones are names too.
    for (const { ref, atS } of sightings) {
      const known = this.#known.get(keyOf(guild, ref));
      if (
        known !== undefined &&
        ref.name !== known.name &&
        ref.id !== undefined &&
        atS > known.barredUntilS
      ) {
        await saveName(db, guild, known.person, { name: ref.name, firstS: atS, lastS: atS });
      }
    }
    this.#shrink();
    return new Book(guild, this.#known);
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
    const bare = missing.filter(({ id }) => id === undefined).map(({ name }) => storable(name));
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
        barredUntilS: row.player_id === 0 ? 0 : barredUntilS(row.player_id),
        name: newest.get(row.id)?.name,
        nameS: newest.get(row.id)?.last_s ?? 0,
        firstS: row.first_s,
        lastS: row.last_s,
      });
    }
  }

  async #see(
    db: Transaction<HistoryTables>,
    guild: number,
    key: string,
    { ref, firstS, lastS, name }: { ref: PlayerRef; firstS: number; lastS: number; name: string },
    barredUntilS: (playerId: number) => number,
  ): Promise<void> {
    let known = this.#known.get(key);
    if (known === undefined) {
      const id = await nextNumber(db, "persons");
      const bare = ref.id === undefined ? storable(ref.name) : "";
      await db
        .insertInto("persons")
        .values({
          id,
          guild,
          player_id: ref.id ?? 0,
          bare_name: bare,
          first_s: firstS,
          last_s: lastS,
        })
        .execute();
      const barred = ref.id === undefined ? 0 : barredUntilS(ref.id);
      known = { person: id, barredUntilS: barred, name: undefined, nameS: 0, firstS, lastS };
      this.#known.set(key, known);
    } else if (lastS >= known.lastS + SEEN_AGAIN_S || firstS < known.firstS) {
      known.firstS = Math.min(known.firstS, firstS);
      known.lastS = Math.max(known.lastS, lastS);
      await db
        .updateTable("persons")
        .set({ first_s: known.firstS, last_s: known.lastS })
        .where("id", "=", known.person)
        .execute();
      if (known.name !== undefined && known.lastS === lastS && known.name === name) {
        known.nameS = lastS;
        await saveName(db, guild, known.person, { name, firstS: lastS, lastS });
      }
    }
    // An id without a name, as the caller of an emergency call is given, tells no name.
    if (name === "" || name === known.name) return;
    await saveName(db, guild, known.person, { name, firstS, lastS });
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
  return id === undefined ? `${guild} ~${storable(name)}` : `${guild} ${id}`;
}

/** A text as both databases take it: PostgreSQL refuses a zero byte, and half a character is none. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

async function saveName(
  db: Transaction<HistoryTables>,
  guild: number,
  person: number,
  { name, firstS, lastS }: { readonly name: string; readonly firstS: number; readonly lastS: number },
): Promise<void> {
  const row = { guild, person, name, name_key: name.toLowerCase(), first_s: firstS, last_s: lastS };
  await db
    .insertInto("names")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["person", "name"]).doUpdateSet((eb) => ({
        first_s: eb
          .case()
          .when("names.first_s", "<", firstS)
          .then(eb.ref("names.first_s"))
          .else(firstS)
          .end(),
        last_s: eb.case().when("names.last_s", ">", lastS).then(eb.ref("names.last_s")).else(lastS).end(),
      })),
    )
    .execute();
}
