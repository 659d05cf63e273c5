import type { Transaction } from "kysely";
import type { HistoryTables } from "../database/schema.ts";
import { storable, storableCount } from "../database/storable.ts";
import type { RecordedAnswer } from "./recorded-answer.ts";
import type { ScopeState } from "./scope-state.ts";
import type { Place } from "./store-logs.ts";

type Db = Transaction<HistoryTables>;

const MINUTE_S = 60;
const HOUR_S = 3_600;
/** A number that does not change is written this often: a time without looks then differs from one without change. */
const COUNT_AGAIN_S = 900;
/** Hours of every zone consist of these. */
const QUARTER_S = 900;
/** The rank of nearly everybody; only what differs from it is written. */
const NO_RANK = "Normal";

/**
 * Notes the look, where its list of players is what the rows say: whoever is gone by the next one, also after a pause,
 * was there until now.
 */
export async function storeLook(db: Db, state: ScopeState, atS: number): Promise<void> {
  if (!isWhatRowsSay(state)) return;
  await db
    .updateTable("scopes")
    .set((columns) => ({ looked_before_s: columns.ref("looked_s"), looked_s: Math.floor(atS) }))
    .where("id", "=", state.id)
    .execute();
}

/** Nobody is in the last list, or missing from it, without a row. */
function isWhatRowsSay({ presence }: ScopeState): boolean {
  return presence.appearing.size + presence.vanishing.size === 0;
}

/** The rank that an answer shows; where it does not tell it, the one that is known. */
export function rankShown({ permissions }: ScopeState, person: number | undefined, permission: string) {
  if (permission !== "") return permission;
  return (person === undefined ? undefined : permissions.get(person)) ?? NO_RANK;
}

/** The rank of everybody of staff, when it was seen first and when it changes. */
export async function storePermissions(
  db: Db,
  { id, permissions }: ScopeState,
  listed: ReadonlyMap<number, string>,
  atS: number,
): Promise<void> {
  const changed = [...listed].filter(
    ([person, permission]) => permission !== (permissions.get(person) ?? NO_RANK),
  );
  if (changed.length === 0) return;
  await db
    .insertInto("ranks")
    .values(
      changed.map(([person, permission]) => ({
        scope: id,
        person,
        at_s: atS,
        permission: storable(permission),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (const [person, permission] of changed) permissions.set(person, permission);
}

/** How many are there: once a minute at most, but for those that are more than any before in their quarter of an hour. */
export async function storeCount(
  db: Db,
  state: ScopeState,
  { ranks, ...answer }: RecordedAnswer & { readonly ranks: readonly string[] },
): Promise<void> {
  const minuteS = Math.floor(answer.atS / MINUTE_S) * MINUTE_S;
  const quarter = Math.floor(answer.atS / QUARTER_S);
  const staff = ranks.filter((rank) => rank !== NO_RANK).length;
  const next = { players: storableCount(answer.playerCount), staff, queue: answer.queue ?? null };
  const last = state.count;
  const most = state.most?.quarter === quarter ? state.most.players : 0;
  // Of the time before the first look nothing is known.
  let atS = last === undefined ? Math.floor(answer.atS) : minuteS;
  if (last !== undefined) {
    const isSame = last.players === next.players && last.staff === next.staff && last.queue === next.queue;
    if (isSame && minuteS < last.atS + COUNT_AGAIN_S) return;
    if (minuteS <= last.atS) {
      atS = Math.floor(answer.atS);
      if (atS <= last.atS || next.players <= Math.max(most, last.players)) return;
    }
  }
  await db
    .insertInto("counts")
    .values({ scope: state.id, at_s: atS, ...next })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  state.count = { atS, ...next };
  state.most = { quarter, players: Math.max(most, next.players) };
}

/**
 * Everybody who is there, once an hour: by a list that is what the rows say. Who is in it, or not, without a row gets one
 * by the list after it, which another process would not write that reads here that it is known already.
 */
export async function storeRoster(
  db: Db,
  state: ScopeState,
  persons: readonly number[],
  atS: number,
): Promise<void> {
  const hour = Math.floor(atS / HOUR_S);
  if (state.rosterS !== undefined && Math.floor(state.rosterS / HOUR_S) >= hour) return;
  if (!isWhatRowsSay(state)) return;
  await db
    .insertInto("rosters")
    .values({ scope: state.id, at_s: atS, persons: [...persons].sort((a, b) => a - b).join(",") })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  state.rosterS = atS;
}

/** Calls that are open now; each is written when it is seen first. */
export async function storeEmergencyCalls(
  { db, scope, book, fromS }: Place,
  state: ScopeState,
  { emergencyCalls = [] }: RecordedAnswer,
): Promise<void> {
  const keys = new Set<string>();
  for (const call of emergencyCalls) {
    const { startedAtS, callNumber, callerId } = call;
    const key = `${startedAtS} ${callNumber}`;
    keys.add(key);
    if (state.emergencyCalls.has(key) || startedAtS < fromS) continue;
    // SQLite would take any number into a column of whole ones.
    if (!Number.isSafeInteger(callNumber)) throw new RangeError(`${callNumber} is no number of a call`);
    const caller = callerId === undefined ? null : book.numberOf({ name: "", id: callerId }, startedAtS);
    if (caller === undefined) continue;
    await db
      .insertInto("emergency_calls")
      .values({
        scope,
        at_s: startedAtS,
        number: callNumber,
        team: storable(call.team),
        caller,
        description: optional(call.description),
        place: optional(call.positionDescriptor),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  state.emergencyCalls.clear();
  for (const key of keys) state.emergencyCalls.add(key);
}

function optional(text: string | undefined): string | null {
  return text === undefined ? null : storable(text);
}
