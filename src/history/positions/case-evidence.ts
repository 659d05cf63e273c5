import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { CaseDraft } from "../../domain/case.ts";
import type { HistoryRow } from "../../domain/history.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { CaseEvidence } from "../../domain/track.ts";
import type { QueryContext } from "../queries/context.ts";
import { readRows } from "../queries/history-rows.ts";
import type { Scope } from "../queries/scopes.ts";
import { listOf } from "./chunk.ts";
import { trackOf } from "./read-positions.ts";

/**
 * What a case keeps of the minutes around it: the rows of the logs and where people were. It is gathered when those
 * minutes are over, before anything of them is erased and whenever somebody asks, and stays until the case goes.
 */

/** Seconds before and after. */
const AROUND_S = 120;
/** Looks and rows of the last second come a little later. */
const CLOSED_AFTER_S = AROUND_S + 180;
const MOST_ROWS = 300;
const MOST_A_STEP = 50;
const LOGS = ["visits", "kills", "commands", "mod_calls", "emergency_calls"] as const;

type Db = Pick<QueryContext["db"], "selectFrom" | "insertInto" | "updateTable" | "deleteFrom">;
export type Kept = Pick<CaseEvidence, "rows" | "track">;

/** Notes that a case of a server is to keep its minutes. `atS` by the service's clock. */
export async function openEvidence(
  db: Db,
  { guildId, bindingId }: Pick<CaseDraft, "guildId" | "bindingId">,
  { number, atS }: { readonly number: number; readonly atS: number },
): Promise<void> {
  if (bindingId === undefined) return;
  await db
    .insertInto("case_evidence")
    .values({
      guild_id: guildId,
      number,
      binding_id: bindingId,
      at_s: atS,
      is_open: 1,
      people: listOf([]),
      body: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What a case keeps; undefined: nothing, as a case of no server or of an earlier release. */
export async function evidence(
  context: QueryContext,
  { guildId, number }: { readonly guildId: string; readonly number: number },
): Promise<CaseEvidence | undefined> {
  return await context.writing.take("all", async () => {
    await fillOpenEvidence(context, { guildId, number });
    const row = await context.db
      .selectFrom("case_evidence")
      .select(["at_s", "body"])
      .where("guild_id", "=", guildId)
      .where("number", "=", number)
      .executeTakeFirst();
    if (row === undefined || row.body === null) return undefined;
    return { atS: row.at_s, fromS: row.at_s - AROUND_S, toS: row.at_s + AROUND_S, ...keptIn(row.body) };
  });
}

/** Gathers for some cases whose minutes are over. True: none is left. */
export async function keepEvidence(
  context: QueryContext,
  { nowS }: { readonly nowS: number },
): Promise<boolean> {
  return await context.writing.take("all", async () => {
    const beforeS = nowS - CLOSED_AFTER_S;
    return (await fillOpenEvidence(context, { beforeS, closes: true })) < MOST_A_STEP;
  });
}

/** Somebody of a guild is about to be forgotten: cases that are about them keep what they have. */
export async function closeEvidence(
  context: Pick<QueryContext, "db">,
  { guildId, nowS }: { readonly guildId: string; readonly nowS: number },
): Promise<void> {
  await fillOpenEvidence(context, { guildId });
  while ((await fillOpenEvidence(context, { guildId, beforeS: nowS - AROUND_S, closes: true })) > 0);
}

interface Which {
  readonly guildId?: string;
  readonly number?: number;
  readonly beforeS?: number;
  /** Nothing will come of these minutes any more. */
  readonly closes?: boolean;
}

/** Gathers what there is for cases that are open. Answers for how many. */
export async function fillOpenEvidence(
  context: Pick<QueryContext, "db">,
  { guildId, number, beforeS, closes = false }: Which,
): Promise<number> {
  let query = context.db.selectFrom("case_evidence").selectAll().where("is_open", "=", 1);
  if (guildId !== undefined) query = query.where("guild_id", "=", guildId);
  if (number !== undefined) query = query.where("number", "=", number);
  if (beforeS !== undefined) query = query.where("at_s", "<", beforeS).limit(MOST_A_STEP);
  const open = await query.execute();
  for (const { guild_id, number: of, binding_id, at_s, body } of open) {
    const scope = await scopeOf(context, guild_id, binding_id);
    const found = scope === undefined ? undefined : await gathered(context, scope, at_s);
    // What was gathered before stays where the rows themselves are gone by now.
    const kept = found === undefined || isLess(found, body) ? undefined : found;
    await context.db
      .updateTable("case_evidence")
      .set({ is_open: closes ? 0 : 1, ...(kept === undefined ? {} : columnsOf(kept)) })
      .where("guild_id", "=", guild_id)
      .where("number", "=", of)
      .execute();
  }
  return open.length;
}

function isLess(found: Kept, body: Uint8Array | null): boolean {
  if (body === null) return false;
  const before = keptIn(body);
  return (
    found.rows.length < before.rows.length ||
    (found.track?.looksS.length ?? 0) < (before.track?.looksS.length ?? 0)
  );
}

async function gathered(context: Pick<QueryContext, "db">, scope: Scope, atS: number): Promise<Kept> {
  const [fromS, toS] = [atS - AROUND_S, atS + AROUND_S];
  const rows = await readRows(context, LOGS, { scopes: [scope], side: { fromS, toS }, limit: MOST_ROWS });
  const track = await trackOf(context, scope, { fromS, toS });
  return { rows, ...(track.looksS.length === 0 ? {} : { track }) };
}

/** A server of the guild, also one that was unlinked. */
async function scopeOf(
  { db }: Pick<QueryContext, "db">,
  guildId: string,
  bindingId: string,
): Promise<Scope | undefined> {
  const row = await db
    .selectFrom("scopes")
    .innerJoin("guilds", "guilds.id", "scopes.guild")
    .select(["scopes.id", "start_s"])
    .where("guild_id", "=", guildId)
    .where("binding_id", "=", bindingId)
    .executeTakeFirst();
  return row && { id: row.id, bindingId, startS: row.start_s ?? undefined, lookedS: undefined };
}

/** As it is written. */
export function columnsOf(kept: Kept) {
  const refs = [...kept.rows.flatMap(refsIn), ...(kept.track?.players ?? []).map(({ player }) => player)];
  const ids = new Set(refs.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return { people: listOf([...ids]), body: deflateRawSync(JSON.stringify(kept)) };
}

export function keptIn(body: Uint8Array): Kept {
  return JSON.parse(inflateRawSync(body).toString("utf8")) as Kept;
}

/** Whether a case has positions of its own. */
export async function hasTrack(
  context: Pick<QueryContext, "db">,
  { guildId, number }: { readonly guildId: string; readonly number: number },
): Promise<boolean> {
  const row = await context.db
    .selectFrom("case_evidence")
    .select("body")
    .where("guild_id", "=", guildId)
    .where("number", "=", number)
    .executeTakeFirst();
  return row?.body != null && keptIn(row.body).track !== undefined;
}

/** Whom a row names. */
export function refsIn(row: HistoryRow): readonly PlayerRef[] {
  switch (row.kind) {
    case "kill":
      return [row.killer, row.killed];
    case "modCall":
      return row.moderator === undefined ? [row.caller] : [row.caller, row.moderator];
    case "emergencyCall":
      return row.caller === undefined ? [] : [row.caller];
    case "command":
      // Whom it hit where its text does not name them in full.
      return [row.player, ...(row.hit ?? [])];
    default:
      return [row.player];
  }
}
