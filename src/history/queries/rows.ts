// Over 200 lines: one query for each kind of row, with the same filter.
import type { HistoryRow } from "../../domain/history.ts";
import { VISIT } from "../database/schema.ts";
import type { QueryContext } from "./context.ts";
import { refsOf, type Scope } from "./scopes.ts";

/** Which rows of the logs are meant. */
export interface RowFilter {
  readonly scopes: readonly Scope[];
  /** From this second on, oldest first; or up to this second, newest first. */
  readonly side:
    | { readonly fromS: number; readonly toS?: number }
    | { readonly upToS: number; readonly fromS?: number };
  readonly limit: number;
  /** Only rows of this person, in the part that `as` names. */
  readonly person?: {
    readonly id: number;
    readonly as: "killer" | "killed" | "caller" | "author" | "target" | "visitor";
  };
}

type Table = "visits" | "kills" | "commands" | "mod_calls" | "emergency_calls";

interface Stored {
  readonly scope: number;
  readonly at_s: number;
  readonly table: Table;
  readonly who: number | null;
  readonly other: number | null;
  readonly text: string | null;
  readonly kind: number;
  readonly after_s: number | null;
  readonly place: string | null;
  readonly team: string | null;
}

const NOTHING = { other: null, text: null, kind: 0, after_s: null, place: null, team: null };
const VISIT_KINDS = {
  [VISIT.joined]: "join",
  [VISIT.left]: "leave",
  [VISIT.appeared]: "appeared",
  [VISIT.vanished]: "vanished",
} as const;

/** Rows of some logs, nearest to the named second first. */
export async function readRows(
  context: QueryContext,
  tables: readonly Table[],
  filter: RowFilter,
): Promise<readonly HistoryRow[]> {
  if (filter.scopes.length === 0) return [];
  const found: Stored[] = [];
  const isDown = "upToS" in filter.side;
  // Within one second the logs keep their order, from either end: who was killed calls, not the other way round.
  for (const table of isDown ? tables.toReversed() : tables)
    found.push(...(await readTable(context, table, filter)));
  const direction = isDown ? -1 : 1;
  found.sort((a, b) => direction * (a.at_s - b.at_s));
  const rows = found.slice(0, filter.limit);
  const refOf = await refsOf(
    context,
    rows.flatMap(({ who, other }) => [who, other]),
  );
  const bindings = new Map(filter.scopes.map(({ id, bindingId }) => [id, bindingId]));
  return rows.map((row) => shown(row, bindings.get(row.scope) ?? "", refOf));
}

