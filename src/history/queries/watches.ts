import type { StoredWatches, WatchRow } from "../cases/case-store.ts";
import { watchRowIn } from "../cases/stored-watch.ts";
import type { QueryContext } from "./context.ts";

/** The watchlists of all guilds: small, and kept in memory by the caller. */

export async function put({ db }: QueryContext, { row }: { readonly row: WatchRow }): Promise<void> {
  const { guildId, playerId } = row.watch;
  const body = JSON.stringify(row);
  await db
    .insertInto("watches")
    .values({ guild_id: guildId, player_id: playerId, body })
    .onConflict((conflict) => conflict.columns(["guild_id", "player_id"]).doUpdateSet({ body }))
    .execute();
}

export async function remove(
  { db }: QueryContext,
  { guildId, playerId }: { readonly guildId: string; readonly playerId: number },
): Promise<void> {
  await db.deleteFrom("watches").where("guild_id", "=", guildId).where("player_id", "=", playerId).execute();
}

export async function all({ db }: QueryContext, _: Readonly<Record<string, never>>): Promise<StoredWatches> {
  const stored = await db.selectFrom("watches").select("body").execute();
  const rows = stored.flatMap(({ body }) => watchRowIn(body) ?? []);
  return { rows, unreadable: stored.length - rows.length };
}
