import type { HistoryRow, PlayerExport } from "../../domain/history.ts";
import type { QueryContext } from "./context.ts";
import { readRows } from "./history-rows.ts";
import { known } from "./players.ts";
import { personOf, scopesOf } from "./scopes.ts";

/** Rows of one kind in one file. */
const MOST_ROWS = 10_000;

const PARTS = [
  { name: "visits", tables: ["visits"], as: "visitor" },
  { name: "kills", tables: ["kills"], as: "killer" },
  { name: "deaths", tables: ["kills"], as: "killed" },
  { name: "commands", tables: ["commands"], as: "author" },
  { name: "commandsAgainst", tables: ["commands"], as: "target" },
  { name: "calls", tables: ["mod_calls", "emergency_calls"], as: "caller" },
] as const;

/** All that is kept of a player, newest first, as JSON. undefined: nothing is. */
export async function exportPlayer(
  context: QueryContext,
  { guildId, playerId }: { readonly guildId: string; readonly playerId: number },
): Promise<PlayerExport | undefined> {
  const found = await personOf(context, guildId, playerId);
  const [player] = found === undefined ? [] : await known(context, [found.person]);
  if (found === undefined || player === undefined) return undefined;
  const scopes = await scopesOf(context, guildId);
  const file: Record<string, unknown> = { player: withTimes(player) };
  let rows = 0;
  let isComplete = true;
  for (const { name, tables, as } of PARTS) {
    const part = await readRows(context, tables, {
      scopes,
      side: { upToS: Number.MAX_SAFE_INTEGER },
      limit: MOST_ROWS + 1,
      person: { id: found.person, as },
    });
    isComplete &&= part.length <= MOST_ROWS;
    const kept = part.slice(0, MOST_ROWS);
    rows += kept.length;
    file[name] = kept.map(withTime);
  }
  return { player, rows, text: `${JSON.stringify(file, undefined, 1)}\n`, isComplete };
}

function withTime({ atS, bindingId, ...row }: HistoryRow): object {
  return { at: new Date(atS * 1_000).toISOString(), server: bindingId, ...row };
}

function withTimes({ firstSeenS, lastSeenS, ...player }: PlayerExport["player"]): object {
  const text = (atS: number) => new Date(atS * 1_000).toISOString();
  return { ...player, firstSeen: text(firstSeenS), lastSeen: text(lastSeenS) };
}
