import { seededRandom, VirtualClock } from "../support/clock.ts";
import { journalTexts, memoryJournal } from "../support/memory-journal.ts";
import { BINDING, GUILD, type HistoryRig, openRig } from "./rig.ts";
import type { Databases } from "./tracked-databases.ts";
import { isIn, type Span, WeekJudge, wallClock } from "./week-judge.ts";
import { WeekTown } from "./week-town.ts";

/** A week of a town that is recorded, with all that comes between. */

export const ZONE = "Europe/Berlin";
export const HOUR_S = 3_600;
/** The clocks go back on the Sunday of the one, and ahead on that of the other. */
const WEEKS = {
  autumn: { fromS: Date.UTC(2026, 9, 18, 22) / 1_000, toS: Date.UTC(2026, 9, 25, 23) / 1_000 },
  spring: { fromS: Date.UTC(2026, 2, 22, 23) / 1_000, toS: Date.UTC(2026, 2, 29, 22) / 1_000 },
} as const;

interface Plan {
  readonly week: Span;
  readonly seed: number;
  /** Seconds between two looks; one of them for each hour. */
  readonly intervals: readonly number[];
}

/** From the Monday on: in which hours nobody plays, and when the bot is off or hears nothing. */
export const CLOSED = [
  { fromS: 26 * HOUR_S, toS: 31 * HOUR_S, isAnswered: true },
  { fromS: 74 * HOUR_S, toS: 79 * HOUR_S, isAnswered: false },
];
const BOT_OFF = [
  { fromS: 63 * HOUR_S, toS: 65.3 * HOUR_S },
  { fromS: 130 * HOUR_S, toS: 130.8 * HOUR_S },
];
/** The second one while the bot is off. */
export const GAME_ENDS_S = [17.51, 63.5, 44.2, 91.7, 112.03, 120.9, 141.4, 150.33].map((hours) =>
  Math.round(hours * HOUR_S),
);
const BOT_STARTS_S = [3.3, 17.5, 28, 52.7, 65.3, 91.71, 112.02, 120.88, 130.8, 136, 160.05].map((hours) =>
  Math.round(hours * HOUR_S),
);

export interface Week {
  readonly town: WeekTown;
  readonly judge: WeekJudge;
  readonly rig: HistoryRig;
}

/** Lives through a week, and looks at it now and then. */
export async function live(databases: Databases, { week, seed, intervals }: Plan): Promise<Week> {
  const random = seededRandom(seed);
  const clockOf = wallClock(ZONE);
  const town = new WeekTown(random);
  const url = await databases.fresh();
  const texts = journalTexts();
  const start = async () => {
    const opened = await openRig(databases, url, memoryJournal({ clock: new VirtualClock(), texts }));
    opened.links = [{ guildId: GUILD, bindingId: BINDING, linkedAtS: week.fromS }];
    return opened;
  };
  let rig = await start();
  const gameEnds = [...GAME_ENDS_S, ...CLOSED.map(({ fromS }) => fromS)].sort((a, b) => a - b);
  const botStarts = [...BOT_STARTS_S];
  const untilS = week.toS + 1_800;
  const isClosed = (atS: number) => CLOSED.some((closed) => isIn(atS - week.fromS, closed));
  const crowdedness = (atS: number) => {
    const { hour } = clockOf(atS);
    return hour < 6 ? 0.08 : hour < 15 ? 0.3 : 0.65;
  };

  let nextTickS = week.fromS;
  for (let nowS = week.fromS; nowS < untilS; ) {
    const hour = Math.floor((nowS - week.fromS) / HOUR_S);
    const lookS = nowS + (intervals[(hour * 7) % intervals.length] ?? 60);
    while (nextTickS < lookS) {
      const sinceS = nextTickS - week.fromS;
      if (gameEnds[0] !== undefined && gameEnds[0] <= sinceS) {
        gameEnds.shift();
        const { inside } = town;
        town.end(nextTickS);
        if (!isClosed(nextTickS)) town.comeBack(nextTickS + 1, inside.slice(0, inside.length / 2));
      } else if (!isClosed(nextTickS)) town.happen(nextTickS, crowdedness(nextTickS));
      nextTickS += 4 + Math.floor(random.next() * 50);
    }
    nowS = lookS;
    const sinceS = nowS - week.fromS;
    if (BOT_OFF.some((off) => isIn(sinceS, off))) continue;
    if (CLOSED.some((closed) => !closed.isAnswered && isIn(sinceS, closed))) continue;
    if (botStarts[0] !== undefined && botStarts[0] <= sinceS) {
      botStarts.shift();
      rig = await start();
    }
    await rig.take(town.look(nowS));
  }
  return { town, judge: new WeekJudge(town), rig };
}

/** In the soak there are hours besides that are looked at so often. */
export const OFTEN_S = { sqlite: 45, postgres: 120 } as const;

export const PLANS = {
  sqlite: { week: WEEKS.autumn, seed: 1, intervals: [600, 120, 300, 600, 120, 300] },
  postgres: { week: WEEKS.spring, seed: 2, intervals: [300, 600, 600] },
} as const;
