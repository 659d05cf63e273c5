import type { HistoryRow } from "../../domain/history.ts";
import type { Spot } from "../../domain/track.ts";
import { naming } from "../queries/blank-commands.ts";
import type { QueryContext } from "../queries/context.ts";
import { columnsOf, type Kept, keptIn, refsIn } from "./case-evidence.ts";

/** What the minutes that cases keep say of one player, who may have no row of their own any more. */

/** Minutes that are read at once. */
const AT_ONCE = 200;

type Db = Pick<QueryContext["db"], "selectFrom" | "updateTable">;

/** Whose they are, by the id; names may stand in commands that others typed. */
export interface Who {
  readonly id: number;
  readonly names: readonly string[];
}

export interface KeptOfPlayer {
  /** Of the case. */
  readonly number: number;
  readonly rows: readonly HistoryRow[];
  readonly spots: readonly (Spot & { readonly atS: number })[];
}

/** By case, the newest first; cases that keep nothing of this player are left out. */
export async function evidenceOfPlayer(db: Db, guildId: string, who: Who): Promise<readonly KeptOfPlayer[]> {
  const found: KeptOfPlayer[] = [];
  for await (const { number, kept } of allOf(db, guildId)) {
    const rows = kept.rows.filter(isTheirs(kept, who)).map((row) => withoutOthers(row, who));
    const { looksS = [], players = [] } = kept.track ?? {};
    const theirs = players.find(({ player }) => player.id === who.id)?.spots ?? [];
    const spots = theirs.flatMap((spot, at) => (spot === null ? [] : [{ atS: looksS[at] ?? 0, ...spot }]));
    if (rows.length + spots.length > 0) found.push({ number, rows, spots });
  }
  return found;
}

/**
 * Takes a player out of what the cases of others keep, or out of the case with this number. Answers for how many cases.
 * A command names people of whom nothing else is kept there, so that all of them are read.
 */
export async function forgetInEvidence(
  db: Db,
  guildId: string,
  { number, ...who }: Who & { readonly number?: number },
): Promise<number> {
  const own = number === undefined ? await casesAbout(db, guildId, who.id) : new Set<number>();
  let changed = 0;
  for await (const { number: of, kept } of allOf(db, guildId, number)) {
    const rest = own.has(of) ? kept : without(kept, who);
    if (rest === kept) continue;
    await db
      .updateTable("case_evidence")
      .set(columnsOf(rest))
      .where("guild_id", "=", guildId)
      .where("number", "=", of)
      .execute();
    changed += 1;
  }
  return changed;
}

async function casesAbout(db: Db, guildId: string, playerId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom("case_targets")
    .select("number")
    .where("guild_id", "=", guildId)
    .where("player_id", "=", playerId)
    .execute();
  return new Set(rows.map(({ number }) => number));
}

async function* allOf(
  db: Db,
  guildId: string,
  only?: number,
): AsyncGenerator<{ readonly number: number; readonly kept: Kept }> {
  for (let below: number | undefined; ; ) {
    let query = db.selectFrom("case_evidence").select(["number", "body"]).where("guild_id", "=", guildId);
    if (below !== undefined) query = query.where("number", "<", below);
    if (only !== undefined) query = query.where("number", "=", only);
    const rows = await query.orderBy("number", "desc").limit(AT_ONCE).execute();
    for (const { number, body } of rows) if (body !== null) yield { number, kept: keptIn(body) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) return;
    below = last.number;
  }
}

/** Rows that name the player, and commands that others typed about them by the id or a name, also one that only stands here. */
function isTheirs(kept: Kept, { id, names }: Who): (row: HistoryRow) => boolean {
  const refs = [...kept.rows.flatMap(refsIn), ...(kept.track?.players ?? []).map(({ player }) => player)];
  const all = [...names, ...refs.flatMap((ref) => (ref.id === id ? [ref.name] : []))];
  const isNamed = naming([String(id), ...new Set(all)]);
  return (row) => refsIn(row).some((ref) => ref.id === id) || (row.kind === "command" && isNamed(row.text));
}

/** The same where nothing of it is theirs. */
function without(kept: Kept, who: Who): Kept {
  const isOut = isTheirs(kept, who);
  const rows = kept.rows.filter((row) => !isOut(row));
  const { track } = kept;
  const players = track?.players.filter(({ player }) => player.id !== who.id) ?? [];
  if (rows.length === kept.rows.length && players.length === (track?.players.length ?? 0)) return kept;
  return { rows, ...(track === undefined ? {} : { track: { ...track, players } }) };
}

/** Of a command of somebody else that aims at several only the verb is theirs to read. */
function withoutOthers(row: HistoryRow, { id }: Who): HistoryRow {
  if (row.kind !== "command" || row.player.id === id) return row;
  const { hit = [], ...command } = row;
  const namesSeveral = hit.some((one) => one.id !== id) || /^\s*\S+\s+[^\s,]*,/u.test(row.text);
  return namesSeveral ? { ...command, text: /\S+/u.exec(row.text)?.[0] ?? "" } : row;
}
