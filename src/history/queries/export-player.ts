import type { Case, Watch } from "../../domain/case.ts";
import type { HistoryRow, KnownPlayer, PlayerExport } from "../../domain/history.ts";
import { evidenceOfPlayer, type KeptOfPlayer } from "../positions/evidence-of-player.ts";
import { type ExportedSpot, spotsOf } from "../positions/read-positions.ts";
import { search } from "./cases.ts";
import type { QueryContext } from "./context.ts";
import { NEVER_S } from "./duty.ts";
import { readRows } from "./history-rows.ts";
import { known } from "./known-players.ts";
import { idsOf, personOf, type Scope, scopesOf } from "./scopes.ts";

/** Rows of one kind in one file. */
const MOST_ROWS = 10_000;
const CASES_A_PAGE = 100;

const PARTS = [
  { name: "visits", tables: ["visits"], as: "visitor" },
  { name: "kills", tables: ["kills"], as: "killer" },
  { name: "deaths", tables: ["kills"], as: "killed" },
  { name: "commands", tables: ["commands"], as: "author" },
  { name: "commandsAgainst", tables: ["commands"], as: "target" },
  { name: "calls", tables: ["mod_calls", "emergency_calls"], as: "caller" },
  { name: "callsAnswered", tables: ["mod_calls"], as: "moderator" },
] as const;

/** All that is kept of a player, newest first, as JSON. undefined: nothing is. */
export async function exportPlayer(
  context: QueryContext,
  { guildId, playerId }: { readonly guildId: string; readonly playerId: number },
): Promise<PlayerExport | undefined> {
  const found = await personOf(context, guildId, playerId);
  const [player] = found === undefined ? [] : await known(context, [found.person]);
  const cases = await casesOf(context, guildId, playerId);
  const watch = await watchOf(context, guildId, playerId);
  const duty = await dutyOf(context, guildId, playerId);
  const names = player === undefined ? [] : [player.name, ...player.earlierNames];
  const kept = await evidenceOfPlayer(context.db, guildId, { id: playerId, names });
  const isAny = cases.length + duty.length + kept.length > 0;
  if (player === undefined && watch === undefined && !isAny) return undefined;

  const logs = await logsOf(context, guildId, found?.person);
  const own = new Set(cases.map(({ number }) => number));
  const ofOthers = kept.filter(({ number }) => !own.has(number));
  const keptIn = new Map(kept.map((one) => [one.number, keptShown(one)]));
  const file = {
    player: player === undefined ? { playerId } : withTimes(player),
    ...logs.parts,
    ...(duty.length === 0 ? {} : { duty: duty.slice(0, MOST_ROWS) }),
    cases: cases.map((one) => ({ ...caseShown(one, playerId), ...keptIn.get(one.number) })),
    ...(ofOthers.length === 0
      ? {}
      : { inCasesOfOthers: ofOthers.map((one) => ({ case: one.number, ...keptShown(one) })) }),
    ...(watch === undefined ? {} : { watch: watchShown(watch) }),
  };
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const isComplete = logs.isComplete && duty.length <= MOST_ROWS;
  const elsewhere = Math.min(duty.length, MOST_ROWS) + ofOthers.length;
  return { rows: logs.rows, cases: cases.length, elsewhere, text, isComplete };
}

async function logsOf(
  context: QueryContext,
  guildId: string,
  person: number | undefined,
): Promise<{ readonly parts: object; readonly rows: number; readonly isComplete: boolean }> {
  const parts: Record<string, unknown> = {};
  let rows = 0;
  let isComplete = true;
  if (person === undefined) return { parts, rows, isComplete };
  const scopes = await scopesOf(context, guildId);
  for (const { name, tables, as } of PARTS) {
    const part = await readRows(context, tables, {
      scopes,
      side: { upToS: Number.MAX_SAFE_INTEGER },
      limit: MOST_ROWS + 1,
      person: { id: person, as },
    });
    isComplete &&= part.length <= MOST_ROWS;
    const kept = part.slice(0, MOST_ROWS);
    rows += kept.length;
    parts[name] = kept.map(withTime);
  }
  const spots = await spotsOf(context, scopes, { person, limit: MOST_ROWS + 1 });
  isComplete &&= spots.length <= MOST_ROWS;
  parts.positions = spots.slice(0, MOST_ROWS).map(withTime);
  parts.ranks = await ranksOf(context, scopes, person);
  return { parts, rows, isComplete };
}

