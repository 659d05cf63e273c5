import type { TownCall, TownPlayer, TownSession, WeekTown } from "./week-town.ts";

/**
 * The figures of a week by the town's own record. Shares no code with the history: what happened is counted as it
 * happened; where no row told it, it is known as well as the looks around it.
 */

export interface Span {
  readonly fromS: number;
  readonly toS: number;
}

/** A session as far as anybody could know it. */
export interface KnownSession extends Span {
  readonly real: TownSession;
  /** No row told its end, and it has ended: it counts to the last look that showed the player. */
  readonly isEndSeen: boolean;
}

/** An answer that lies somewhere in a longer time than this shows not how soon it came. */
const MOST_UNSURE_S = 300;
const QUIET_PLAYERS = 4;
const STREAK_PAUSE_S = 60;
const NEAR_A_KILL_S = 180;

export class WeekJudge {
  readonly #town: WeekTown;
  readonly #sessions = new Map<TownPlayer, readonly KnownSession[]>();

  constructor(town: WeekTown) {
    this.#town = town;
  }

  get lastLookS(): number {
    return this.#town.looks.at(-1) ?? 0;
  }

  /** What can be known of a player's time in the game, oldest first. */
  sessionsOf(player: TownPlayer): readonly KnownSession[] {
    const known = this.#sessions.get(player) ?? this.#readSessions(player);
    this.#sessions.set(player, known);
    return known;
  }

