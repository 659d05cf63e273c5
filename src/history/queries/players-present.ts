import type { Kysely } from "kysely";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import { isInside, type Visit } from "./sessions.ts";

/** Without a roster: how far back rows are read. Nobody stays longer without leaving a trace in a roster of an hour. */
const LOOK_BACK_S = 2 * 86_400;
/**
 * A roster is stored where its list was what the rows said. A row from before it that says otherwise came later, as after an
 * old answer that the service gave once more: the row is right.
 */
const ROW_BEFORE_ROSTER_S = 3_600;
/** Nobody stays longer without leaving a row. */
const LONGEST_STAY_S = 2 * 86_400;

/** The persons who were in a server at a moment: those of the last roster before it, and what happened since. */
export async function presentAt(
  db: Kysely<HistoryTables>,
  scope: number,
  atS: number,
): Promise<readonly number[]> {
  const roster = await db
    .selectFrom("rosters")
    .selectAll()
    .where("scope", "=", scope)
    .where("at_s", "<=", atS)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  const newest = await db
    .selectFrom("visits")
    .select("at_s")
    .where("scope", "=", scope)
    .where("at_s", "<=", atS)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  const untilS = Math.max(newest?.at_s ?? 0, roster?.at_s ?? 0);
  // A roster that is old by now says nothing any more: nobody has looked for long.
  const isUsable = roster !== undefined && untilS - roster.at_s <= LOOK_BACK_S;
  const fromS = isUsable ? roster.at_s - ROW_BEFORE_ROSTER_S : untilS - LOOK_BACK_S;
  const rows = await db
    .selectFrom("visits")
    .select(["person", "at_s", "kind", "after_s"])
    .where("scope", "=", scope)
    // Of the roster's own second too: who joined in it may have come after the look.
    .where("at_s", ">=", fromS)
    .where("at_s", "<=", atS)
    .orderBy("at_s")
    .execute();
  const byPerson = Map.groupBy(
    rows as readonly (Visit & { readonly person: number })[],
    ({ person }) => person,
  );
  const inside = new Set(isUsable && roster.persons !== "" ? roster.persons.split(",").map(Number) : []);
  for (const [person, visits] of byPerson) {
    if (isInside(visits, inside.has(person))) inside.add(person);
    else inside.delete(person);
  }
  // A roster may still count somebody who was forgotten.
  const persons = [...inside];
  if (persons.length === 0) return [];
  const known = await db.selectFrom("persons").select("id").where("id", "in", persons).execute();
  return known.map(({ id }) => id);
}

/** Who was inside at a second and surely for longer: of whom left unseen counts up to the last look before it. */
export async function insideFrom(
  db: Kysely<HistoryTables>,
  { id, lookedS }: { readonly id: number; readonly lookedS?: number | undefined },
  atS: number,
): Promise<readonly number[]> {
  const inside = await presentAt(db, id, atS);
  if (inside.length === 0) return [];
  const rows = await db
    .selectFrom("visits")
    .select(["person", "kind", "after_s"])
    .where("scope", "=", id)
    .where("person", "in", [...inside])
    .where("at_s", ">", atS)
    .where("at_s", "<=", atS + LONGEST_STAY_S)
    .orderBy("at_s")
    .execute();
  const next = Map.groupBy(rows, ({ person }) => person);
  return inside.filter((person) => {
    const [row] = next.get(person) ?? [];
    if (row === undefined) return (lookedS ?? 0) > atS;
    const isUnseen = row.kind === VISIT.vanished || row.kind === VISIT.seenAgain;
    return !isUnseen || (row.after_s ?? 0) > atS;
  });
}
