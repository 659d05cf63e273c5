import type { KnownPlayer } from "../../domain/history.ts";
import { VISIT } from "../database/schema.ts";
import type { QueryContext } from "./context.ts";

/** The players of these numbers with all their names, seen last first. */
export async function known(
  { db }: QueryContext,
  persons: readonly number[],
): Promise<readonly KnownPlayer[]> {
  if (persons.length === 0) return [];
  const rows = await db
    .selectFrom("persons")
    .innerJoin("names", "names.person", "persons.id")
    .select(["persons.id", "player_id", "persons.first_s", "persons.last_s", "name"])
    .where("persons.id", "in", [...persons])
    .orderBy("persons.last_s", "desc")
    .orderBy("names.last_s", "desc")
    .orderBy("names.first_s", "desc")
    .execute();
  const leftS = await lastLeaves(db, persons);
  const byPerson = Map.groupBy(rows, ({ id }) => id);
  return [...byPerson.values()].flatMap((its) => {
    const [first, ...earlier] = its;
    if (first === undefined) return [];
    return {
      playerId: first.player_id,
      name: first.name,
      earlierNames: earlier.map(({ name }) => name),
      firstSeenS: first.first_s,
      lastSeenS: Math.max(first.last_s, leftS.get(first.id) ?? 0),
    };
  });
}

/** When these persons left, where that was after they were noted as seen; who vanished was there until the look before. */
async function lastLeaves(
  db: QueryContext["db"],
  persons: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom("persons")
    .innerJoin("visits", (join) =>
      join.onRef("visits.person", "=", "persons.id").onRef("visits.at_s", ">", "persons.last_s"),
    )
    .select(["persons.id", "kind", "at_s", "after_s"])
    .where("persons.id", "in", [...persons])
    .where("kind", "in", [VISIT.left, VISIT.vanished])
    .execute();
  const lastS = new Map<number, number>();
  for (const { id, kind, at_s, after_s } of rows) {
    const seenS = kind === VISIT.left ? at_s : (after_s ?? 0);
    lastS.set(id, Math.max(seenS, lastS.get(id) ?? 0));
  }
  return lastS;
}