  #readSessions(player: TownPlayer): readonly KnownSession[] {
    const { sessions, shown } = this.#town;
    return sessions.flatMap((real) => {
      if (real.player !== player) return [];
      const { joinS, leaveS, joinRow, leaveRow } = real;
      const isJoinSeen = shown.has(joinRow);
      const isEndSeen = leaveRow !== undefined && shown.has(leaveRow);
      const inside = this.#town.looks.filter((atS) => atS > joinS && (leaveS === undefined || atS <= leaveS));
      // Two lists have to agree where no row tells it.
      if (!isJoinSeen && inside.length < 2) return [];
      const fromS = isJoinSeen ? joinS : (inside[0] ?? joinS);
      const toS = isEndSeen ? (leaveS ?? fromS) : Math.max(fromS, inside.at(-1) ?? fromS);
      return { real, fromS, toS, isEndSeen };
    });
  }

  playedS(player: TownPlayer, span: Span): number {
    return this.sessionsOf(player).reduce((sum, session) => sum + sharedS(session, span), 0);
  }

  joins(span: Span): number {
    const { sessions, shown } = this.#town;
    return sessions.filter(({ joinS, joinRow }) => shown.has(joinRow) && isIn(joinS, span)).length;
  }

  /** Different players who were there at any time of the span. */
  visitors(span: Span): number {
    const there = this.#town.people.filter((player) =>
      this.sessionsOf(player).some(
        (session) => isIn(session.fromS, span) || (session.fromS < span.fromS && session.toS > span.fromS),
      ),
    );
    return there.length;
  }

  kills(span: Span): number {
    return this.#town.kills.filter(({ atS, row }) => this.#town.shown.has(row) && isIn(atS, span)).length;
  }

  /** Calls that anybody was shown. */
  calls(span: Span): readonly TownCall[] {
    return this.#town.calls.filter(({ atS, shownS }) => shownS !== undefined && isIn(atS, span));
  }

  /** Seconds from the calls to their answers, where it is known to five minutes, and by how much each may be wrong. */
  answerTimes(calls: readonly TownCall[]): readonly { readonly toldS: number; readonly realS: number }[] {
    const { looks } = this.#town;
    return calls.flatMap(({ atS, answerShownS, answeredS }) => {
      if (answerShownS === undefined || answeredS === undefined) return [];
      const before = looks[looks.indexOf(answerShownS) - 1] ?? atS;
      const earliestS = Math.max(atS, before);
      if (answerShownS - earliestS > MOST_UNSURE_S) return [];
      return { toldS: (earliestS + answerShownS) / 2 - atS, realS: answeredS - atS };
    });
  }

  /** Each named player's kills within a minute of each other. */
  bestStreak(player: TownPlayer): { kills: number; firstS: number; lastS: number } | undefined {
    let best: { kills: number; firstS: number; lastS: number } | undefined;
    let now: typeof best;
    for (const { killer, atS, row } of this.#town.kills) {
      if (killer !== player || !this.#town.shown.has(row)) continue;
      now =
        now !== undefined && atS - now.lastS <= STREAK_PAUSE_S
          ? { ...now, kills: now.kills + 1, lastS: atS }
          : { kills: 1, firstS: atS, lastS: atS };
      // The newest of the longest.
      if (now.kills > 1 && now.kills >= (best?.kills ?? 2)) best = now;
    }
    return best;
  }

  callsNearKills(player: TownPlayer): number {
    const kills = this.#town.kills.filter(
      ({ killer, row }) => killer === player && this.#town.shown.has(row),
    );
    return this.#town.calls.filter(
      ({ caller, atS, shownS }) =>
        shownS !== undefined &&
        caller !== player &&
        kills.some((kill) => kill.atS <= atS && atS <= kill.atS + NEAR_A_KILL_S),
    ).length;
  }

  commandsBy(player: TownPlayer, span: Span): number {
    const { commands, shown } = this.#town;
    return commands.filter(({ by, atS, row }) => by === player && shown.has(row) && isIn(atS, span)).length;
  }

  /** A command on oneself is no matter of others. */
  commandsAgainst(player: TownPlayer): number {
    const { commands, shown } = this.#town;
    return commands.filter(({ by, target, row }) => by !== target && target === player && shown.has(row))
      .length;
  }

  callsMeanwhile(player: TownPlayer, span: Span): readonly TownCall[] {
    const sessions = this.sessionsOf(player);
    return this.calls(span).filter(
      ({ caller, atS }) => caller !== player && sessions.some((session) => isIn(atS, session)),
    );
  }

  /** Who surely was there at a time, and who surely was not, by the rows and looks around it. */
  presentAt(atS: number): { readonly sure: readonly TownPlayer[]; readonly possible: readonly TownPlayer[] } {
    const { people, looks } = this.#town;
    const firstLookAfter = (timeS: number) =>
      looks.find((lookS) => lookS > timeS) ?? Number.POSITIVE_INFINITY;
    const sure = people.filter((player) =>
      this.sessionsOf(player).some(({ fromS, toS }) => fromS <= atS && atS < toS),
    );
    const possible = people.filter((player) =>
      this.sessionsOf(player).some(
        ({ real, fromS, isEndSeen, toS }) =>
          fromS <= atS &&
          atS <=
            (isEndSeen
              ? toS
              : real.leaveS === undefined
                ? Number.POSITIVE_INFINITY
                : firstLookAfter(real.leaveS)),
      ),
    );
    return { sure, possible };
  }

  /**
   * Of seconds between two looks at most half an hour apart: the least and the most that can be told. Numbers are kept
   * once a minute, so that what is told of a second was so a minute before it or up to the next look.
   */
  bounds(span: Span, of: (crowd: { readonly players: number; readonly staff: number }) => number) {
    let [low, high, knownS] = [0, 0, 0];
    const { looks, crowd } = this.#town;
    let first = 0;
    for (let at = 0; at + 1 < looks.length; at += 1) {
      const [from, to] = [looks[at] ?? 0, looks[at + 1] ?? 0];
      const seconds = sharedS({ fromS: from, toS: to }, span);
      if (seconds === 0 || to - from > 1_800) continue;
      while ((crowd[first + 1]?.atS ?? Number.POSITIVE_INFINITY) < from - 60) first += 1;
      const isBegun = (crowd[first]?.atS ?? from) < from;
      const values: number[] = isBegun ? [] : [of({ players: 0, staff: 0 })];
      for (let entry = first; (crowd[entry]?.atS ?? Number.POSITIVE_INFINITY) < to; entry += 1) {
        const here = crowd[entry];
        if (here !== undefined) values.push(of(here));
      }
      low += seconds * Math.min(...values);
      high += seconds * Math.max(...values);
      knownS += seconds;
    }
    return { low, high, knownS };
  }

  uncoveredBounds(span: Span) {
    return this.bounds(span, ({ players, staff }) => (players > 0 && staff === 0 ? 1 : 0));
  }

  /** Seconds of a player's time in which few were there. */
  quietBounds(player: TownPlayer, span: Span): { readonly low: number; readonly high: number } {
    let [low, high] = [0, 0];
    for (const session of this.sessionsOf(player)) {
      const fromS = Math.max(session.fromS, span.fromS);
      const toS = Math.min(session.toS, span.toS);
      if (fromS >= toS) continue;
      const cut = this.bounds({ fromS, toS }, ({ players }) => (players <= QUIET_PLAYERS ? 1 : 0));
      low += cut.low;
      // Of a time without looks nothing is certain.
      high += cut.high + (toS - fromS - cut.knownS);
    }
    return { low, high };
  }

  /** The most players that a look has shown. */
  peak(span: Span): number {
    const { looks, crowd } = this.#town;
    let most = 0;
    // Of those that the look does not come after, the first: both are in order of time.
    let next = 0;
    for (const lookS of looks) {
      while ((crowd[next]?.atS ?? Number.POSITIVE_INFINITY) < lookS) next += 1;
      if (isIn(Math.floor(lookS / 60) * 60, span)) most = Math.max(most, crowd[next - 1]?.players ?? 0);
    }
    return most;
  }
}

export function isIn(atS: number, { fromS, toS }: Span): boolean {
  return atS >= fromS && atS < toS;
}

export function sharedS(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.toS, other.toS) - Math.max(one.fromS, other.fromS));
}

export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const half = sorted.length / 2;
  const pair = Number.isInteger(half) ? [sorted[half - 1], sorted[half]] : [sorted[Math.floor(half)]];
  return pair.reduce<number>((sum, value) => sum + (value ?? 0), 0) / pair.length;
}

/** What a wall clock of the zone shows at a second. */
export function wallClock(
  zone: string,
): (atS: number) => { readonly weekday: number; readonly hour: number; readonly day: string } {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const known = new Map<number, { readonly weekday: number; readonly hour: number; readonly day: string }>();
  return (atS) => {
    const quarter = Math.floor(atS / 900);
    const before = known.get(quarter);
    if (before !== undefined) return before;
    const parts = new Map(format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, value]));
    const weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(parts.get("weekday") ?? "");
    const shown = {
      weekday,
      hour: Number(parts.get("hour")),
      day: `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`,
    };
    known.set(quarter, shown);
    return shown;
  };
}
