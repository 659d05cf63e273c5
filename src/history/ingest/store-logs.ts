// Over 200 lines: the four logs are stored in the same way, and each is read best beside the others.
import type { Transaction } from "kysely";
import type { JoinEntry, KillEntry, ModCallEntry, PlayerRef } from "../../domain/model.ts";
import { chunks } from "../database/chunks.ts";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import { type Book, storable } from "./people.ts";
import type { AimedCommand, LogRows } from "./recorded-answer.ts";

/** Where rows are stored, and what is needed for it. */
export interface Place {
  readonly db: Transaction<HistoryTables>;
  readonly scope: number;
  readonly book: Book;
  /** Rows before this are not kept. */
  readonly fromS: number;
  /** When this answer was given, and the one before it that showed the moderator calls. */
  readonly callsLook: { readonly atS: number; readonly beforeS: number | undefined };
  hashOf(text: string): number;
  /** The person at whom a name aims, of those who were in the server lately; "forgotten" for one who was forgotten. */
  aimedAt(name: string, atS: number): number | "forgotten" | undefined;
}

/** What came of storing the rows of a log. */
export interface Stored<Row> {
  /** What was not stored before. */
  readonly rows: readonly Row[];
  /** Some rows were there before, or lie before the time that is kept: nothing is missing in between. */
  readonly isShared: boolean;
}

export interface StoredVisit {
  readonly person: number;
  readonly at_s: number;
  readonly kind: number;
}

export interface StoredCommand {
  readonly person: number;
  readonly at_s: number;
  readonly text: string;
  readonly hash: number;
  readonly n: number;
}

/** Stands in place of what follows the verb of a command at somebody who was forgotten. */
const BLANK = "[forgotten]";

/** The same command without the name at which it aims, and what follows. */
export function blanked(text: string): string {
  return `${/^\s*\S+/u.exec(text)?.[0] ?? ""} ${BLANK}`;
}

