import type { BanEnd } from "../../domain/ban-end.ts";
import { isMassWord, isSelf, whomItHits } from "../../domain/command-hits.ts";
import { withNames } from "../../domain/command-names.ts";
import type { CommandEntry, PlayerRef } from "../../domain/model.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { readLogged } from "../catalogue/read-logged.ts";
import { isRemote } from "../proof/outside-runs.ts";

/** What the game's log says of a ban that is to end. Pure. */

/** How far a row may be from its run, because the two clocks differ, and rows are late. */
const EARLY_S = 10;
const LATE_S = 30;

/** A row of the log that bans, or lifts a ban. */
export interface BanRow {
  readonly atS: number;
  readonly text: string;
  readonly command: ParsedCommand;
  /** Undefined for what came through the service. */
  readonly by: PlayerRef | undefined;
}

/** The rows that ban or lift a ban, the oldest first. */
export function banRows(rows: readonly CommandEntry[]): readonly BanRow[] {
  return rows
    .flatMap((row) => {
      // Of a log of hundreds few rows do, and reading each as a command would cost more.
      const command = /ban/i.test(row.text) ? readLogged(row.text) : undefined;
      if (command?.verb !== "ban" && command?.verb !== "unban") return [];
      return [{ atS: row.atS, text: row.text, command, by: isRemote(row) ? undefined : row.player }];
    })
    .toSorted((a, b) => a.atS - b.atS);
}

/** Whether a command names the player of this ban, there or not. */
export function names(
  { playerId, playerName }: Pick<BanEnd, "playerId" | "playerName">,
  { command, by }: Pick<BanRow, "command" | "by">,
  present: readonly PlayerRef[],
): boolean {
  const ways = [playerName, ...present.filter(({ id }) => id === playerId).map(({ name }) => name)];
  const isMeant = command.targetTexts.some((text) => {
    const wanted = text.trim().toLowerCase();
    if (wanted === String(playerId) || isMassWord(wanted) || isSelf(wanted)) return true;
    return ways.some((name) => name.toLowerCase().startsWith(wanted));
  });
  // Few do, and to find whom a command hits takes as long as there are players.
  if (!isMeant) return false;
  const absent = [{ id: playerId, name: playerName }];
  const hits = whomItHits(command, { present, absent, author: by });
  return hits.some(({ players }) => players.some(({ id }) => id === playerId));
}

export interface AfterBan {
  /** The second of the ban's own row, where it stands there. */
  readonly ownRowS?: number;
  /** The first later ban, or where there is none, the first that lifts it. */
  readonly later?: BanRow;
}

/** What an answer shows: the rows that ban or un-ban, who is there, and its time, epoch seconds. */
export interface LogLook {
  readonly rows: readonly BanRow[];
  readonly present: readonly PlayerRef[];
  readonly nowS: number;
}

/**
 * What came after the ban. A row of its second, or of a time that may be that of its sending, counts as a later ban and
 * not as one that lifts it: keeping somebody banned can be mended.
 */
export function afterBan(end: BanEnd, { rows, present, nowS }: LogLook): AfterBan {
  const named = rows.filter((row) => names(end, row, present));
  const own = named.find((row) => isOwn(end, row));
  const ownRowS = end.ownRowS ?? own?.atS;
  const others = named.filter((row) => row !== own);
  const sentS = Math.floor(end.sentAtMs / 1_000);
  const ranByS = Math.ceil((end.ranByMs ?? end.sentAtMs) / 1_000);
  // While its own row may still come, one of the seconds before is more likely an earlier ban.
  const fromS = ownRowS ?? (nowS > ranByS + LATE_S ? sentS - EARLY_S : sentS);
  const ban = others.find(({ command, atS }) => command.verb === "ban" && atS >= fromS);
  // Without its own row, one that lifts it came surely after it only then.
  const unban = others.find(
    ({ command, atS }) => command.verb === "unban" && atS > (ownRowS ?? ranByS + EARLY_S),
  );
  const later = ban ?? unban;
  return { ...(ownRowS === undefined ? {} : { ownRowS }), ...(later === undefined ? {} : { later }) };
}

function isOwn({ text, sentAtMs, ranByMs = sentAtMs, ownRowS }: BanEnd, row: BanRow): boolean {
  if (row.by !== undefined || row.text.trim() !== text.trim()) return false;
  const sentS = Math.floor(sentAtMs / 1_000);
  if (ownRowS !== undefined) return row.atS === ownRowS;
  return row.atS >= sentS - EARLY_S && row.atS <= ranByMs / 1_000 + LATE_S;
}

/** Why a ban ends nothing any more, by the row that came after it; undefined: a case says so. */
export function laterWords({ playerName, playerId }: BanEnd, row: BanRow | undefined): string {
  if (row === undefined) return "They were banned again.";
  const by = row.by === undefined ? "" : ` by ${row.by.name}`;
  if (row.command.verb === "unban") return `Lifted${by}.`;
  return `They were banned again${by} (${withNames(row.text, [{ name: playerName, id: playerId }])}).`;
}
