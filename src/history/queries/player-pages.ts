import type { PlayerPage, PlayerPageOptions } from "../../domain/ports/history.ts";
import type { QueryContext } from "./context.ts";
import { readRows } from "./history-rows.ts";
import { readSessions } from "./player-sessions.ts";
import { personOf, scopesOf } from "./scopes.ts";

type PageArgs = PlayerPageOptions & {
  readonly guildId: string;
  /** Names of verbs that do nobody harm. */
  readonly harmless: readonly string[];
};

const MOST_PAGE = 50;

/** One page of what a player did, newest first. */
export async function page(
  context: QueryContext,
  { guildId, playerId, list, bindingId, harmless, ...options }: PageArgs,
): Promise<PlayerPage> {
  const found = await personOf(context, guildId, playerId);
  if (found === undefined) return { sessions: [], rows: [] };
  const scopes = await scopesOf(context, guildId, bindingId);
  const limit = Math.max(1, Math.min(options.limit, MOST_PAGE));
  if (list === "sessions") {
    const from = Number(options.before ?? 0);
    const all = await readSessions(context, scopes, found.person);
    const more = all.length > from + limit ? { older: String(from + limit) } : {};
    const lookedS = new Map(scopes.map((scope) => [scope.bindingId, scope.lookedS]));
    const sessions = all.slice(from, from + limit).map((session) => {
      const seenS = session.end === undefined ? lookedS.get(session.bindingId) : undefined;
      return seenS === undefined ? session : { ...session, seenS: Math.max(seenS, session.start.atS) };
    });
    return { sessions, rows: [], ...more };
  }
  const { table, as } = PAGES[list];
  // A page ends within a second: the next one begins there again and leaves out what was shown.
  const [upToS = Number.MAX_SAFE_INTEGER, shown = 0] = (options.before ?? "")
    .split(".")
    .filter(Boolean)
    .map(Number);
  const foundRows = await readRows(context, table, {
    scopes,
    side: { upToS },
    limit: limit + shown + 1,
    person: { id: found.person, as, ...(as === "target" ? { without: harmless } : {}) },
  });
  const rows = foundRows.slice(shown, shown + limit);
  const last = rows.at(-1);
  if (last === undefined || foundRows.length <= shown + limit) return { sessions: [], rows };
  const inSecond = rows.filter(({ atS }) => atS === last.atS).length + (last.atS === upToS ? shown : 0);
  return { sessions: [], rows, older: `${last.atS}.${inSecond}` };
}

const PAGES = {
  kills: { table: ["kills"], as: "killer" },
  deaths: { table: ["kills"], as: "killed" },
  commands: { table: ["commands"], as: "author" },
  against: { table: ["commands"], as: "target" },
  calls: { table: ["mod_calls", "emergency_calls"], as: "caller" },
} as const;
