import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type {
  CallKill,
  CallSituation,
  ModCallPerson,
  ModCallView,
  NearbyStaff,
} from "../../domain/ports/feed-renderer.ts";
import { person } from "./entry-line.ts";
import { cut, escapeMarkdown } from "./escape.ts";
import { placeWords } from "./server/player-card.ts";
import { stars } from "./server/view.ts";

/** What a card tells of the moment around a call; `open`: staff may still have to go there. Pure. */
export function situationLines({ situation, caller, calls }: ModCallView, open: boolean): Escaped[] {
  if (situation === undefined) return [];
  const lines: Escaped[] = [];
  const about = aboutCaller(situation.caller);
  if (about !== undefined) lines.push(about);
  if (situation.left === true) lines.push(md`🚪 ${person(caller, false)} left the server`);
  lines.push(...killLines(situation.kills, calls[0]?.atS ?? 0));
  if (open && situation.left !== true && situation.staff !== undefined)
    lines.push(staffLine(situation.staff, situation.caller));
  if (open && situation.left !== true && situation.near !== undefined)
    lines.push(...nearLine(situation.near));
  return lines;
}

/** `👤 Police · ★★ wanted · 📍 Main Street, postal 204` */
function aboutCaller(caller: NonNullable<ModCallView["situation"]>["caller"]): Escaped | undefined {
  if (caller === undefined) return undefined;
  const { team, wantedStars, street, postal } = caller;
  const where = placeWords({ street, postal });
  const parts = [
    ...(team.trim() === "" ? [] : [md`👤 ${escapeMarkdown(cut(team, 60))}`]),
    ...(wantedStars > 0 ? [md`${stars(wantedStars)} wanted`] : []),
    ...(where === undefined ? [] : [md`📍 ${where}`]),
  ];
  return parts.length === 0 ? undefined : joined(parts, " · ");
}

/**
 * One line for each person and what was done, before and after the call apart, with the time of the last. How often is
 * not said: of kills within one second only one is kept.
 */
function killLines(kills: readonly CallKill[], calledAtS: number): Escaped[] {
  const alike = Map.groupBy(kills, ({ other, what, atS }) => {
    return `${what}:${Math.sign(atS - calledAtS)}:${other.id ?? ""}:${other.name}`;
  });
  return [...alike.values()].flatMap((same) => {
    const last = same.at(-1);
    if (last === undefined) return [];
    const done = last.what === "died" ? "killed by" : "killed";
    const times = same.length === 1 ? md`` : md`several times, last `;
    const when = whenWords(last.atS, calledAtS);
    return [md`💀 ${done} ${person(last.other, true)} ${when}, ${times}<t:${last.atS}:T>`];
  });
}

/** Within one second nobody knows which came first. */
function whenWords(atS: number, calledAtS: number): Escaped {
  if (atS === calledAtS) return md`as they called`;
  return atS < calledAtS ? md`before the call` : md`after the call`;
}

const AWAY_WORDS = { together: ", right there", close: ", close", near: ", near", far: ", far" } as const;

/** `👥 Near: Ann, Bob` */
function nearLine(near: readonly ModCallPerson[]): Escaped[] {
  if (near.length === 0) return [md`👥 Nobody else is near`];
  const shown = near.map((one) => person(one, true));
  return [md`👥 Near: ${joined(shown, " · ")}`];
}

function staffLine(staff: readonly NearbyStaff[], caller: CallSituation["caller"]): Escaped {
  if (staff.length === 0)
    return caller?.isStaff === true ? md`🛡 No other staff in the game` : md`🛡 No staff in the game`;
  const shown = staff.map((one) => {
    const away = one.away === undefined ? "" : AWAY_WORDS[one.away];
    return md`${person(one, true)}${away}`;
  });
  return md`🛡 Nearest staff: ${joined(shown, " · ")}`;
}
