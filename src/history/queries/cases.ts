import type { ExpressionBuilder, Kysely } from "kysely";
import { type Case, type CaseCard, type CaseDraft, type CaseKind, caseKinds } from "../../domain/case.ts";
import type { CaseFilter } from "../../domain/ports/cases.ts";
import type { CaseTable, HistoryTables } from "../database/schema.ts";
import { nameKey, storable } from "../database/storable.ts";
import { openEvidence } from "../positions/case-evidence.ts";
import type { QueryContext } from "./context.ts";

/** Cases: numbered within a guild, never numbered twice. */

/** Longest list that one question answers. */
const MOST_FOUND = 100;

interface AddArgs {
  readonly draft: CaseDraft;
  readonly card: CaseCard | undefined;
  /** Cases that the guild may have. */
  readonly most: number;
  /** When it happened, by the service's clock. */
  readonly atS?: number;
}

/**
 * Adds a case under the next number. Returns the one of the same origin where it stands; number 0 where it was erased, or
 * where the guild has as many as it may.
 */
export async function add(
  { db, hashOf }: QueryContext,
  { draft, card, most, atS = Math.floor(draft.atMs / 1_000) }: AddArgs,
): Promise<{ readonly one: Case; readonly isNew: boolean; readonly isFull?: true }> {
  const { guildId, origin } = draft;
  return await db.transaction().execute(async (transaction) => {
    // The counter's row is held until the end, so that of two processes one waits here for the other.
    const number = await nextNumber(transaction, guildId);
    const standing = origin === undefined ? undefined : await ofOrigin(transaction, guildId, origin);
    if (standing !== undefined) {
      await giveBack(transaction, guildId);
      return { one: standing, isNew: false };
    }
    if (origin !== undefined && (await wasErased(transaction, guildId, hashOf(origin)))) {
      await giveBack(transaction, guildId);
      return { one: { ...draft, number: 0, edits: [] }, isNew: false };
    }
    // Numbers are never used again, so that a small one says without counting that there is room.
    if (number > most && (await countOf(transaction, guildId)) >= most) {
      await giveBack(transaction, guildId);
      return { one: { ...draft, number: 0, edits: [] }, isNew: false, isFull: true };
    }
    const one: Case = { ...draft, number, edits: [], ...(card === undefined ? {} : { card }) };
    await transaction
      .insertInto("cases")
      .values({ guild_id: guildId, number, ...columnsOf(one, true) })
      .execute();
    await writeTargets(transaction, one);
    await openEvidence(transaction, draft, { number, atS });
    return { one, isNew: true };
  });
}

async function countOf(db: Database, guildId: string): Promise<number> {
  const { count } = await db
    .selectFrom("cases")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("guild_id", "=", guildId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

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
export async function put(
  { db }: QueryContext,
  { one, isOpen }: { readonly one: Case; readonly isOpen: boolean },
): Promise<void> {
  await db
    .updateTable("cases")
    .set(columnsOf(one, isOpen))
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

/** Of all guilds, those that a restart has to look at, newest first. */
export async function open(
  { db }: QueryContext,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
): Promise<readonly Case[]> {
  const rows = await db
    .selectFrom("cases")
    .select("body")
    .where("is_open", "=", 1)
    .where("at_ms", ">=", sinceMs)
    .orderBy("at_ms", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ body }) => caseIn(body));
}

type Database = Pick<Kysely<HistoryTables>, "selectFrom" | "insertInto" | "updateTable">;

async function ofOrigin(db: Database, guildId: string, origin: string): Promise<Case | undefined> {
  const row = await db
    .selectFrom("cases")
    .select("body")
    .where("guild_id", "=", guildId)
    .where("origin", "=", storable(origin))
    .executeTakeFirst();
  return row === undefined ? undefined : caseIn(row.body);
}

/** Whether a case of that origin was erased. */
async function wasErased(db: Database, guildId: string, hash: number): Promise<boolean> {
  const row = await db
    .selectFrom("erased_cases")
    .select("hash")
    .where("guild_id", "=", guildId)
    .where("hash", "=", hash)
    .executeTakeFirst();
  return row !== undefined;
}

function counterOf(guildId: string): string {
  return `cases ${guildId}`;
}

async function nextNumber(db: Database, guildId: string): Promise<number> {
  const { value } = await db
    .insertInto("counters")
    .values({ name: counterOf(guildId), value: 1 })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet(({ eb, ref }) => ({ value: eb(ref("counters.value"), "+", 1) })),
    )
    .returning("value")
    .executeTakeFirstOrThrow();
  return Number(value);
}

/** Gives the number back, since no case took it. */
async function giveBack(db: Database, guildId: string): Promise<void> {
  await db
    .updateTable("counters")
    .set(({ eb }) => ({ value: eb("value", "-", 1) }))
    .where("name", "=", counterOf(guildId))
    .execute();
}

export function columnsOf(one: Case, isOpen: boolean): Omit<CaseTable, "guild_id" | "number"> {
  return {
    kind: one.kind,
    at_ms: one.atMs,
    origin: one.origin === undefined ? null : storable(one.origin),
    binding_id: one.bindingId ?? null,
    author_user: one.author.userId ?? null,
    author_player: one.author.playerId ?? null,
    is_revoked: one.revoked === undefined ? 0 : 1,
    is_open: isOpen ? 1 : 0,
    body: JSON.stringify(one),
  };
}

async function writeTargets(db: Database, { guildId, number, targets }: Case): Promise<void> {
  if (targets.length === 0) return;
  await db
    .insertInto("case_targets")
    .values(
      targets.map(({ name, playerId }) => ({
        guild_id: guildId,
        number,
        player_id: playerId ?? 0,
        name_key: nameKey(name),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Written by us alone, in this form. */
export function caseIn(body: string): Case {
  return JSON.parse(body) as Case;
}