/** The ranks in the game that were seen of them, newest first. */
async function ranksOf(
  { db }: QueryContext,
  scopes: readonly Scope[],
  person: number,
): Promise<readonly object[]> {
  if (scopes.length === 0) return [];
  const rows = await db
    .selectFrom("ranks")
    .select(["scope", "at_s", "permission"])
    .where("person", "=", person)
    .where("scope", "in", idsOf(scopes))
    .orderBy("at_s", "desc")
    .execute();
  const bindings = new Map(scopes.map(({ id, bindingId }) => [id, bindingId]));
  return rows.map(({ scope, at_s, permission }) => {
    return { at: timeText(at_s * 1_000), server: bindings.get(scope), permission };
  });
}

/** What duty keeps of the player, newest first. Shifts are a member's. */
async function dutyOf({ db }: QueryContext, guildId: string, playerId: number): Promise<readonly object[]> {
  const rows = await db
    .selectFrom("duty")
    .select(["kind", "user_id", "from_s", "until_s", "body"])
    .where("guild_id", "=", guildId)
    .where("player_id", "=", playerId)
    .orderBy("from_s", "desc")
    .orderBy("kind", "desc")
    .limit(MOST_ROWS + 1)
    .execute();
  return rows.map(({ kind, user_id: member, from_s, until_s, body }) => ({
    kind,
    ...(member === "" ? {} : { member }),
    from: timeText(from_s * 1_000),
    ...(until_s === NEVER_S ? {} : { until: timeText(until_s * 1_000) }),
    ...(JSON.parse(body) as object),
  }));
}

async function casesOf(context: QueryContext, guildId: string, playerId: number): Promise<readonly Case[]> {
  const all: Case[] = [];
  for (let before: number | undefined; ; before = all.at(-1)?.number) {
    const filter = { playerId, limit: CASES_A_PAGE, ...(before === undefined ? {} : { before }) };
    const page = await search(context, { guildId, filter });
    all.push(...page);
    if (page.length < CASES_A_PAGE) return all;
  }
}

async function watchOf({ db }: QueryContext, guildId: string, playerId: number): Promise<Watch | undefined> {
  const row = await db
    .selectFrom("watches")
    .select("body")
    .where("guild_id", "=", guildId)
    .where("player_id", "=", playerId)
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(row.body) as { readonly watch: Watch }).watch;
}

/** What a case keeps of the player in the minutes around it. */
function keptShown({ rows, spots }: KeptOfPlayer): object {
  const positions = spots.map(({ atS, ...spot }) => ({ at: timeText(atS * 1_000), ...spot }));
  return {
    ...(rows.length === 0 ? {} : { rows: rows.map(withTime) }),
    ...(positions.length === 0 ? {} : { positions }),
  };
}

/** The part of a case that is about this player: others whom it names, and accounts of staff, are left out. */
function caseShown(one: Case, playerId: number): object {
  const {
    number,
    kind,
    atMs,
    serverName,
    targets,
    author,
    reason,
    evidence,
    command,
    edits,
    undone,
    told,
    revoked,
  } = one;
  return {
    number,
    kind,
    at: timeText(atMs),
    server: serverName,
    by: author.name,
    name: targets.find((target) => target.playerId === playerId)?.name,
    reason,
    evidence,
    // The text of a command that aims at several names the others.
    ...(targets.length === 1 || one.mass ? { command } : {}),
    edits: edits.map((edit) => ({ at: timeText(edit.atMs), field: edit.field, from: edit.from })),
    ...(undone === undefined
      ? {}
      : { undone: undone.map(({ atMs: at, verb }) => ({ at: timeText(at), command: `:${verb}` })) }),
    ...(told === undefined ? {} : { told: timeText(told.atMs) }),
    ...(revoked === undefined ? {} : { revoked: { at: timeText(revoked.atMs), why: revoked.why } }),
  };
}

function watchShown({ name, reason, atMs, untilMs }: Watch): object {
  return { name, reason, at: timeText(atMs), until: untilMs === undefined ? undefined : timeText(untilMs) };
}

function withTime({ atS, bindingId, ...row }: HistoryRow | ExportedSpot): object {
  return { at: timeText(atS * 1_000), server: bindingId, ...row };
}

function withTimes({ firstSeenS, lastSeenS, ...player }: KnownPlayer): object {
  return { ...player, firstSeen: timeText(firstSeenS * 1_000), lastSeen: timeText(lastSeenS * 1_000) };
}

function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}
