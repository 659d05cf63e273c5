import type { MonthSession, MonthTown } from "./month-town.ts";

/**
 * What a month's shifts have to be by the towns' own record, second by second. Shares no code with duty: it walks through
 * the time and asks of each second whether somebody was surely there.
 */

export interface MonthMark {
  readonly userId: string;
  readonly atS: number;
  readonly kind: "start" | "break" | "resume" | "end";
  /** Of what was typed: it counts where a look showed it. Of one second, what was pressed comes first. */
  readonly isTyped: boolean;
}

export interface MonthLink {
  readonly userId: string;
  readonly playerId: number;
  readonly fromS: number;
  untilS: number | undefined;
}

export interface Span {
  readonly fromS: number;
  readonly untilS: number;
}

export interface JudgedShift extends Span {
  readonly counted: readonly Span[];
}

interface KnownStay extends Span {
  readonly playerId: number;
  readonly town: MonthTown;
  readonly real: MonthSession;
}

const AWAY_S = 600;
const BREAK_S = 3_600;

export class MonthJudge {
  readonly #towns: readonly MonthTown[];
  readonly #links: readonly MonthLink[];
  readonly #marks: readonly MonthMark[];
  readonly #stays: readonly KnownStay[];

  constructor(towns: readonly MonthTown[], links: readonly MonthLink[], marks: readonly MonthMark[]) {
    this.#towns = towns;
    this.#links = links;
    this.#marks = [...marks].sort((a, b) => a.atS - b.atS || Number(a.isTyped) - Number(b.isTyped));
    this.#stays = towns.flatMap((town) => town.sessions.flatMap((real) => known(town, real) ?? []));
  }

  /** The shifts that a member started, and the seconds that count of them. */
  declared(userId: string, { fromS, untilS }: Span): readonly JudgedShift[] {
    const isThere = this.#presence(userId, { fromS, untilS });
    const marks = this.#marks.filter((mark) => mark.userId === userId && mark.atS >= fromS);
    const shifts: JudgedShift[] = [];
    let on:
      | { fromS: number; seenS: number; awayS: number; breakS: number | undefined; counted: Span[] }
      | undefined;
    let next = 0;
    const close = (endS: number) => {
      if (on !== undefined) shifts.push({ fromS: on.fromS, untilS: endS, counted: joined(on.counted) });
      on = undefined;
    };
    for (let atS = fromS; atS < untilS; atS += 1) {
      if (on !== undefined && on.breakS === undefined && atS > on.awayS + AWAY_S) close(on.seenS);
      if (on?.breakS !== undefined && atS > on.breakS + BREAK_S) close(on.breakS);
      for (; marks[next]?.atS === atS; next += 1) {
        const { kind } = marks[next] ?? { kind: "end" };
        if (on === undefined) {
          if (kind === "start") on = { fromS: atS, seenS: atS, awayS: atS, breakS: undefined, counted: [] };
        } else if (kind === "end") close(atS);
        else if (kind === "break" && on.breakS === undefined) on.breakS = atS;
        else {
          on.breakS = undefined;
          on.awayS = Math.max(on.awayS, atS);
        }
      }
      if (on !== undefined && this.#isUnlinkedAt(userId, atS)) close(atS);
      if (on === undefined || isThere[atS - fromS] !== 1) continue;
      on.seenS = atS + 1;
      if (on.breakS !== undefined) continue;
      on.awayS = atS + 1;
      on.counted.push({ fromS: atS, untilS: atS + 1 });
    }
    return shifts;
  }

  /** Their last account was unlinked in that second. */
  #isUnlinkedAt(userId: string, atS: number): boolean {
    const own = this.#links.filter((link) => link.userId === userId);
    const isLinked = own.some(({ fromS, untilS }) => fromS <= atS && (untilS === undefined || untilS > atS));
    return !isLinked && own.some(({ untilS }) => untilS === atS);
  }

  /** Seconds on that team between two looks that both showed it, and not in a shift that was started. */
  byTeam(userId: string, team: string, span: Span, declared: readonly Span[]): readonly Span[] {
    const isThere = this.#presence(userId, span);
    const found: Span[] = [];
    for (const town of this.#towns) {
      for (const [at, { atS, teams }] of town.looks.entries()) {
        const after = town.looks[at + 1];
        if (after === undefined || after.atS - atS > AWAY_S) continue;
        for (const link of this.#links) {
          const { playerId } = link;
          if (link.userId !== userId || teams.get(playerId) !== team || after.teams.get(playerId) !== team)
            continue;
          // Before the first look after they were linked nobody knew whose account it was.
          if (link.fromS > atS) continue;
          for (let second = atS; second < after.atS; second += 1) {
            const isLinked = link.fromS <= second && second < (link.untilS ?? Number.POSITIVE_INFINITY);
            const isTaken = declared.some(({ fromS, untilS }) => fromS <= second && second < untilS);
            const isIn = isThere[second - span.fromS] === 1;
            if (isLinked && isIn && !isTaken) found.push({ fromS: second, untilS: second + 1 });
          }
        }
      }
    }
    return joined(found);
  }

  /** The real session in which a part lies; undefined: there is none. */
  sessionAround(playerId: number, bindingId: string, { fromS, untilS }: Span): MonthSession | undefined {
    return this.#towns
      .find((town) => town.bindingId === bindingId)
      ?.sessions.find(
        (real) =>
          real.playerId === playerId &&
          real.joinS <= fromS &&
          untilS <= (real.leaveS ?? Number.POSITIVE_INFINITY),
      );
  }

  /** 1 for each second in which a linked account of theirs was surely on a server. */
  #presence(userId: string, { fromS, untilS }: Span): Uint8Array {
    const seconds = new Uint8Array(untilS - fromS);
    for (const link of this.#links.filter((one) => one.userId === userId)) {
      for (const stay of this.#stays.filter(({ playerId }) => playerId === link.playerId)) {
        const first = Math.max(stay.fromS, link.fromS, fromS);
        const last = Math.min(stay.untilS, link.untilS ?? untilS, untilS);
        if (last > first) seconds.fill(1, first - fromS, last - fromS);
      }
    }
    return seconds;
  }
}

/** A session as far as anybody could know it: by its rows where they were shown, else by the looks around it. */
function known(town: MonthTown, real: MonthSession): KnownStay | undefined {
  const { joinS, leaveS, joinRow, leaveRow, playerId } = real;
  const isJoinShown = town.shown.has(joinRow);
  const isLeaveShown = leaveRow !== undefined && town.shown.has(leaveRow);
  const inside = town.looks.filter(({ atS }) => atS > joinS && (leaveS === undefined || atS <= leaveS));
  // Two lists have to agree where no row tells it.
  if (!isJoinShown && inside.length < 2) return undefined;
  const fromS = isJoinShown ? joinS : (inside[0]?.atS ?? joinS);
  const untilS = isLeaveShown ? (leaveS ?? fromS) : Math.max(fromS, inside.at(-1)?.atS ?? fromS);
  return { playerId, town, real, fromS, untilS };
}

/** Spans in order, of which those that touch are one. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const found: { fromS: number; untilS: number }[] = [];
  for (const { fromS, untilS } of [...spans].sort((a, b) => a.fromS - b.fromS)) {
    const last = found.at(-1);
    if (last !== undefined && fromS <= last.untilS) last.untilS = Math.max(last.untilS, untilS);
    else if (untilS > fromS) found.push({ fromS, untilS });
  }
  return found;
}
