import type { Transaction } from "kysely";
import type { RecordedLog } from "../../domain/history.ts";
import { nextNumber } from "../database/row-numbers.ts";
import { type HistoryTables, VISIT } from "../database/schema.ts";
import { presentAt } from "../queries/players-present.ts";
import type { Link } from "./recorded-answer.ts";

/** A guild, as the worker remembers it. */
export interface GuildState {
  readonly id: number;
  readonly version: number;
  readonly retentionDays: number;
  /** 0: no positions are recorded. */
  readonly positionsDays: number;
  /** By the mark of a player's id or name: until when they were forgotten. */
  readonly barriers: ReadonlyMap<string, number>;
}

/** Who is in a server, by the rows and the lists so far. */
export interface Presence {
  /** Persons in the server. */
  readonly inside: Set<number>;
  /** The newest row of each person. */
  readonly lastRowS: Map<number, number>;
  /** A row that is older than this, of a person without one above, may change who is inside. */
  readonly knownFromS: number;
  /** Seen in one list of players without a join; and missing from one without a leave. */
  readonly appearing: Map<number, Change>;
  readonly vanishing: Map<number, Change>;
  /** From when on the join log is whole again, after each gap since the last list; in the order of time. */
  readonly wholeAgainS: number[];
  lastLookS: number | undefined;
  /** The last answer, where its time is far behind that of the last look. */
  behindS?: number | undefined;
  /** The last list of which is known whom it had, and whom not: after a restart the last one that was what the rows say. */
  listedS: number | undefined;
  /** The one before it. */
  listedBeforeS: number | undefined;
}

export interface Change {
  readonly atS: number;
  readonly afterS: number | undefined;
}

/** A server of a guild, as the worker remembers it. */
export interface ScopeState {
  readonly id: number;
  readonly startS: number;
  readonly presence: Presence;
  /** The newest row of each log, and the longest window seen. */
  readonly newestS: Map<RecordedLog, number>;
  readonly longest: Map<RecordedLog, number>;
  readonly permissions: Map<number, string>;
  readonly emergencyCalls: Set<string>;
  count: { atS: number; players: number; staff: number | null; queue: number | null } | undefined;
  /** The most players of that quarter of an hour, as far as written. */
  most: { readonly quarter: number; readonly players: number } | undefined;
  rosterS: number | undefined;
  /** The last answer that showed the moderator calls. */
  callsLookS: number | undefined;
}

type Db = Transaction<HistoryTables>;

const DEFAULT_RETENTION_DAYS = 90;

/** Reads a guild, or makes it. */
export async function openGuild(db: Db, guildId: string): Promise<GuildState> {
  let row = await db.selectFrom("guilds").selectAll().where("guild_id", "=", guildId).executeTakeFirst();
  if (row === undefined) {
    row = {
      id: await nextNumber(db, "guilds"),
      guild_id: guildId,
      retention_days: DEFAULT_RETENTION_DAYS,
      positions_days: 0,
      version: 1,
    };
    await db.insertInto("guilds").values(row).execute();
  }
  const barriers = await db.selectFrom("barriers").selectAll().where("guild", "=", row.id).execute();
  return {
    id: row.id,
    version: row.version,
    retentionDays: row.retention_days,
    positionsDays: row.positions_days,
    barriers: new Map(barriers.map(({ mark, until_s }) => [mark, until_s])),
  };
}

/** Reads a linked server with what is known of it, or makes it. */
export async function openScope(
  db: Db,
  guild: GuildState,
  { bindingId, linkedAtS }: Link,
  nowS: number,
): Promise<ScopeState> {
  let row = await db
    .selectFrom("scopes")
    .selectAll()
    .where("guild", "=", guild.id)
    .where("binding_id", "=", bindingId)
    .executeTakeFirst();
  if (row === undefined) {
    const id = await nextNumber(db, "scopes");
    // Our clock may be ahead of the service's by any amount; what the service counts is then what holds.
    const start_s = Math.min(linkedAtS, nowS);
    row = {
      id,
      guild: guild.id,
      binding_id: bindingId,
      start_s,
      ended_ms: null,
      looked_s: null,
      looked_before_s: null,
    };
    await db.insertInto("scopes").values(row).execute();
  } else if (row.ended_ms !== null) {
    await db.updateTable("scopes").set({ ended_ms: null }).where("id", "=", row.id).execute();
  }
  return {
    id: row.id,
    startS: row.start_s ?? nowS,
    presence: await readPresence(db, row.id, row.looked_s ?? undefined),
    newestS: await readNewest(db, row.id),
    longest: new Map(),
    permissions: await readPermissions(db, row.id),
    emergencyCalls: new Set(),
    count: await readCount(db, row.id),
    most: undefined,
    rosterS: await newestOf(db, "rosters", row.id),
    // The lists of the history are asked for together.
    callsLookS: row.looked_s ?? undefined,
  };
}

async function readPresence(db: Db, scope: number, lookedS: number | undefined): Promise<Presence> {
  const present = await presentAt(db, scope, Number.MAX_SAFE_INTEGER);
  const listedS = lookedS ?? (await newestOf(db, "rosters", scope));
  const newest = [listedS, await newestOf(db, "counts", scope), await newestOf(db, "visits", scope)].filter(
    (atS) => atS !== undefined,
  );
  return {
    inside: new Set(present),
    lastRowS: new Map(),
    knownFromS: (await newestOf(db, "visits", scope)) ?? Number.NEGATIVE_INFINITY,
    appearing: new Map(),
    vanishing: new Map(),
    wholeAgainS: [],
    lastLookS: newest.length === 0 ? undefined : Math.max(...newest),
    listedS,
    listedBeforeS: undefined,
  };
}

async function readNewest(db: Db, scope: number): Promise<Map<RecordedLog, number>> {
  const tables = { kills: "kills", commands: "commands", modCalls: "mod_calls" } as const;
  const newest = new Map<RecordedLog, number>();
  const visit = await db
    .selectFrom("visits")
    .select("at_s")
    .where("scope", "=", scope)
    .where("kind", "in", [VISIT.joined, VISIT.left])
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  if (visit !== undefined) newest.set("joins", visit.at_s);
  for (const [log, table] of Object.entries(tables) as [keyof typeof tables, Dated][]) {
    const atS = await newestOf(db, table, scope);
    if (atS !== undefined) newest.set(log, atS);
  }
  return newest;
}

type Dated = "visits" | "kills" | "commands" | "mod_calls" | "rosters" | "counts";

async function newestOf(db: Db, table: Dated, scope: number): Promise<number | undefined> {
  const row = await db
    .selectFrom(table)
    .select("at_s")
    .where("scope", "=", scope)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.at_s;
}

async function readPermissions(db: Db, scope: number): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("ranks")
    .select(["person", "permission"])
    .where("scope", "=", scope)
    .orderBy("at_s")
    .execute();
  return new Map(rows.map(({ person, permission }) => [person, permission]));
}

async function readCount(db: Db, scope: number): Promise<ScopeState["count"]> {
  const row = await db
    .selectFrom("counts")
    .selectAll()
    .where("scope", "=", scope)
    .orderBy("at_s", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : { atS: row.at_s, players: row.players, staff: row.staff, queue: row.queue };
}
