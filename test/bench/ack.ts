import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { BotProcess, freePort } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { addCommunity, settle } from "./communities.ts";
import { Echo } from "./echo.ts";
import { People } from "./people.ts";
import { type Counts, ServiceProcess } from "./service-process.ts";

export const name = "ack";

const GUILDS = 1_000;
const SHAPE = { textChannels: 12, voiceChannels: 3, roles: 10 };
/**
 * Of polls and of what people ask together (15 a second). More than 35 polls and those would need: on a machine that
 * stalls, the gate learns the end of a window late and uses only a half of it.
 */
const LIMIT_PER_S = 70;
const POLLS_PER_S = 35;
/** Far more than a thousand communities do: it is the number of measurements that needs it. */
const INTERACTIONS_PER_S = 30;
const WARM_MS = 6_000;
const MEASURED_MS = 36_000;
/** It bounds the requests in flight as well: an operator of a thousand guilds has raised it. */
const BAD_KEY_BUDGET = "40";
const P99_MS = 30;
const START_WITHIN_MS = 60_000;
const ECHO = "a bare process, asked as often";

/**
 * The time from an interaction to its first answer, as the emulated Discord sees it, while the real bot (a process of
 * its own, started as an operator would) polls a thousand servers and posts what it finds into their channels. The
 * emulated service is a third process; the emulated Discord and the people live in this one.
 */
export async function run(): Promise<BenchResult> {
  const folder = tempFolder();
  const random = seededRandom(1);
  const nowMs = () => performance.timeOrigin + performance.now();
  const discord = await EmulatedDiscord.start({ nowMs });
  const service = await ServiceProcess.start({ servers: GUILDS, quiet: GUILDS, perS: LIMIT_PER_S });
  const echo = await Echo.start();
  const communities = Array.from({ length: GUILDS }, (_, index) => addCommunity(discord, index, SHAPE));
  const storeUrl = `sqlite:${join(folder.path, "marshal.sqlite")}`;
  await settle(storeUrl, communities, { clock: systemClock, random });
  const bot = new BotProcess({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SERVICE_URL: service.url,
    STORE_URL: storeUrl,
    OPS_ADDRESS: `127.0.0.1:${await freePort()}`,
    BAD_KEY_BUDGET,
    LOG_LEVEL: "info",
  });
  try {
    const registered = discord.waitFor((event) => event.type === "commands-registered", START_WITHIN_MS);
    bot.start();
    await registered.catch(() => {
      throw new Error(
        `the bot did not register its commands; its last lines:\n${bot.lines.slice(-20).join("\n")}`,
      );
    });
    const crowd = new People(discord, communities, {
      perS: INTERACTIONS_PER_S,
      beside: () => echo.ask(),
    });
    await crowd.act(WARM_MS);
    const before = await service.counts();
    crowd.forget();
    echo.forget();
    const startMs = nowMs();
    await crowd.act(MEASURED_MS);
    const seconds = (nowMs() - startMs) / 1_000;
    const after = await service.counts();
    return report({ crowd, echo, seconds, before, after, bot });
  } finally {
    await bot.stop();
    service.stop();
    echo.stop();
    await discord.close();
    folder.remove();
  }
}

interface Measured {
  readonly crowd: People;
  readonly echo: Echo;
  readonly seconds: number;
  readonly before: Counts;
  readonly after: Counts;
  readonly bot: BotProcess;
}

function report({ crowd, echo, seconds, before, after, bot }: Measured): BenchResult {
  const all = [...crowd.times.values()].flat();
  const figures = {
    guilds: GUILDS,
    pollsPerSecond: figure((after.polls - before.polls) / seconds, 1),
    p50Ms: figure(quantile(all, 0.5), 1),
    p99Ms: figure(quantile(all, 0.99), 1),
  };
  const failed = crowd.failures.length;
  const ok = figures.pollsPerSecond >= POLLS_PER_S && figures.p99Ms <= P99_MS && failed === 0;
  const rows = [...crowd.times, [ECHO, echo.times] as const].map(([act, times]) => [
    act,
    times.length,
    ...[0.5, 0.9, 0.99, 1].map((part) => figure(quantile(times, part), 1)),
  ]);
  const errors = bot.lines.filter((line) => /"level":(50|60)\b/.test(line));
  const lines = [
    `${all.length} interactions in ${figure(seconds, 1)} s, ${failed} without an answer; ` +
      `${crowd.posts} messages posted and ${crowd.edits} edited; ${after.commands - before.commands} commands ` +
      `sent; ${after.answers429} answers of 429, ${after.avoidable} avoidable`,
    ...table(["first answer, ms", "times", "p50", "p90", "p99", "longest"], rows),
    ...crowd.failures.slice(0, 5),
    ...errors.slice(0, 5),
  ];
  return { ok, figures, lines };
}