async function readTable(
  { db }: QueryContext,
  table: Table,
  { scopes, side, limit, person }: RowFilter,
): Promise<readonly Stored[]> {
  const ids = scopes.map(({ id }) => id);
  const isDown = "upToS" in side;
  const lowS = side.fromS ?? Number.MIN_SAFE_INTEGER;
  const highS = isDown ? side.upToS : (side.toS ?? Number.MAX_SAFE_INTEGER);
  const order = isDown ? "desc" : "asc";
  switch (table) {
    case "visits": {
      let query = db.selectFrom("visits").selectAll().where("scope", "in", ids);
      if (person?.as === "visitor") query = query.where("person", "=", person.id);
      query = query.where("at_s", ">=", lowS).where("at_s", "<=", highS);
      const rows = await query
        .orderBy("at_s", order)
        .orderBy("scope", order)
        .orderBy("person", order)
        .orderBy("kind", order)
        .orderBy("n", order)
        .limit(limit)
        .execute();
      return rows.map(({ scope, at_s, person: who, kind, after_s }) => {
        return { ...NOTHING, table, scope, at_s, who, kind, after_s };
      });
    }
    case "kills": {
      let query = db.selectFrom("kills").selectAll().where("scope", "in", ids);
      if (person?.as === "killer") query = query.where("killer", "=", person.id);
      if (person?.as === "killed") query = query.where("killed", "=", person.id);
      query = query.where("at_s", ">=", lowS).where("at_s", "<=", highS);
      const rows = await query
        .orderBy("at_s", order)
        .orderBy("scope", order)
        .orderBy("killer", order)
        .orderBy("killed", order)
        .orderBy("n", order)
        .limit(limit)
        .execute();
      return rows.map(({ scope, at_s, killer: who, killed: other }) => {
        return { ...NOTHING, table, scope, at_s, who, other };
      });
    }
    case "commands": {
      if (person?.as === "target") {
        const rows = await db
          .selectFrom("command_targets as aimed")
          .innerJoin("commands", (join) =>
            join
              .onRef("commands.scope", "=", "aimed.scope")
              .onRef("commands.at_s", "=", "aimed.at_s")
              .onRef("commands.person", "=", "aimed.person")
              .onRef("commands.hash", "=", "aimed.hash")
              .onRef("commands.n", "=", "aimed.n"),
          )
          .select(["commands.scope", "commands.at_s", "commands.person", "text"])
          .where("aimed.target", "=", person.id)
          .where("aimed.scope", "in", ids)
          .where("aimed.at_s", ">=", lowS)
          .where("aimed.at_s", "<=", highS)
          .orderBy("aimed.at_s", order)
          .orderBy("aimed.scope", order)
          .orderBy("aimed.person", order)
          .orderBy("aimed.hash", order)
          .orderBy("aimed.n", order)
          .limit(limit)
          .execute();
        return rows.map(({ scope, at_s, person: who, text }) => ({
          ...NOTHING,
          table,
          scope,
          at_s,
          who,
          text,
        }));
      }
      let query = db.selectFrom("commands").selectAll().where("scope", "in", ids);
      if (person?.as === "author") query = query.where("person", "=", person.id);
      query = query.where("at_s", ">=", lowS).where("at_s", "<=", highS);
      const rows = await query
        .orderBy("at_s", order)
        .orderBy("scope", order)
        .orderBy("person", order)
        .orderBy("hash", order)
        .orderBy("n", order)
        .limit(limit)
        .execute();
      return rows.map(({ scope, at_s, person: who, text }) => ({
        ...NOTHING,
        table,
        scope,
        at_s,
        who,
        text,
      }));
    }
    case "mod_calls": {
      let query = db.selectFrom("mod_calls").selectAll().where("scope", "in", ids);
      if (person?.as === "caller") query = query.where("caller", "=", person.id);
      query = query.where("at_s", ">=", lowS).where("at_s", "<=", highS);
      const rows = await query
        .orderBy("at_s", order)
        .orderBy("scope", order)
        .orderBy("caller", order)
        .orderBy("n", order)
        .limit(limit)
        .execute();
      return rows.map(({ scope, at_s, caller: who, moderator: other }) => {
        return { ...NOTHING, table, scope, at_s, who, other };
      });
    }
    case "emergency_calls": {
      let query = db.selectFrom("emergency_calls").selectAll().where("scope", "in", ids);
      if (person?.as === "caller") query = query.where("caller", "=", person.id);
      query = query.where("at_s", ">=", lowS).where("at_s", "<=", highS);
      const rows = await query
        .orderBy("at_s", order)
        .orderBy("scope", order)
        .orderBy("number", order)
        .limit(limit)
        .execute();
      return rows.map(({ scope, at_s, caller: who, number: kind, description: text, place, team }) => {
        return { ...NOTHING, table, scope, at_s, who, kind, text, place, team };
      });
    }
  }
}

type RefOf = Awaited<ReturnType<typeof refsOf>>;

function shown(row: Stored, bindingId: string, refOf: RefOf): HistoryRow {
  const { at_s: atS, who, other } = row;
  const base = { bindingId, atS };
  switch (row.table) {
    case "visits": {
      const kind = VISIT_KINDS[row.kind as keyof typeof VISIT_KINDS];
      const player = refOf(who);
      if (kind === "join" || kind === "leave") return { ...base, kind, player };
      return { ...base, kind, player, ...(row.after_s === null ? {} : { afterS: row.after_s }) };
    }
    case "kills":
      return { ...base, kind: "kill", killer: refOf(who), killed: refOf(other) };
    case "commands":
      return { ...base, kind: "command", player: refOf(who), text: row.text ?? "" };
    case "mod_calls":
      return {
        ...base,
        kind: "modCall",
        caller: refOf(who),
        ...(other === null ? {} : { moderator: refOf(other) }),
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