export async function storeJoins(place: Place, log: LogRows<JoinEntry>): Promise<Stored<StoredVisit>> {
  const { wanted, isShared } = kept(place, log, ({ player }) => [player]);
  const rows = numbered(wanted, ({ atS, joined }, [person]) => ({
    scope: place.scope,
    at_s: atS,
    person: person ?? 0,
    kind: joined ? VISIT.joined : VISIT.left,
    after_s: null,
  }));
  const fresh: StoredVisit[] = [];
  for (const some of chunks(rows)) {
    const inserted = await place.db
      .insertInto("visits")
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .returning(["person", "at_s", "kind"])
      .execute();
    fresh.push(...inserted);
  }
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

export async function storeKills(place: Place, log: LogRows<KillEntry>): Promise<Stored<{ at_s: number }>> {
  const { wanted, isShared } = kept(place, log, ({ killer, killed }) => [killer, killed]);
  const rows = numbered(wanted, ({ atS }, [killer, killed]) => ({
    scope: place.scope,
    at_s: atS,
    killer: killer ?? 0,
    killed: killed ?? 0,
  }));
  const fresh: { at_s: number }[] = [];
  for (const some of chunks(rows)) {
    const inserted = await place.db
      .insertInto("kills")
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .returning("at_s")
      .execute();
    fresh.push(...inserted);
  }
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

export async function storeCommands(
  place: Place,
  log: LogRows<AimedCommand>,
): Promise<Stored<StoredCommand>> {
  const { wanted, isShared } = kept(place, log, ({ player }) => [player]);
  const rows = numbered(wanted, ({ atS, text, targets }, [person]) => {
    const isAboutForgotten = targets.some((name) => place.aimedAt(name, atS) === "forgotten");
    return {
      scope: place.scope,
      at_s: atS,
      person: person ?? 0,
      hash: place.hashOf(text),
      text: storable(isAboutForgotten ? blanked(text) : text),
    };
  });
  const fresh: StoredCommand[] = [];
  for (const some of chunks(rows)) {
    const inserted = await place.db
      .insertInto("commands")
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .returning(["person", "at_s", "text", "hash", "n"])
      .execute();
    fresh.push(...inserted);
  }
  await storeTargets(place, log, fresh);
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

/** At whom fresh commands aim, where a name tells exactly one player. */
async function storeTargets(
  { db, scope, hashOf, aimedAt }: Place,
  log: LogRows<AimedCommand>,
  fresh: readonly StoredCommand[],
): Promise<void> {
  const targetsOf = new Map(log.rows.map(({ text, targets }) => [hashOf(text), targets]));
  const rows = fresh.flatMap(({ person, at_s, hash, n }) => {
    const found = (targetsOf.get(hash) ?? []).map((name) => aimedAt(name, at_s));
    const persons = new Set(found.filter((target) => typeof target === "number"));
    return [...persons].map((target) => ({ scope, at_s, person, hash, n, target }));
  });
  for (const some of chunks(rows)) {
    await db
      .insertInto("command_targets")
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** A call is stored once; who answered it is added when it is known, and stays. */
export async function storeModCalls(
  place: Place,
  log: LogRows<ModCallEntry>,
): Promise<Stored<{ at_s: number }>> {
  const { db, scope, book } = place;
  const { wanted, isShared } = kept(place, log, ({ caller }) => [caller]);
  const rows = numbered(wanted, ({ atS }, [caller]) => ({
    scope,
    at_s: atS,
    caller: caller ?? 0,
    moderator: null,
    answered_s: null,
    open_s: null,
  }));
  const fresh: { at_s: number }[] = [];
  for (const some of chunks(rows)) {
    const inserted = await db
      .insertInto("mod_calls")
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .returning("at_s")
      .execute();
    fresh.push(...inserted);
  }
  const answers = wanted.flatMap(({ row: { atS, moderator }, people: [caller] }) => {
    const by = moderator === undefined ? undefined : book.numberOf(moderator, atS);
    return by === undefined || caller === undefined ? [] : { atS, caller, moderator: by };
  });
  for (const group of Map.groupBy(answers, ({ atS, caller }) => `${atS} ${caller}`).values()) {
    await storeAnswers(place, group);
  }
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

interface Answer {
  readonly atS: number;
  readonly caller: number;
  readonly moderator: number;
}

/** Answers of equal calls: those that are not known yet fill the first calls that have none. */
async function storeAnswers({ db, scope, callsLook }: Place, answers: readonly Answer[]): Promise<void> {
  const [first] = answers;
  if (first === undefined) return;
  const calls = await db
    .selectFrom("mod_calls")
    .select(["n", "moderator"])
    .where("scope", "=", scope)
    .where("at_s", "=", first.atS)
    .where("caller", "=", first.caller)
    .orderBy("n")
    .execute();
  const known = calls.flatMap(({ moderator }) => moderator ?? []);
  const open = calls.filter(({ moderator }) => moderator === null);
  for (const { moderator } of answers) {
    const at = known.indexOf(moderator);
    if (at >= 0) {
      known.splice(at, 1);
      continue;
    }
    const call = open.shift();
    if (call === undefined) return;
    await db
      .updateTable("mod_calls")
      .set({ moderator, answered_s: callsLook.atS, open_s: callsLook.beforeS ?? null })
      .where("scope", "=", scope)
      .where("at_s", "=", first.atS)
      .where("caller", "=", first.caller)
      .where("n", "=", call.n)
      .execute();
  }
}

interface Kept<T> {
  readonly row: T;
  readonly people: readonly number[];
}

/** The rows that may be stored: not before the time that is kept, and of nobody who was forgotten later. */
function kept<T extends { readonly atS: number }>(
  { book, fromS }: Place,
  { rows }: LogRows<T>,
  peopleOf: (row: T) => readonly PlayerRef[],
): { readonly wanted: readonly Kept<T>[]; readonly isShared: boolean } {
  const inTime = rows.filter(({ atS }) => atS >= fromS);
  const wanted = inTime.flatMap((row) => {
    const people = peopleOf(row).map((ref) => book.numberOf(ref, row.atS));
    return people.some((person) => person === undefined)
      ? []
      : [{ row, people: people.filter((person) => person !== undefined) }];
  });
  return { wanted, isShared: inTime.length < rows.length };
}

/** Rows as they are stored, each with its place among those that are equal. */
function numbered<T, R extends object>(
  wanted: readonly Kept<T>[],
  rowOf: (row: T, people: readonly number[]) => R,
): readonly (R & { readonly n: number })[] {
  const counts = new Map<string, number>();
  return wanted.map(({ row, people }) => {
    const stored = rowOf(row, people);
    const { text: _, ...own } = stored as R & { text?: string };
    const key = Object.values(own).join(" ");
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return { ...stored, n };
  });
}
