import type { Transaction } from "kysely";
import type { JoinEntry, KillEntry, ModCallEntry, PlayerRef } from "../../domain/model.ts";
import { type HistoryTables, type ModCallTable, VISIT } from "../database/schema.ts";
import { storable } from "../database/storable.ts";
import type { ForgottenSince } from "./forgotten-since.ts";
import type { Inserts } from "./inserts.ts";
import type { Book } from "./people.ts";
import type { AimedCommand, LogRows } from "./recorded-answer.ts";

/** Where rows are stored, and what is needed for it. */
export interface Place {
  readonly db: Transaction<HistoryTables>;
  readonly scope: number;
  readonly inserts: Inserts;
  readonly book: Book;
  /** Rows before this are not kept. */
  readonly fromS: number;
  /** When this answer was given, and the one before it that showed the moderator calls. */
  readonly callsLook: { readonly atS: number; readonly beforeS: number | undefined };
  hashOf(text: string): number;
  readonly forgotten: ForgottenSince;
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

/** Replaces what follows the verb of a command at a player who was forgotten. */
const BLANK = "[forgotten]";

/** The same command without the name at which it aims, and what follows. */
export function blanked(text: string): string {
  return `${/^\s*\S+/u.exec(text)?.[0] ?? ""} ${BLANK}`;
}

export async function storeJoins(place: Place, log: LogRows<JoinEntry>): Promise<Stored<StoredVisit>> {
  const { wanted, isShared } = kept(place, log, ({ player }) => [player]);
  const visits = wanted.map(({ row: { atS, joined }, people: [person = 0] }) => ({
    scope: place.scope,
    at_s: atS,
    person,
    kind: joined ? VISIT.joined : VISIT.left,
    after_s: null,
  }));
  const rows = numbered(visits, ({ at_s, person, kind }) => `${at_s} ${person} ${kind}`);
  const fresh = await place.inserts.visits.run(place.db, rows);
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

export async function storeKills(place: Place, log: LogRows<KillEntry>): Promise<Stored<{ at_s: number }>> {
  const { wanted, isShared } = kept(place, log, ({ killer, killed }) => [killer, killed]);
  const kills = wanted.map(({ row: { atS }, people: [killer = 0, killed = 0] }) => ({
    scope: place.scope,
    at_s: atS,
    killer,
    killed,
  }));
  const rows = numbered(kills, ({ at_s, killer, killed }) => `${at_s} ${killer} ${killed}`);
  const fresh = await place.inserts.kills.run(place.db, rows);
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

export async function storeCommands(
  place: Place,
  log: LogRows<AimedCommand>,
): Promise<Stored<StoredCommand>> {
  const { wanted, isShared } = kept(place, log, ({ player }) => [player]);
  const commands = wanted.map(({ row: { atS, text, targets }, people: [person = 0] }) => {
    const isForgotten = ({ id }: PlayerRef) => id !== undefined && atS <= place.forgotten.untilS(id);
    const isAboutForgotten = targets.some(isForgotten) || place.forgotten.isNamedIn(text, atS);
    return {
      scope: place.scope,
      at_s: atS,
      person,
      hash: place.hashOf(text),
      text: storable(isAboutForgotten ? blanked(text) : text),
    };
  });
  const rows = numbered(commands, ({ at_s, person, hash }) => `${at_s} ${person} ${hash}`);
  const fresh = await place.inserts.commands.run(place.db, rows);
  await storeTargets(place, log, fresh);
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

/** The players whom fresh commands hit. */
async function storeTargets(
  { db, inserts, scope, hashOf, book }: Place,
  log: LogRows<AimedCommand>,
  fresh: readonly StoredCommand[],
): Promise<void> {
  // The same text hits others when somebody else types it, or later.
  const aimed = log.rows.filter(({ targets }) => targets.length > 0);
  const targetsOf = new Map(
    aimed.map(({ player, atS, text, targets }) => [
      `${atS} ${book.numberOf(player, atS) ?? 0} ${hashOf(text)}`,
      targets,
    ]),
  );
  const rows = fresh.flatMap(({ person, at_s, hash, n }) => {
    const hit = targetsOf.get(`${at_s} ${person} ${hash}`) ?? [];
    const persons = new Set(hit.flatMap((ref) => book.numberOf(ref, at_s) ?? []));
    return [...persons].map((target) => ({ scope, at_s, person, hash, n, target }));
  });
  await inserts.targets.run(db, rows);
}

/** A call is stored once; who answered it is added when it is known, and stays. */
export async function storeModCalls(
  place: Place,
  log: LogRows<ModCallEntry>,
): Promise<Stored<{ at_s: number }>> {
  const { db, scope, book, inserts, callsLook } = place;
  const { wanted, isShared } = kept(place, log, ({ caller }) => [caller]);
  const calls = wanted.map(({ row: { atS, moderator }, people: [caller = 0] }) => {
    const by = moderator === undefined ? undefined : book.numberOf(moderator, atS);
    return { atS, caller, moderator: by ?? null };
  });
  const groups = Map.groupBy(calls, callKey);
  // Which of several equal calls an answer belongs to depends on what is stored: these are answered afterwards.
  const open = { moderator: null, answered_s: null, open_s: null };
  const rows = [...groups.values()].flatMap((group) =>
    group.map(({ atS, caller, moderator }, n): ModCallTable => {
      const isKnown = group.length === 1 && moderator !== null;
      const answer = isKnown ? { moderator, ...answeredBy(callsLook) } : open;
      return { scope, at_s: atS, caller, n, ...answer };
    }),
  );
  const fresh = await inserts.modCalls.run(db, rows);
  const isFresh = new Set(fresh.map(({ at_s, caller }) => callKey({ atS: at_s, caller })));
  for (const [key, group] of groups) {
    if (group.length > 1 || !isFresh.has(key)) await storeAnswers(place, group.flatMap(answerIn));
  }
  return { rows: fresh, isShared: isShared || fresh.length < rows.length };
}

/** An answer that is new was given since the look before. */
function answeredBy({ atS, beforeS }: Place["callsLook"]): Pick<ModCallTable, "answered_s" | "open_s"> {
  return { answered_s: atS, open_s: beforeS ?? null };
}

function callKey({ atS, caller }: Pick<Answer, "atS" | "caller">): string {
  return `${atS} ${caller}`;
}

function answerIn(
  call: Omit<Answer, "moderator"> & { readonly moderator: number | null },
): readonly Answer[] {
  return call.moderator === null ? [] : [{ ...call, moderator: call.moderator }];
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
      .set({ moderator, ...answeredBy(callsLook) })
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

/** Each row with its place among those of the same key. */
function numbered<R extends object>(
  rows: readonly R[],
  keyOf: (row: R) => string,
): readonly (R & { readonly n: number })[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const key = keyOf(row);
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return { ...row, n };
  });
}
