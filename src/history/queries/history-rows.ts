import { unnamedIn } from "../../domain/command-hits.ts";
import type { HistoryRow, HistoryRowOf } from "../../domain/history.ts";
import { VISIT } from "../database/schema.ts";
import type { QueryContext } from "./context.ts";
import { type LogRow, type LogTable, type PersonPart, type RowRange, readLog } from "./log-rows.ts";
import { idsOf, refsOf, type Scope } from "./scopes.ts";

/** Which rows of the logs are meant. */
export interface RowFilter {
  readonly scopes: readonly Scope[];
  /** From this second on, oldest first; or up to this second, newest first. */
  readonly side:
    | { readonly fromS: number; readonly toS?: number }
    | { readonly upToS: number; readonly fromS?: number };
  readonly limit: number;
  /** Only rows of this person, in the part that `as` names. */
  readonly person?: PersonPart;
}

const VISIT_KINDS = {
  [VISIT.joined]: "join",
  [VISIT.left]: "leave",
  [VISIT.appeared]: "appeared",
  [VISIT.vanished]: "vanished",
  [VISIT.seenAgain]: "appeared",
} as const;

/** Rows of some logs, nearest to the named second first. */
export async function readRows(
  context: Pick<QueryContext, "db">,
  tables: readonly LogTable[],
  filter: RowFilter,
): Promise<readonly HistoryRow[]> {
  if (filter.scopes.length === 0) return [];
  const range = rangeOf(filter);
  const isDown = range.order === "desc";
  const found: LogRow[] = [];
  // Within one second the logs keep their order, from either end: a player is killed first and calls then.
  for (const table of isDown ? tables.toReversed() : tables) {
    found.push(...(await readLog[table](context.db, range, filter.person)));
  }
  const direction = isDown ? -1 : 1;
  found.sort((a, b) => direction * (a.at_s - b.at_s));

  const rows = found.slice(0, filter.limit);
  const refOf = await refsOf(
    context,
    rows.flatMap(({ who, other, targets }) => [who, other, ...targets]),
  );
  const bindings = new Map(filter.scopes.map(({ id, bindingId }) => [id, bindingId]));
  return rows.map((row) => shown(row, bindings.get(row.scope) ?? "", refOf));
}

function rangeOf({ scopes, side, limit }: RowFilter): RowRange {
  const isDown = "upToS" in side;
  return {
    ids: idsOf(scopes),
    lowS: side.fromS ?? Number.MIN_SAFE_INTEGER,
    highS: isDown ? side.upToS : (side.toS ?? Number.MAX_SAFE_INTEGER),
    order: isDown ? "desc" : "asc",
    limit,
  };
}

type RefOf = Awaited<ReturnType<typeof refsOf>>;

function shown(row: LogRow, bindingId: string, refOf: RefOf): HistoryRow {
  const { at_s: atS, who, other } = row;
  const base = { bindingId, atS };
  switch (row.table) {
    case "visits": {
      const kind = VISIT_KINDS[row.kind as keyof typeof VISIT_KINDS];
      const player = refOf(who);
      if (kind === "join" || kind === "leave") return { ...base, kind, player };
      // Who was there before a gap too did not come in it, as far as known.
      const isAfter = row.after_s !== null && row.kind !== VISIT.seenAgain;
      return { ...base, kind, player, ...(isAfter && { afterS: row.after_s }) };
    }
    case "kills":
      return { ...base, kind: "kill", killer: refOf(who), killed: refOf(other) };
    case "commands":
      return { ...base, kind: "command", player: refOf(who), ...textOf(row, refOf) };
    case "mod_calls":
      return {
        ...base,
        kind: "modCall",
        caller: refOf(who),
        ...(other === null ? {} : { moderator: refOf(other), ...(row.isByCard ? { isByCard: true } : {}) }),
      };
    case "emergency_calls":
      return {
        ...base,
        kind: "emergencyCall",
        team: row.team ?? "",
        callNumber: row.kind,
        ...(who === null ? {} : { caller: refOf(who) }),
        ...(row.text === null ? {} : { description: row.text }),
        ...(row.place === null ? {} : { place: row.place }),
      };
  }
}

function textOf({ text, targets }: LogRow, refOf: RefOf): Pick<HistoryRowOf<"command">, "text" | "hit"> {
  const said = text ?? "";
  const hit = unnamedIn(said, targets.map(refOf));
  return { text: said, ...(hit.length === 0 ? {} : { hit }) };
}
