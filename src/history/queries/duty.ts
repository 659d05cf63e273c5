import { setImmediate } from "node:timers/promises";
import {
  type DutyKey,
  type DutyKind,
  type DutyRow,
  type DutyWanted,
  MOST_DUTY_ROWS,
} from "../../domain/ports/duty-store.ts";
import { chunks } from "../database/chunks.ts";
import type { DutyTable } from "../database/schema.ts";
import { storable } from "../database/storable.ts";
import { PAGE_ROWS } from "./all-rows.ts";
import type { QueryContext } from "./context.ts";

/** What is kept of duty, as it was given: what it means is known to duty alone. */

/** Stands for an end that has not come. */
export const NEVER_S = Number.MAX_SAFE_INTEGER;

/** All that is wanted, however many there are: a month of a large community has more shifts than one page. */
export async function rows(context: QueryContext, wanted: DutyWanted): Promise<readonly DutyRow[]> {
  if (wanted.limit !== undefined) return (await page(context, wanted, { limit: wanted.limit })).map(rowOf);
  const found: DutyRow[] = [];
  for (let after: Place | undefined; ; await setImmediate()) {
    const some = await page(context, wanted, { limit: PAGE_ROWS, after });
    for (const row of some) found.push(rowOf(row));
    after = some.at(-1);
    if (after === undefined || some.length < PAGE_ROWS || found.length >= MOST_DUTY_ROWS) return found;
  }
}

type Place = Pick<DutyTable, "from_s" | "id" | "kind">;

/** Newest first where somebody asked for a number of them, else oldest first. */
async function page(
  { db }: QueryContext,
  wanted: DutyWanted,
  { limit, after }: { readonly limit: number; readonly after?: Place | undefined },
): Promise<readonly DutyTable[]> {
  const { guildId, kinds, userId, id, sinceS, beforeS, isOpen } = wanted;
  let query = db
    .selectFrom("duty")
    .selectAll()
    .where("guild_id", "=", guildId)
    .where("kind", "in", [...kinds]);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (id !== undefined) query = query.where("id", "=", id);
  if (sinceS !== undefined) query = query.where("until_s", ">=", sinceS);
  if (beforeS !== undefined) query = query.where("from_s", "<", beforeS);
  if (isOpen === true) query = query.where("until_s", "=", NEVER_S);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("from_s", "id", "kind"), ">", tuple(after.from_s, after.id, after.kind)),
    );
  }
  const order = wanted.limit === undefined ? "asc" : "desc";
  return await query
    .orderBy("from_s", order)
    .orderBy("id", order)
    .orderBy("kind", order)
    .limit(limit)
    .execute();
}

interface Change {
  readonly put?: readonly DutyRow[];
  readonly drop?: readonly DutyKey[];
}

/** What looks showed of a player before they were forgotten is left out: it is known in memory until it ends. */
export async function write(context: QueryContext, change: Change): Promise<void> {
  const seen = (change.put ?? []).filter(isSeen);
  if (seen.length === 0) return await store(context, change);
  // An erasure that is under way comes first.
  await context.writing.take("all", async () => {
    const forgotten = await forgottenIn(context, seen);
    await store(context, { ...change, put: change.put?.filter((row) => !forgotten.has(row)) ?? [] });
  });
}

function isSeen({ kind }: DutyRow): boolean {
  return kind === "state" || kind === "still";
}

async function forgottenIn(
  { db, markOf }: QueryContext,
  seen: readonly DutyRow[],
): Promise<ReadonlySet<DutyRow>> {
  const forgotten = new Set<DutyRow>();
  for (const [guildId, rows] of Map.groupBy(seen, (row) => row.guildId)) {
    const barriers = await db
      .selectFrom("barriers")
      .innerJoin("guilds", "guilds.id", "barriers.guild")
      .select(["mark", "until_s"])
      .where("guild_id", "=", guildId)
      .execute();
    if (barriers.length === 0) continue;
    const untilS = new Map(barriers.map(({ mark, until_s }) => [mark, until_s]));
    for (const row of rows)
      if (row.fromS <= (untilS.get(markOf(guildId, row.playerId)) ?? -1)) forgotten.add(row);
  }
  return forgotten;
}

async function store({ db }: QueryContext, { put = [], drop = [] }: Change): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const { guildId, kind, id } of drop) {
      await transaction
        .deleteFrom("duty")
        .where("guild_id", "=", guildId)
        .where("kind", "=", kind)
        .where("id", "=", id)
        .execute();
    }
    for (const some of chunks(put.map(columnsOf))) {
      await transaction
        .insertInto("duty")
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(["guild_id", "kind", "id"]).doUpdateSet((set) => ({
            user_id: set.ref("excluded.user_id"),
            player_id: set.ref("excluded.player_id"),
            from_s: set.ref("excluded.from_s"),
            until_s: set.ref("excluded.until_s"),
            body: set.ref("excluded.body"),
          })),
        )
        .execute();
    }
  });
}

/** The guilds that have set duty up. */
export async function guilds({ db }: QueryContext, _: object): Promise<readonly string[]> {
  const found = await db
    .selectFrom("duty")
    .select("guild_id")
    .distinct()
    .where("kind", "=", "setup")
    .orderBy("guild_id")
    .execute();
  return found.map(({ guild_id }) => guild_id);
}

function columnsOf({ guildId, kind, id, userId, playerId, fromS, untilS, body }: DutyRow): DutyTable {
  return {
    guild_id: guildId,
    kind,
    id,
    user_id: userId,
    player_id: playerId,
    from_s: fromS,
    until_s: untilS ?? NEVER_S,
    body: storable(body),
  };
}

function rowOf(row: DutyTable): DutyRow {
  return {
    guildId: row.guild_id,
    kind: row.kind as DutyKind,
    id: row.id,
    userId: row.user_id,
    playerId: row.player_id,
    fromS: row.from_s,
    untilS: row.until_s === NEVER_S ? undefined : row.until_s,
    body: row.body,
  };
}
