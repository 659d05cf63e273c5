import { type SelectQueryBuilder, sql } from "kysely";
import type { CommandTargetTable, ModCallTable } from "../database/schema.ts";
import type { QueryContext } from "./context.ts";

/** Which rows of a log are read, from which end, and how many at most. */
export interface RowRange {
  /** Numbers of linked servers; not empty. */
  readonly ids: readonly number[];
  /** Both seconds belong to it. */
  readonly lowS: number;
  readonly highS: number;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** The person whose rows are wanted, and in which part. */
export interface PersonPart {
  readonly id: number;
  readonly as: "killer" | "killed" | "caller" | "moderator" | "author" | "target" | "visitor";
  /** Of commands that were aimed at them: names of verbs that are left out. */
  readonly without?: readonly string[] | undefined;
}

/** A row of any log, with persons by number. What a log does not have is null. */
export interface LogRow {
  readonly table: LogTable;
  readonly scope: number;
  readonly at_s: number;
  readonly who: number | null;
  readonly other: number | null;
  readonly text: string | null;
  /** How a visit came about; the number of an emergency call. */
  readonly kind: number;
  readonly after_s: number | null;
  readonly place: string | null;
  readonly team: string | null;
  /** Of a moderator call: `other` took it on its card. */
  readonly isByCard: boolean;
  /** Of a command: whom it hit; of those against one person, that person alone. */
  readonly targets: readonly number[];
}

export type LogTable = "visits" | "kills" | "commands" | "mod_calls" | "emergency_calls";
type ReadLog = (db: QueryContext["db"], range: RowRange, person?: PersonPart) => Promise<readonly LogRow[]>;

const NOTHING = {
  other: null,
  text: null,
  kind: 0,
  after_s: null,
  place: null,
  team: null,
  isByCard: false,
  targets: [],
};

/** Reads the rows of one log; of rows within one second the order is always the same. */
export const readLog: Readonly<Record<LogTable, ReadLog>> = {
  visits: readVisits,
  kills: readKills,
  commands: (db, range, person) =>
    person?.as === "target" ? readAimedCommands(db, range, person) : readCommands(db, range, person),
  mod_calls: readModCalls,
  emergency_calls: readEmergencyCalls,
};

async function readVisits(
  db: QueryContext["db"],
  range: RowRange,
  person?: PersonPart,
): Promise<readonly LogRow[]> {
  let query = db.selectFrom("visits").selectAll();
  if (person?.as === "visitor") query = query.where("person", "=", person.id);
  const rows = await inRange(query, range, { table: "visits", thenBy: ["person", "kind", "n"] }).execute();
  return rows.map(({ scope, at_s, person: who, kind, after_s }) => {
    return { ...NOTHING, table: "visits", scope, at_s, who, kind, after_s };
  });
}

async function readKills(
  db: QueryContext["db"],
  range: RowRange,
  person?: PersonPart,
): Promise<readonly LogRow[]> {
  let query = db.selectFrom("kills").selectAll();
  if (person?.as === "killer") query = query.where("killer", "=", person.id);
  if (person?.as === "killed") query = query.where("killed", "=", person.id);
  const rows = await inRange(query, range, { table: "kills", thenBy: ["killer", "killed", "n"] }).execute();
  return rows.map(({ scope, at_s, killer: who, killed: other }) => {
    return { ...NOTHING, table: "kills", scope, at_s, who, other };
  });
}

async function readCommands(
  db: QueryContext["db"],
  range: RowRange,
  person?: PersonPart,
): Promise<readonly LogRow[]> {
  let query = db.selectFrom("commands").selectAll();
  if (person?.as === "author") query = query.where("person", "=", person.id);
  const rows = await inRange(query, range, { table: "commands", thenBy: ["person", "hash", "n"] }).execute();
  const targetsOf = await commandTargets(db, rows, person);
  return rows.map((row) => {
    const { scope, at_s, person: who, text } = row;
    const targets = (targetsOf.get(keyOf(row)) ?? []).map(({ target }) => target);
    return { ...NOTHING, table: "commands", scope, at_s, who, text, targets };
  });
}

type CommandKey = Pick<CommandTargetTable, "scope" | "at_s" | "person" | "hash" | "n">;

function keyOf({ scope, at_s, person, hash, n }: CommandKey): string {
  return `${scope} ${at_s} ${person} ${hash} ${n}`;
}

/** Whom these commands hit, by `keyOf`. */
async function commandTargets(
  db: QueryContext["db"],
  rows: readonly CommandKey[],
  person: PersonPart | undefined,
): Promise<ReadonlyMap<string, readonly CommandTargetTable[]>> {
  if (rows.length === 0) return new Map();
  const seconds = rows.map(({ at_s }) => at_s);
  let query = db
    .selectFrom("command_targets")
    .selectAll()
    .where("scope", "in", [...new Set(rows.map(({ scope }) => scope))])
    .where("at_s", ">=", Math.min(...seconds))
    .where("at_s", "<=", Math.max(...seconds));
  // Of one person's commands, which may lie months apart, only theirs.
  if (person?.as === "author") query = query.where("person", "=", person.id);
  return Map.groupBy(await query.execute(), keyOf);
}

/** Commands that were aimed at that person. */
async function readAimedCommands(
  db: QueryContext["db"],
  range: RowRange,
  person: PersonPart,
): Promise<readonly LogRow[]> {
  const query = aimedCommands(db, person).select([
    "commands.scope",
    "commands.at_s",
    "commands.person",
    "text",
  ]);
  const rows = await inRange(query, range, { table: "aimed", thenBy: ["person", "hash", "n"] }).execute();
  return rows.map(({ scope, at_s, person: who, text }) => {
    return { ...NOTHING, table: "commands", scope, at_s, who, text, targets: [person.id] };
  });
}

/** How many there are of them on these servers. */
export async function countAimedCommands(
  db: QueryContext["db"],
  ids: readonly number[],
  person: Omit<PersonPart, "as">,
): Promise<number> {
  const { rows } = await aimedCommands(db, person)
    .where("aimed.scope", "in", ids)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return rows;
}

function aimedCommands(db: QueryContext["db"], { id, without = [] }: Omit<PersonPart, "as">) {
  let query = db
    .selectFrom("command_targets as aimed")
    .innerJoin("commands", (join) =>
      join
        .onRef("commands.scope", "=", "aimed.scope")
        .onRef("commands.at_s", "=", "aimed.at_s")
        .onRef("commands.person", "=", "aimed.person")
        .onRef("commands.hash", "=", "aimed.hash")
        .onRef("commands.n", "=", "aimed.n"),
    )
    .where("aimed.target", "=", id);
  for (const verb of without) query = query.where(sql`lower(text)`, "not like", `:${verb} %`);
  return query;
}

async function readModCalls(
  db: QueryContext["db"],
  range: RowRange,
  person?: PersonPart,
): Promise<readonly LogRow[]> {
  let query = db.selectFrom("mod_calls").selectAll();
  if (person?.as === "caller") query = query.where("caller", "=", person.id);
  if (person?.as === "moderator") query = query.where("moderator", "=", person.id);
  const rows = await inRange(query, range, { table: "mod_calls", thenBy: ["caller", "n"] }).execute();
  return rows.map(({ scope, at_s, caller: who, moderator: other, answered_s, open_s }) => {
    return {
      ...NOTHING,
      table: "mod_calls",
      scope,
      at_s,
      who,
      other,
      isByCard: isByCard({ answered_s, open_s }),
    };
  });
}

/** A card knows the second; an answer in the game lies between two looks. */
function isByCard({ answered_s, open_s }: Pick<ModCallTable, "answered_s" | "open_s">): boolean {
  return answered_s !== null && answered_s === open_s;
}

async function readEmergencyCalls(
  db: QueryContext["db"],
  range: RowRange,
  person?: PersonPart,
): Promise<readonly LogRow[]> {
  let query = db.selectFrom("emergency_calls").selectAll();
  if (person?.as === "caller") query = query.where("caller", "=", person.id);
  const rows = await inRange(query, range, { table: "emergency_calls", thenBy: ["number"] }).execute();
  return rows.map(({ scope, at_s, caller: who, number: kind, description: text, place, team }) => {
    return { ...NOTHING, table: "emergency_calls", scope, at_s, who, kind, text, place, team };
  });
}

/** Narrows a query to a range, by time, then by server, then by the named columns: rows of one second always come alike. */
function inRange<DB, Table extends keyof DB & string, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { ids, lowS, highS, order, limit }: RowRange,
  { table, thenBy }: { readonly table: NoInfer<Table>; readonly thenBy: readonly (keyof DB[Table])[] },
): SelectQueryBuilder<DB, Table, Row> {
  const column = (name: keyof DB[Table] | "scope" | "at_s") => sql.ref<number>(`${table}.${String(name)}`);
  let found = query
    .where(column("scope"), "in", ids)
    .where(column("at_s"), ">=", lowS)
    .where(column("at_s"), "<=", highS);
  for (const name of ["at_s", "scope", ...thenBy] as const) found = found.orderBy(column(name), order);
  return found.limit(limit);
}
