import { systemClock } from "../../src/clock.ts";
import { seededRandom } from "../support/clock.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import { Echo } from "./echo.ts";
import { HOSTILE_KEYS, HostileGuild } from "./hostile.ts";
import { pollsBesideLeague } from "./league.ts";
import { People } from "./people.ts";
import type { Counts } from "./service-process.ts";

export const name = "tenants";

const GUILDS = 200;
/** Requests a second that the service takes. */
const LIMIT_PER_S = 35;
/** In which they are counted: short beside a round, and long beside the stalls of a machine that does other things too. */
const WINDOW_MS = 2_000;
/** Of the quiet communities' people: more than they would do, as the number of measurements needs it. */
const INTERACTIONS_PER_S = 20;
/** Until the gate knows where windows end. */
const WARM_MS = 24_000;
/** Of each the ratios are taken; the figures are the medians of these. */
const ROUNDS = 5;
const ROUND_MS = 10_000;
const START_WITHIN_MS = 60_000;
const ACK_P99_OVER_QUIET = 1.5;
const POLLS_OVER_QUIET = 0.9;
const POLLS_BESIDE_LEAGUE = 0.6;

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pollsPerS: number;
  readonly requestsPerS: number;
  readonly answers429: number;
  /** Requests a second, by whose servers and for what. */
  readonly taken: Readonly<Record<string, number>>;
  /** Commands and cases of the hostile guild. */
  readonly acceptedPerS: number;
  /** Of one core. */
  readonly cpuPercent: number;
}

/**
 * What 200 quiet communities notice of one that does everything that costs something at once: the time to the first
 * answer and the polls of their servers, with it over without it. Two worlds with a bot each (the real one, a process
 * of its own, as is the emulated service) live at the same time, so that what the machine does besides hits both.
 */
export async function run(): Promise<BenchResult> {
  const echo = await Echo.start();
  const quiet = await World.start({ withHostile: false, beside: () => echo.ask() });
  const beside = await World.start({ withHostile: true, beside: () => undefined });
  try {
    await Promise.all([quiet.go(), beside.go()]);
    await Promise.all([quiet.round(WARM_MS), beside.round(WARM_MS)]);
    for (const world of [quiet, beside]) world.failures.length = 0;
    echo.forget();
    const rounds: { readonly quiet: Round; readonly beside: Round }[] = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      const [without, withIt] = await Promise.all([quiet.round(ROUND_MS), beside.round(ROUND_MS)]);
      rounds.push({ quiet: without, beside: withIt });
    }
    return report(
      rounds,
      [...quiet.failures, ...beside.failures],
      [
        `${GUILDS} quiet guilds at ${LIMIT_PER_S} requests a second; the hostile one did: ${beside.harm}`,
        ...rounds.map(
          ({ beside: { taken } }, round) => `requests a second beside it, ${round + 1}.: ${inWords(taken)}`,
        ),
        `requests a second without it: ${inWords(rounds.at(-1)?.quiet.taken ?? {})}`,
        `a bare process, asked as often, answered after ${figure(quantile(echo.times, 0.99), 1)} ms (p99)`,
      ],
    );
  } finally {
    echo.stop();
    await Promise.all([quiet.stop(), beside.stop()]);
  }
}

interface WorldParts {
  readonly base: BotWorld;
  readonly people: People;
  readonly hostile: HostileGuild | undefined;
}

/** A Discord, a service, a store and a bot, with the quiet communities and perhaps the hostile one. */
class World {
  readonly failures: string[] = [];
  readonly #parts: WorldParts;
  readonly #end = new AbortController();
  #harm: Promise<void> = Promise.resolve();

  private constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  static async start({ withHostile, beside }: { withHostile: boolean; beside(): void }): Promise<World> {
    const otherServers = HOSTILE_KEYS;
    const base = await BotWorld.open({
      guilds: GUILDS,
      otherServers,
      perS: LIMIT_PER_S,
      windowMs: WINDOW_MS,
    });
    const hostile = withHostile ? new HostileGuild(base.discord, GUILDS) : undefined;
    await hostile?.settle(base.storeUrl, { clock: systemClock, random: seededRandom(2) });
    const people = new People(base.discord, base.communities, { perS: INTERACTIONS_PER_S, beside });
    return new World({ base, people, hostile });
  }

