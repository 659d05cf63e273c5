import { type Escaped, md } from "../../domain/escaped.ts";
import { MOST_POSITION_DAYS, POSITION_DAYS } from "../../domain/track.ts";

/** What a Manager reads before positions are recorded. Pure. */

export const ABOUT_POSITIONS: readonly Escaped[] = [
  md`With this on, Marshal saves where each player is every time it reads the server. Staff can then replay two minutes on a map: who was where when somebody called or was killed.`,
  md`**What is saved:** each player's place, street and team, with the time. Players are often children, so turn it on only if your staff need it, and tell your players.`,
  md`**How long:** ${POSITION_DAYS} days, or 1 to ${MOST_POSITION_DAYS} with \`/history retention positions:\`. A case keeps the two minutes before and after it until the case is erased. \`/history forget\` erases a player at once. Turning it off erases everything within a minute, except in cases.`,
];

export function positionsSaid(days: number | undefined): Escaped {
  if (days === undefined) return md`⚠ Marshal's host has turned recording off, so nothing can be saved.`;
  return days === 0
    ? md`Positions are not saved.`
    : md`✅ Positions are saved for **${days === 1 ? "1 day" : md`${days} days`}**.`;
}
