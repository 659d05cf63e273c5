import type { ExpressionBuilder, Kysely } from "kysely";
import { type Case, type CaseKind, caseKinds } from "../../domain/case.ts";
import type { CaseFilter } from "../../domain/ports/cases.ts";
import type { CasePlace } from "../cases/case-store.ts";
import { opennessOf } from "../cases/receipt.ts";
import type { CaseTable, HistoryTables } from "../database/schema.ts";
import { nameKey, storable } from "../database/storable.ts";
import type { QueryContext } from "./context.ts";

/** Cases, as they are read and changed. */

/** Longest list that one question answers. */
const MOST_FOUND = 100;

export async function get(
  { db }: QueryContext,
  { guildId, number }: { readonly guildId: string; readonly number: number },
): Promise<Case | undefined> {
  const row = await db
    .selectFrom("cases")
    .select("body")
    .where("guild_id", "=", guildId)
    .where("number", "=", number)
    .executeTakeFirst();
  return row === undefined ? undefined : caseIn(row.body);
}

export async function byOrigin(
  { db }: QueryContext,
  { guildId, origin }: { readonly guildId: string; readonly origin: string },
): Promise<Case | undefined> {
  return await ofOrigin(db, guildId, origin);
}

/** Replaces the one with its number; does nothing where there is none. */
export async function put({ db }: QueryContext, { one }: { readonly one: Case }): Promise<void> {
  // Only what a change of a case can touch: sqlite writes each index of a column that is named, also with the same value.
  const { is_revoked, is_open, body } = columnsOf(one);
  await db
    .updateTable("cases")
    .set({ is_revoked, is_open, body })
    .where("guild_id", "=", one.guildId)
    .where("number", "=", one.number)
    .execute();
}

/** Newest first. */
export async function search(
  { db }: QueryContext,
  { guildId, filter }: { readonly guildId: string; readonly filter: CaseFilter },
): Promise<readonly Case[]> {
  const { playerId, playerName, userId, authorPlayerId, kind, fromMs, toMs, before, limit } = filter;
  const { bindingIds } = filter;
  let query = db.selectFrom("cases").select("body").where("guild_id", "=", guildId);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  if (fromMs !== undefined) query = query.where("at_ms", ">=", fromMs);
  if (toMs !== undefined) query = query.where("at_ms", "<=", toMs);
  if (before !== undefined) query = query.where("number", "<", before);
  if (bindingIds !== undefined) query = query.where(isOfServers(bindingIds));
  if (userId !== undefined || authorPlayerId !== undefined) {
    query = query.where(({ eb, or }) =>
      or([
        ...(userId === undefined ? [] : [eb("author_user", "=", userId)]),
        ...(authorPlayerId === undefined ? [] : [eb("author_player", "=", authorPlayerId)]),
      ]),
    );
  }
  if (playerId !== undefined || playerName !== undefined) {
    query = query.where("number", "in", (builder) =>
      builder
        .selectFrom("case_targets")
        .select("number")
        .where("guild_id", "=", guildId)
        .where(({ eb, or }) =>
          or([
            ...(playerId === undefined ? [] : [eb("player_id", "=", playerId)]),
            ...(playerName === undefined ? [] : [eb("name_key", "=", nameKey(playerName))]),
          ]),
        ),
    );
  }
  const rows = await query
    .orderBy("number", "desc")
    .limit(Math.max(0, Math.min(limit, MOST_FOUND)))
    .execute();
  return rows.map(({ body }) => caseIn(body));
}

/** Cases of these servers, and of none. */
function isOfServers(bindingIds: readonly string[]) {
  return ({ eb, or }: ExpressionBuilder<HistoryTables, "cases">) =>
    or([
      eb("cases.binding_id", "is", null),
      ...(bindingIds.length === 0 ? [] : [eb("cases.binding_id", "in", bindingIds)]),
    ]);
}

interface CountArgs {
  readonly guildId: string;
  readonly playerId: number;
  readonly sinceMs: number;
  readonly bindingIds?: readonly string[];
}

/** How many of each kind count against a player. */
export async function counts(
  { db }: QueryContext,
  { guildId, playerId, sinceMs, bindingIds }: CountArgs,
): Promise<Readonly<Partial<Record<CaseKind, number>>>> {
  const counting = db
    .selectFrom("case_targets")
    .innerJoin("cases", (join) =>
      join
        .onRef("cases.guild_id", "=", "case_targets.guild_id")
        .onRef("cases.number", "=", "case_targets.number"),
    )
    .select(({ fn }) => ["kind", fn.countAll<number>().as("count")])
    .where("case_targets.guild_id", "=", guildId)
    .where("player_id", "=", playerId)
    .where("is_revoked", "=", 0)
    .where("at_ms", ">=", sinceMs)
    .groupBy("kind");
  const rows = await (bindingIds === undefined
    ? counting
    : counting.where(isOfServers(bindingIds))
  ).execute();
  const counted = new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
  return Object.fromEntries(
    caseKinds.flatMap((kind) => (counted.has(kind) ? [[kind, counted.get(kind) ?? 0]] : [])),
  );
}

interface OpenArgs {
  readonly sinceMs: number;
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: CasePlace | undefined;
}

/** Of all guilds, those that a restart has to look at, newest first. */
export async function open(
  { db }: QueryContext,
  { sinceMs, limit, after }: OpenArgs,
): Promise<readonly Case[]> {
  let query = db
    .selectFrom("cases")
    .select("body")
    .where(({ eb, or, and }) =>
      or([eb("is_open", "=", 2), and([eb("is_open", "=", 1), eb("at_ms", ">=", sinceMs)])]),
    );
  if (after !== undefined) query = query.where(isAfter(after));
  const rows = await query
    .orderBy("at_ms", "desc")
    .orderBy("guild_id", "desc")
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ body }) => caseIn(body));
}

function isAfter({ atMs, guildId, number }: CasePlace) {
  return ({ eb, or, and }: ExpressionBuilder<HistoryTables, "cases">) =>
    or([
      eb("at_ms", "<", atMs),
      and([eb("at_ms", "=", atMs), eb("guild_id", "<", guildId)]),
      and([eb("at_ms", "=", atMs), eb("guild_id", "=", guildId), eb("number", "<", number)]),
    ]);
}

export type Database = Pick<Kysely<HistoryTables>, "selectFrom" | "insertInto" | "updateTable">;

/** The case of an origin, where it stands. */
export async function ofOrigin(db: Database, guildId: string, origin: string): Promise<Case | undefined> {
  const row = await db
    .selectFrom("cases")
    .select("body")
    .where("guild_id", "=", guildId)
    .where("origin", "=", storable(origin))
    .executeTakeFirst();
  return row === undefined ? undefined : caseIn(row.body);
}

export function columnsOf(one: Case): Omit<CaseTable, "guild_id" | "number"> {
  return {
    kind: one.kind,
    at_ms: one.atMs,
    origin: one.origin === undefined ? null : storable(one.origin),
    binding_id: one.bindingId ?? null,
    author_user: one.author.userId ?? null,
    author_player: one.author.playerId ?? null,
    is_revoked: one.revoked === undefined ? 0 : 1,
    is_open: opennessOf(one),
    body: JSON.stringify(one),
  };
}

/** Written by us alone, in this form. */
export function caseIn(body: string): Case {
  return JSON.parse(body) as Case;
}