  /** Starts the bot, and the harm. */
  async go(): Promise<void> {
    const { base, hostile } = this.#parts;
    await base.startBot(START_WITHIN_MS);
    base.bot.onLine((line) => /"level":(50|60)\b/.test(line) && this.failures.push(line));
    if (hostile !== undefined) this.#harm = hostile.act(this.#end.signal);
  }

  async round(forMs: number): Promise<Round> {
    const { people } = this.#parts;
    const { service } = this.#parts.base;
    people.forget();
    const before = await service.counts();
    const acceptedBefore = this.#parts.hostile?.accepted ?? 0;
    const cpuBeforeS = await this.#cpuS();
    const startMs = performance.now();
    await people.act(forMs);
    const seconds = (performance.now() - startMs) / 1_000;
    const after = await service.counts();
    const cpuS = (await this.#cpuS()) - cpuBeforeS;
    this.failures.push(...people.failures);
    const times = [...people.times.values()].flat();
    const grown = (of: (counts: Counts) => number) => of(after) - of(before);
    return {
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      pollsPerS: grown(({ polls }) => polls) / seconds,
      requestsPerS: grown(({ requests }) => requests) / seconds,
      answers429: grown(({ answers429 }) => answers429),
      taken: Object.fromEntries(
        Object.keys(after.taken).map((what) => [what, grown(({ taken }) => taken[what] ?? 0) / seconds]),
      ),
      acceptedPerS: ((this.#parts.hostile?.accepted ?? 0) - acceptedBefore) / seconds,
      cpuPercent: (100 * cpuS) / seconds,
    };
  }

  /** What the hostile guild did, in words. */
  get harm(): string {
    const { hostile } = this.#parts;
    const done = hostile?.done ?? new Map<string, number>();
    const work = `${hostile?.asked ?? 0} commands and cases (accepted: ${hostile?.accepted ?? 0})`;
    return [work, ...[...done].map(([what, times]) => `${times} ${what}`)].join(", ");
  }

  /** Processor time of the bot so far, as its metrics tell it. */
  async #cpuS(): Promise<number> {
    const answer = await fetch(`http://${this.#parts.base.opsAddress}/metrics`);
    const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(await answer.text()) ?? [];
    return Number(seconds);
  }

  async stop(): Promise<void> {
    const { base, people } = this.#parts;
    this.#end.abort();
    await this.#harm;
    people.leave();
    await base.close();
  }
}

function inWords(taken: Readonly<Record<string, number>>): string {
  return Object.entries(taken)
    .map(([what, perS]) => `${figure(perS, 1)} ${what}`)
    .join(", ");
}

function report(
  rounds: readonly { readonly quiet: Round; readonly beside: Round }[],
  failures: readonly string[],
  about: readonly string[],
): BenchResult {
  const median = (of: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(of), 0.5);
  const figures = {
    ackP99OverQuiet: figure(
      median(({ quiet, beside }) => beside.p99Ms / quiet.p99Ms),
      2,
    ),
    pollsOverQuiet: figure(
      median(({ quiet, beside }) => beside.pollsPerS / quiet.pollsPerS),
      2,
    ),
    acceptedPerS: figure(
      median(({ beside }) => beside.acceptedPerS),
      1,
    ),
    pollsBesideLeague: figure(pollsBesideLeague(), 2),
  };
  const ok =
    figures.ackP99OverQuiet <= ACK_P99_OVER_QUIET &&
    figures.pollsOverQuiet >= POLLS_OVER_QUIET &&
    figures.pollsBesideLeague >= POLLS_BESIDE_LEAGUE &&
    failures.length === 0;
  const rows = rounds.flatMap(({ quiet, beside }, round) => [
    [`${round + 1}. without the hostile guild`, ...columnsOf(quiet)],
    [`${round + 1}. beside it`, ...columnsOf(beside)],
  ]);
  const head = ["of the quiet", "first answer p50 ms", "p99 ms", "polls/s", "all requests/s", "429", "CPU %"];
  return { ok, figures, lines: [...about, ...table(head, rows), ...failures.slice(0, 8)] };
}

function columnsOf(round: Round): readonly number[] {
  const { p50Ms, p99Ms, pollsPerS, requestsPerS, answers429, cpuPercent } = round;
  return [p50Ms, p99Ms, pollsPerS, requestsPerS, answers429, cpuPercent].map((value) => figure(value, 1));
}
