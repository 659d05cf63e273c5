import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { BotProcess, freePort } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { seededRandom } from "../support/clock.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { addCommunity, type Community, settle } from "./crowd.ts";
import { Echo } from "./echo.ts";
import { HOSTILE_KEYS, HostileGuild } from "./hostile.ts";
import { People } from "./people.ts";
import { ServiceProcess } from "./service-process.ts";

export const name = "tenants";

const GUILDS = 200;
const SHAPE = { textChannels: 12, voiceChannels: 3, roles: 10 };
/** Requests a second that the service takes. */
const LIMIT_PER_S = 35;
/** Of the quiet communities' people: more than they would do, as the number of measurements needs it. */
const INTERACTIONS_PER_S = 20;
const WARM_MS = 5_000;
const MEASURED_MS = 20_000;
/** A life of the bot without the hostile guild and one with it stand side by side, in turning order. */
const PAIRS = 3;
const START_WITHIN_MS = 60_000;
const ACK_P99_OVER_QUIET = 1.5;
const POLLS_OVER_QUIET = 0.9;

interface Life {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pollsPerS: number;
  readonly requestsPerS: number;
  readonly answers429: number;
  readonly echoP99Ms: number;
  readonly failures: readonly string[];
}

interface World {
  readonly discord: EmulatedDiscord;
  readonly communities: readonly Community[];
  readonly hostile: HostileGuild;
  readonly folder: TempFolder;
  readonly echo: Echo;
}

/**
 * What 200 quiet communities notice of one that does everything that costs something at once: the time to the first
 * answer and the polls of their servers, with it over without it. Each life is the real bot as a process of its own
 * with a fresh copy of its store; the emulated service is another, the emulated Discord and the people live here.
 */
export async function run(): Promise<BenchResult> {
  const folder = tempFolder();
  const nowMs = () => performance.timeOrigin + performance.now();
  const discord = await EmulatedDiscord.start({ nowMs });
  const echo = await Echo.start();
  try {
    const communities = Array.from({ length: GUILDS }, (_, index) => addCommunity(discord, index, SHAPE));
    const world = { discord, communities, hostile: new HostileGuild(discord, GUILDS), folder, echo };
    await settleStores(world);
    const pairs: { readonly quiet: Life; readonly beside: Life }[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const order = pair % 2 === 0 ? ([false, true] as const) : ([true, false] as const);
      const lives = new Map<boolean, Life>();
      for (const hostile of order) lives.set(hostile, await live(world, hostile));
      const [quiet, beside] = [lives.get(false), lives.get(true)];
      if (quiet !== undefined && beside !== undefined) pairs.push({ quiet, beside });
    }
    return report(pairs, world.hostile);
  } finally {
    echo.stop();
    await discord.close();
    folder.remove();
  }
}

/** One store of the quiet communities, and the same with what the hostile guild has set up. */
async function settleStores({ communities, hostile, folder }: World): Promise<void> {
  const surroundings = { clock: systemClock, random: seededRandom(1) };
  const quiet = storeIn(folder, "quiet");
  await settle(quiet.url, communities, surroundings);
  const beside = storeIn(folder, "beside");
  copyStore(quiet.path, beside.path);
  await hostile.settle(beside.url, surroundings);
}

function storeIn(folder: TempFolder, name: string): { readonly path: string; readonly url: string } {
  const path = join(folder.path, name);
  mkdirSync(path);
  return { path, url: `sqlite:${join(path, "marshal.sqlite")}` };
}

function copyStore(from: string, to: string): void {
  for (const file of ["marshal.sqlite", "secret.key"]) copyFileSync(join(from, file), join(to, file));
}

async function live(world: World, withHostile: boolean): Promise<Life> {
  const { discord, communities, hostile, folder, echo } = world;
  const store = storeIn(folder, `life-${performance.now()}`);
  copyStore(join(folder.path, withHostile ? "beside" : "quiet"), store.path);
  const servers = GUILDS + HOSTILE_KEYS;
  const service = await ServiceProcess.start({ servers, quiet: GUILDS, perS: LIMIT_PER_S });
  const bot = new BotProcess({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SERVICE_URL: service.url,
    STORE_URL: store.url,
    OPS_ADDRESS: `127.0.0.1:${await freePort()}`,
    LOG_LEVEL: "info",
  });
  const people = new People(discord, communities, { perS: INTERACTIONS_PER_S, beside: () => echo.ask() });
  const end = new AbortController();
  try {
    const registered = discord.waitFor((event) => event.type === "commands-registered", START_WITHIN_MS);
    bot.start();
    await registered.catch(() => {
      throw new Error(`the bot did not register its commands:\n${bot.lines.slice(-20).join("\n")}`);
    });
    const harm = withHostile ? hostile.act(end.signal) : Promise.resolve();
    await people.act(WARM_MS);
    people.forget();
    echo.forget();
    const before = await service.counts();
    const startMs = performance.now();
    await people.act(MEASURED_MS);
    const seconds = (performance.now() - startMs) / 1_000;
    const after = await service.counts();
    end.abort();
    await harm;
    const times = [...people.times.values()].flat();
    return {
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      pollsPerS: (after.polls - before.polls) / seconds,
      requestsPerS: (after.requests - before.requests) / seconds,
      answers429: after.answers429 - before.answers429,
      echoP99Ms: quantile(echo.times, 0.99),
      failures: [...people.failures, ...bot.lines.filter((line) => /"level":(50|60)\b/.test(line))],
    };
  } finally {
    end.abort();
    people.leave();
    await bot.stop();
    service.stop();
  }
}

function report(
  pairs: readonly { readonly quiet: Life; readonly beside: Life }[],
  hostile: HostileGuild,
): BenchResult {
  const median = (of: (pair: (typeof pairs)[number]) => number) => quantile(pairs.map(of), 0.5);
  const figures = {
    ackP99OverQuiet: figure(
      median(({ quiet, beside }) => beside.p99Ms / quiet.p99Ms),
      2,
    ),
    pollsOverQuiet: figure(
      median(({ quiet, beside }) => beside.pollsPerS / quiet.pollsPerS),
      2,
    ),
  };
  const failures = pairs.flatMap(({ quiet, beside }) => [...quiet.failures, ...beside.failures]);
  const ok =
    figures.ackP99OverQuiet <= ACK_P99_OVER_QUIET &&
    figures.pollsOverQuiet >= POLLS_OVER_QUIET &&
    failures.length === 0;
  const rows = pairs.flatMap(({ quiet, beside }, pair) =>
    (
      [
        [`${pair + 1}. without the hostile guild`, quiet],
        [`${pair + 1}. beside it`, beside],
      ] as const
    ).map(([what, life]) => [
      what,
      ...[life.p50Ms, life.p99Ms, life.pollsPerS, life.requestsPerS, life.answers429, life.echoP99Ms].map(
        (value) => figure(value, 1),
      ),
    ]),
  );
  const did = [...hostile.done].map(([what, times]) => `${times} ${what}`).join(", ");
  const lines = [
    `${GUILDS} quiet guilds at ${LIMIT_PER_S} requests a second; the hostile one did: ${did}`,
    ...table(
      [
        "first answers and polls of the quiet",
        "p50 ms",
        "p99 ms",
        "polls/s",
        "requests/s",
        "429",
        "a bare process p99",
      ],
      rows,
    ),
    ...failures.slice(0, 8),
  ];
  return { ok, figures, lines };
}
