import type { Transaction } from "kysely";
import type { Case, CaseCard, CaseDraft } from "../../domain/case.ts";
import type { HistoryTables } from "../database/schema.ts";
import { nameKey } from "../database/storable.ts";
import { openEvidence } from "../positions/case-evidence.ts";
import { columnsOf, type Database, ofOrigin } from "./cases.ts";
import type { QueryContext } from "./context.ts";

/** New cases: numbered within a guild, never numbered twice. */

export interface AddArgs {
  readonly draft: CaseDraft;
  readonly card: CaseCard | undefined;
  /** Cases that the guild may have. */
  readonly most: number;
  /** When it happened, by the service's clock. */
  readonly atS?: number;
}

export interface Added {
  readonly one: Case;
  readonly isNew: boolean;
  readonly isFull?: true;
}

/**
 * Adds a case under the next number. Returns the one of the same origin where it stands; number 0 where it was erased, or
 * where the guild has as many as it may.
 */
export async function add(context: QueryContext, args: AddArgs): Promise<Added> {
  return await context.db.transaction().execute((transaction) => addIn(transaction, context, args));
}

/** A transaction was taken back before its end; the cause is the database's error. */
export class NothingAdded extends Error {}

/** Several in one transaction, all or none; the answers in the order of asking. Rejects with NothingAdded, or where its end got no answer, with the database's error. */
export async function addAll(context: QueryContext, asked: readonly AddArgs[]): Promise<readonly Added[]> {
  // Each holds its guild's counter until the end: in one order, so that no two processes wait for each other.
  const inOrder = [...asked].sort((one, other) => (one.draft.guildId < other.draft.guildId ? -1 : 1));
  const added = new Map<AddArgs, Added>();
  await context.db.transaction().execute(async (transaction) => {
    try {
      for (const args of inOrder) added.set(args, await addIn(transaction, context, args));
    } catch (cause) {
      throw new NothingAdded("the group was taken back", { cause });
    }
  });
  return asked.flatMap((args) => added.get(args) ?? []);
}

async function addIn(
  db: Transaction<HistoryTables>,
  { hashOf }: QueryContext,
  { draft, card, most, atS = Math.floor(draft.atMs / 1_000) }: AddArgs,
): Promise<Added> {
  const { guildId, origin } = draft;
  // The counter's row is held until the end, so that of two processes one waits here for the other.
  const number = await nextNumber(db, guildId);
  const standing = origin === undefined ? undefined : await ofOrigin(db, guildId, origin);
  if (standing !== undefined) {
    await giveBack(db, guildId);
    return { one: standing, isNew: false };
  }
  if (origin !== undefined && (await wasErased(db, guildId, hashOf(origin)))) {
    await giveBack(db, guildId);
    return { one: { ...draft, number: 0, edits: [] }, isNew: false };
  }
  // Numbers are never used again, so that a small one says without counting that there is room.
  if (number > most && (await countOf(db, guildId)) >= most) {
    await giveBack(db, guildId);
    return { one: { ...draft, number: 0, edits: [] }, isNew: false, isFull: true };
  }
  const one: Case = { ...draft, number, edits: [], ...(card === undefined ? {} : { card }) };
  await db
    .insertInto("cases")
    .values({ guild_id: guildId, number, ...columnsOf(one) })
    .execute();
  await writeTargets(db, one);
  await openEvidence(db, draft, { number, atS });
  return { one, isNew: true };
}

async function countOf(db: Database, guildId: string): Promise<number> {
  const { count } = await db
    .selectFrom("cases")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("guild_id", "=", guildId)
    .executeTakeFirstOrThrow();
  return Number(count);
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
