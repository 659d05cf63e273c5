/** The words of duty: who of the staff is on, since when, and how that is known. Times are epoch seconds. */

/**
 * How a shift starts. declared: somebody starts it, and only minutes that were seen in the game count. team: being on a
 * team, or having a callsign. presence: being in the game with a rank. outside: declared, and nothing of it is seen.
 */
export const DUTY_STARTS = ["declared", "team", "presence", "outside"] as const;
export type DutyStart = (typeof DUTY_STARTS)[number];

/** A kind of shift that a community keeps. What it says of starts never changes: another rule is another type. */
export interface DutyType {
  readonly id: string;
  readonly name: string;
  readonly start: DutyStart;
  /** Of "team": one of these teams, in lower case; or a callsign that begins with `callsign`. */
  readonly teams: readonly string[];
  readonly callsign?: string | undefined;
  /** Who starts it has this role. */
  readonly requiredRoleId?: string | undefined;
  /** So many may be on at once. */
  readonly most?: number | undefined;
  /** Where each shift is posted. */
  readonly channelId?: string | undefined;
  /** Held while on duty. */
  readonly roleId?: string | undefined;
  /** Shifts of it count from here, and up to its removal. */
  readonly sinceS: number;
  readonly untilS?: number | undefined;
}

/**
 * What somebody said of their own shift, in Discord or in the game. `id`s sort by their time. refused: typed in the game,
 * and it could not be.
 */
export interface DutyMark {
  readonly id: string;
  readonly userId: string;
  readonly atS: number;
  readonly kind: "start" | "break" | "resume" | "end" | "refused";
  /** Of "start". */
  readonly typeId?: string | undefined;
  /** Where it was said. restore: nobody said it, but the database was restored from an older copy. */
  readonly by: "discord" | "game" | "manager" | "restore";
}

/** A player was a member's account for this time. */
export interface DutyLink {
  readonly userId: string;
  readonly playerId: number;
  readonly fromS: number;
  readonly untilS?: number | undefined;
}

/** What looks showed of a player: so from `fromS` on, and not at the look before; last at `untilS`, no more at the look after. */
export interface DutyState {
  readonly playerId: number;
  readonly bindingId: string;
  readonly fromS: number;
  readonly mightFromS: number;
  /** Absent: each look since then showed it. */
  readonly untilS?: number | undefined;
  readonly mightUntilS?: number | undefined;
  readonly team: string;
  readonly callsign: string;
  readonly rank: string;
}

/** Time in which somebody was surely in the game, without a break in it. */
export interface DutyPart {
  /** Of a type outside the game: empty. */
  readonly bindingId: string;
  /** Of a type outside the game: 0. */
  readonly playerId: number;
  readonly fromS: number;
  readonly untilS: number;
  /** It may have begun this early and ended this late: the looks around it. The same where it is known to the second. */
  readonly mightFromS: number;
  readonly mightUntilS: number;
}

/** No look showed a move of a player, for at least a quarter of an hour. */
export interface Still {
  readonly bindingId: string;
  readonly playerId: number;
  readonly fromS: number;
  readonly untilS: number;
}

export interface DutyBreak {
  readonly fromS: number;
  /** Absent: it lasts. */
  readonly untilS?: number | undefined;
}

/**
 * ended: somebody ended it. left: away from the game for ten minutes. break: a break of an hour. limit: outside the game for
 * too long. switched: another type began. unlinked: their account was unlinked, so that nothing more is seen of them.
 * restored: it went on in the copy of which the database was restored.
 */
export const SHIFT_ENDS = ["ended", "left", "break", "limit", "switched", "unlinked", "restored"] as const;
export type ShiftEnd = (typeof SHIFT_ENDS)[number];

/** A shift with its evidence. */
export interface Shift {
  readonly id: string;
  readonly userId: string;
  readonly typeId: string;
  readonly fromS: number;
  /** Absent: it goes on. */
  readonly untilS?: number | undefined;
  readonly why?: ShiftEnd | undefined;
  /** With "left": they were in the game, and its server was unlinked. */
  readonly isServerUnlinked?: true | undefined;
  /** With "left": they were in the game, and from then on nobody could see for a while who was. */
  readonly isUnseen?: true | undefined;
  /** From when on what somebody does belongs to the next shift. */
  readonly decidedS?: number | undefined;
  /** The last mark that it used up. */
  readonly lastMark?: string | undefined;
  readonly parts: readonly DutyPart[];
  readonly breaks: readonly DutyBreak[];
}

type Beginning = Pick<DutyType, "start" | "teams" | "callsign">;

/** Where shifts of a type start by themselves, in plain text; undefined: people start them. */
export function startsByItself({ start, teams, callsign }: Beginning): string | undefined {
  if (start === "presence") return "for staff in the game";
  if (start !== "team") return undefined;
  const places = teams.map((team) => `on the team ${teamName(team)}`);
  if (callsign !== undefined) places.push(`with a callsign that starts with ${callsign}`);
  return places.join(" or ");
}

/** What somebody does so that such a shift counts no more. */
export function stopsWhen({ start, teams, callsign }: Beginning): string {
  if (start !== "team") return "you leave the game";
  const team = teams.length === 0 ? [] : ["leave the team"];
  const sign = callsign === undefined ? [] : ["change your callsign"];
  return `you ${[...team, ...sign].join(" and ")}`;
}

/** They are kept in lower case. */
function teamName(team: string): string {
  return team === "dot" ? "DOT" : `${team.slice(0, 1).toUpperCase()}${team.slice(1)}`;
}

/** Seconds that count: those of its parts. */
export function countedS({ parts }: Pick<Shift, "parts">): number {
  return parts.reduce((sum, { fromS, untilS }) => sum + (untilS - fromS), 0);
}

/** Seconds of these parts in which no look showed a move; they count all the same. */
export function stillS(
  parts: readonly DutyPart[],
  stills: readonly Still[],
  {
    fromS = 0,
    untilS = Number.POSITIVE_INFINITY,
  }: { readonly fromS?: number; readonly untilS?: number } = {},
): number {
  const shared = parts.flatMap((part) =>
    stills
      .filter(({ playerId, bindingId }) => playerId === part.playerId && bindingId === part.bindingId)
      .map((still) =>
        Math.max(0, Math.min(part.untilS, still.untilS, untilS) - Math.max(part.fromS, still.fromS, fromS)),
      ),
  );
  return shared.reduce((sum, seconds) => sum + seconds, 0);
}

/** By how many seconds more it may really have been. */
export function unsureS({ parts }: Pick<Shift, "parts">): number {
  return parts.reduce(
    (sum, { fromS, untilS, mightFromS, mightUntilS }) => sum + (fromS - mightFromS) + (mightUntilS - untilS),
    0,
  );
}
