import {
  countedS,
  type DutyPart,
  type Shift,
  type ShiftEnd,
  type Still,
  stillS,
  unsureS,
} from "../../../domain/duty.ts";
import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import { inlineName } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";

/** How a shift and its evidence read. Pure. */

export interface ShiftNames {
  typeName(typeId: string): string;
  serverName(bindingId: string): string;
  /** Then a list says no server's name. */
  readonly isOneServer?: boolean;
}

const ENDS: Readonly<Record<ShiftEnd, Escaped>> = {
  ended: md``,
  left: md` · ended by itself: left the game`,
  break: md` · ended by itself: break over an hour`,
  limit: md` · ended by itself after 4 hours`,
  switched: md` · another shift began`,
  unlinked: md` · ended: account unlinked`,
  restored: md` · ended: the database was restored from an older copy`,
};

/** How a shift ended, behind its line; empty: somebody ended it, or it goes on. */
export function endWords({
  why,
  isServerUnlinked,
  isUnseen,
}: Pick<Shift, "why" | "isServerUnlinked" | "isUnseen">): Escaped {
  if (isServerUnlinked) return md` · ended: the game server was unlinked`;
  if (isUnseen) return md` · ended by itself: nobody could see who was in the game`;
  return why === undefined ? md`` : ENDS[why];
}

/** Parts of one shift that are listed; of a shift with more, the rest is counted. */
const MOST_PARTS = 6;

/** When, how long it counts, and below it where it was seen. `unread`: why nobody looks now. */
export function shiftLine(
  shift: Shift,
  names: ShiftNames,
  { stills, unread }: { readonly stills: readonly Still[]; readonly unread?: Escaped | undefined },
): Escaped {
  const { fromS, untilS, typeId, breaks } = shift;
  const until = untilS === undefined ? md`now` : md`<t:${untilS}:t>`;
  const type = inlineName(names.typeName(typeId));
  const pausedS = breaks.reduce((sum, one) => sum + Math.max(0, (one.untilS ?? one.fromS) - one.fromS), 0);
  const paused = pausedS === 0 ? md`` : md` · breaks ${lasting(pausedS)}`;
  const stood = stillS(shift.parts, stills);
  const still = stood === 0 ? md`` : md` · ${lasting(stood)} without moving`;
  const head = md`<t:${fromS}:f> to ${until} · **${hoursOf(shift)}** · ${type}${paused}${still}${endWords(shift)}`;
  return md`${head}\n${evidence(shift, names, untilS === undefined ? unread : undefined)}`;
}

/** The time that counts, and how sure that is where it is not known to the second. */
export function hoursOf(shift: Pick<Shift, "parts">): Escaped {
  const unsure = unsureS(shift);
  return unsure < 60
    ? lasting(countedS(shift))
    : md`${lasting(countedS(shift))} (up to ${lasting(unsure)} more)`;
}

/** Where and when somebody was seen. `unread`: why nobody looks now, so that nothing says they were not there. */
export function evidence(
  { parts }: Pick<Shift, "parts">,
  { serverName }: ShiftNames,
  unread?: Escaped,
): Escaped {
  const seen = parts.filter(({ fromS, untilS }) => untilS > fromS);
  if (seen.length === 0) return md`-# ${unread ?? "Not seen in the game."}`;
  if (seen.some(({ bindingId }) => bindingId === "")) return md`-# Outside the game: not seen by Marshal.`;
  const lines = seen.slice(0, MOST_PARTS).map((part) => partWords(part, serverName(part.bindingId)));
  const more = seen.length > MOST_PARTS ? md` and ${seen.length - MOST_PARTS} more times` : md``;
  return md`-# Seen: ${joined(lines, " · ")}${more}`;
}

function partWords({ fromS, untilS, mightFromS, mightUntilS }: DutyPart, server: string): Escaped {
  const from = mightFromS < fromS ? md`by <t:${fromS}:T>` : md`<t:${fromS}:T>`;
  const until = mightUntilS > untilS ? md`at least <t:${untilS}:T>` : md`<t:${untilS}:T>`;
  return md`${inlineName(server)} ${from} to ${until}`;
}
