import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/clock.ts";
import { BotProcess, freePort } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { addCommunity, type Community, settle } from "./crowd.ts";

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
const P99_MS = 50;
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
  const service = await ServiceProcess.start();
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
    const crowd = new Crowd(discord, communities, () => echo.ask());
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

interface Counts {
  readonly polls: number;
  readonly answers429: number;
  readonly avoidable: number;
  readonly commands: number;
}

interface Measured {
  readonly crowd: Crowd;
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

/** People of all communities, who do what people do at random moments. */
class Crowd {
  /** First answers by what was done, milliseconds. */
  readonly times = new Map<string, number[]>();
  readonly failures: string[] = [];
  posts = 0;
  edits = 0;
  readonly #communities: readonly Community[];
  readonly #random = seededRandom(2);
  readonly #statusCards: { readonly community: Community; readonly message: Message }[] = [];

  readonly #beside: () => void;

  /** `beside` is called with each interaction. */
  constructor(discord: EmulatedDiscord, communities: readonly Community[], beside: () => void) {
    this.#communities = communities;
    this.#beside = beside;
    discord.on((event) => {
      if (event.type === "interaction-answered") this.#answered(event.exchange);
      else if (event.type === "message-created" && event.message.interaction === undefined) this.posts += 1;
      else if (event.type === "message-edited" && event.message.interaction === undefined) this.edits += 1;
    });
  }

  forget(): void {
    this.times.clear();
    this.failures.length = 0;
    this.posts = 0;
    this.edits = 0;
  }

  /** Interactions come as a Poisson stream, whether or not those before have been answered. */
  async act(forMs: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startMs = performance.now();
    for (let atMs = 0; ; ) {
      atMs += (-Math.log(1 - this.#random.next()) / INTERACTIONS_PER_S) * 1_000;
      if (atMs >= forMs) break;
      const waitMs = startMs + atMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.#beside();
      const done = this.#one().catch((error: unknown) => void this.failures.push(String(error)));
      underWay.add(done);
      void done.then(() => underWay.delete(done));
    }
    await Promise.all(underWay);
  }

  async #one(): Promise<void> {
    const community = this.#pick(this.#communities);
    const { general, owner, moderator, member } = community;
    const draw = this.#random.next();
    if (draw < 0.2) {
      const exchange = await this.#does("/server status", () => member.slash(general, "server status"));
      if (exchange.message !== undefined) this.#keep({ community, message: exchange.message });
    } else if (draw < 0.3) {
      const card = this.#statusCards.find(({ message }) => message.components.length > 0);
      if (card === undefined) return;
      this.#statusCards.splice(this.#statusCards.indexOf(card), 1);
      const person = card.community.moderator;
      await this.#does("button Refresh", () => person.click(card.message, "Refresh"));
    } else if (draw < 0.4) {
      await this.#does("/server players", () => moderator.slash(general, "server players"));
    } else if (draw < 0.6) {
      const typed = this.#pick([":", ":ki", ":kick ", ":pm a"]);
      await moderator.autocomplete(general, "run command", { text: typed }, "text");
    } else if (draw < 0.7) {
      await this.#does("/run command", () => moderator.slash(general, "run command", { text: ":h Welcome" }));
    } else if (draw < 0.75) {
      const options = { text: ":kick Someone", dry: true };
      await this.#does("/run command dry", () => moderator.slash(general, "run command", options));
    } else if (draw < 0.85) await this.#does("/feed list", () => owner.slash(general, "feed list"));
    else if (draw < 0.93) await this.#does("/setup link", () => owner.slash(general, "setup link"));
    else await this.#does("/help", () => member.slash(general, "help"));
  }

  async #does(what: string, act: () => Promise<Exchange>): Promise<Exchange> {
    const exchange = await act();
    if (exchange.kind === "none") this.failures.push(`${what} was not answered`);
    this.#add(what, exchange.answeredAfterMs);
    return exchange;
  }

  /** Typing has no exchange of its own that a person sees: it is noted as it is answered. */
  #answered(exchange: Exchange): void {
    if (exchange.kind === "choices") this.#add("typing in /run command", exchange.answeredAfterMs);
  }

  #add(what: string, ms: number | undefined): void {
    if (ms === undefined) return;
    const times = this.times.get(what) ?? [];
    times.push(ms);
    this.times.set(what, times);
  }

  #keep(card: { readonly community: Community; readonly message: Message }): void {
    this.#statusCards.push(card);
    if (this.#statusCards.length > 200) this.#statusCards.shift();
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random.next() * values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }
}

/** The emulated service as a child process. */
class ServiceProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<ServiceProcess> {
    const file = fileURLToPath(new URL("./ack-service.ts", import.meta.url));
    const child = fork(file, [String(GUILDS), String(LIMIT_PER_S)], { execArgv: [] });
    const [{ url }] = await once(child, "message");
    return new ServiceProcess(child, String(url));
  }

  async counts(): Promise<Counts> {
    const answer = once(this.#child, "message");
    this.#child.send("counts");
    const [counts] = await answer;
    return counts;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/**
 * A process that does nothing but answer: what its answers are late by is the machine's doing, and the bot's are late
 * by that too. The figures are not corrected by it.
 */
class Echo {
  readonly times: number[] = [];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (askedAtMs) => this.times.push(performance.now() - Number(askedAtMs)));
  }

  static async start(): Promise<Echo> {
    const child = fork(fileURLToPath(new URL("./ack-echo.ts", import.meta.url)), [], { execArgv: [] });
    await once(child, "message");
    return new Echo(child);
  }

  ask(): void {
    this.#child.send(performance.now());
  }

  forget(): void {
    this.times.length = 0;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** `part` 1 is the longest. */
function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
