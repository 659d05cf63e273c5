import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { type Delay, Town, type TownOptions } from "./posting-town.ts";

export const name = "posting";

const MINUTE_MS = 60_000;
/** Both are over before the third quarter's end, so that it and the last can be compared. */
const KILL_AT_MIN = 8;
const OUTAGE_AT_MIN = 20;
const OUTAGE_MIN = 10;
const MINUTES = 60;
/** The first minutes fill what waits, and make the panels. */
const WARM_MIN = 6;
const FLOOD_MINUTES = 15;
/** Turns that the optimum is given: 48 less reads. */
const OPTIMUM_PER_S = 45;

const USUAL: TownOptions = {
  guilds: 2_000,
  feeds: 6_000,
  entriesPerS: 200,
  floodGuilds: 0,
  floodFeeds: 0,
  floodPerS: 0,
};

/** How many entries waited at a moment. */
interface Level {
  readonly atMs: number;
  readonly waiting: number;
}

interface Watched {
  readonly town: Town;
  readonly levels: Level[];
}

/** Posting at Discord's real limits, for an hour on a virtual clock. */
export async function run(): Promise<BenchResult> {
  const hour = await anHour();
  const quiet = await meanWith(USUAL);
  const flooded = await meanWith({ ...USUAL, floodGuilds: 10, floodFeeds: 50, floodPerS: 2 });
  const figures = { ...hour, meanBesideFloodsOverQuiet: figure(flooded / quiet) };
  const share = figures.panelAgeOverShare;
  const ok =
    figures.meanOverOptimum <= 1.25 &&
    figures.p99S <= 180 &&
    figures.lastQuarterOverThird <= 1.1 &&
    figures.urgentP95S <= 3 &&
    figures.urgentAfterOutageS <= 90 &&
    figures.panelsShown === USUAL.guilds &&
    share <= 1.5 &&
    figures.meanBesideFloodsOverQuiet <= 1.5 &&
    figures.global429 === 0 &&
    figures.caughtUpS <= 360 &&
    figures.caughtUpReadBackS <= 600 &&
    figures.lost === 0 &&
    figures.repeated === 0;
  const rows = Object.entries(figures).map(([what, value]) => [what, value] as const);
  return { ok, figures, lines: table(["figure", "measured"], rows) };
}

async function anHour() {
  const town = new Town(USUAL);
  const levels: Level[] = [];
  const watched = { town, levels };
  town.start();
  await advance(watched, KILL_AT_MIN);
  const level = town.waitingEntries;
  town.kill();
  const caughtUpReadBackS = await caughtUp(watched, level);
  await advance(watched, OUTAGE_AT_MIN);
  const before = town.waitingEntries;
  town.discord.isAway = true;
  await advance(watched, OUTAGE_AT_MIN + OUTAGE_MIN);
  town.discord.isAway = false;
  const endMs = town.nowMs;
  const caughtUpS = await caughtUp(watched, before);
  await advance(watched, MINUTES);

  const outage = { fromMs: OUTAGE_AT_MIN * MINUTE_MS, toMs: endMs + caughtUpS * 1_000 };
  const killed = {
    fromMs: KILL_AT_MIN * MINUTE_MS,
    toMs: KILL_AT_MIN * MINUTE_MS + caughtUpReadBackS * 1_000,
  };
  const isUsual = ({ atMs, ms }: Delay) =>
    atMs - ms > WARM_MIN * MINUTE_MS &&
    [killed, outage].every(({ fromMs, toMs }) => atMs < fromMs || atMs - ms > toMs);
  const usual = town.delays.filter(isUsual).map(({ ms }) => ms);
  const urgent = town.urgent.filter(isUsual).map(({ ms }) => ms);
  const owed = town.urgent.filter(({ atMs, ms }) => atMs - ms < endMs && atMs > endMs);
  const isCalm = ({ atMs }: Level) =>
    atMs > WARM_MIN * MINUTE_MS && [killed, outage].every(({ fromMs, toMs }) => atMs < fromMs || atMs > toMs);
  // As many wait as come in the mean delay, so this is the delay of a quarter without favour to what is posted in it.
  const quarter = (n: number) =>
    mean(
      levels
        .filter(isCalm)
        .filter(({ atMs }) => Math.floor((4 * atMs) / (MINUTES * MINUTE_MS)) === n)
        .map(({ waiting }) => waiting),
    );
  const rates = town.feeds.map(({ perS }) => perS);
  const all = rates.reduce((sum, perS) => sum + perS, 0);
  const optimumMs =
    (rates.reduce((sum, perS) => sum + Math.sqrt(perS), 0) ** 2 / (2 * OPTIMUM_PER_S * all)) * 1_000;
  const panels = town.panelAges.filter(isUsual).map(({ ms }) => ms);
  const shareMs = (USUAL.guilds / (48 * 0.1)) * 1_000;
  return {
    feeds: USUAL.feeds,
    entriesPerS: USUAL.entriesPerS,
    meanOverOptimum: figure(mean(usual) / optimumMs),
    p99S: figure(quantile(usual, 0.99) / 1_000, 1),
    lastQuarterOverThird: figure(quarter(3) / quarter(2)),
    urgentP95S: figure(quantile(urgent, 0.95) / 1_000, 2),
    urgentAfterOutageS: figure(Math.max(0, ...owed.map(({ atMs }) => atMs - endMs)) / 1_000, 1),
    panelsShown: town.panelsShown.size,
    panelAgeOverShare: figure(Math.max(0, ...panels) / shareMs),
    global429: town.discord.global429,
    channel429: town.discord.channel429,
    caughtUpS: figure(caughtUpS, 0),
    caughtUpReadBackS: figure(caughtUpReadBackS, 0),
    ...town.judge(),
  };
}

async function meanWith(options: TownOptions): Promise<number> {
  const town = new Town(options);
  town.start();
  await advance({ town, levels: [] }, FLOOD_MINUTES);
  const usual = town.delays.filter(({ atMs, isFlood }) => !isFlood && atMs > WARM_MIN * MINUTE_MS);
  return mean(usual.map(({ ms }) => ms));
}

/** Seconds until no more entries wait than before. */
async function caughtUp(watched: Watched, level: number): Promise<number> {
  const { town } = watched;
  const fromMs = town.nowMs;
  // At first nothing waits but what the time without posts brought.
  let calmS = -30;
  while (calmS < 5 && town.nowMs - fromMs < 14 * MINUTE_MS) {
    await step(watched, 1_000);
    calmS = town.waitingEntries <= 1.15 * level || calmS < 0 ? calmS + 1 : 0;
  }
  return (town.nowMs - fromMs) / 1_000;
}

async function advance(watched: Watched, toMin: number): Promise<void> {
  const untilMs = toMin * MINUTE_MS;
  while (watched.town.nowMs < untilMs) await step(watched, Math.min(1_000, untilMs - watched.town.nowMs));
}

async function step({ town, levels }: Watched, ms: number): Promise<void> {
  await town.clock.advance(ms);
  levels.push({ atMs: town.nowMs, waiting: town.waitingEntries });
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
}
