import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startRedis } from "./redis.ts";
import { openStage, type Stage } from "./stage.ts";
import { tour } from "./tour.ts";
import { takeFirstSteps } from "./web/first-steps.ts";
import { helpText, readOptions, type SandboxOptions, UsageError } from "./web/options.ts";
import { Panel } from "./web/panel.ts";
import { type PageServer, PortError, servePage } from "./web/server.ts";
import { ShotError, takeShot } from "./web/shot.ts";

/** The whole sandbox with its page, to be closed in order. */
interface Sandbox {
  readonly stage: Stage;
  readonly panel: Panel;
  readonly page: PageServer;
  close(): Promise<void>;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function open(options: SandboxOptions): Promise<Sandbox> {
  if (options.keep !== undefined) await mkdir(options.keep, { recursive: true });
  const { processes } = options;
  const shared = processes > 1 ? await openShared(options.keep) : undefined;
  const stage = await openStage({
    seed: options.seed,
    serverKey: `sandbox-${options.seed}-river`,
    traffic: "normal",
    live: true,
    // As on the public service: an owner who has set nothing up has allowed nothing.
    commands: options.empty ? "refused" : "allowed",
    processes,
    ...(shared === undefined ? {} : { environment: shared.environment }),
    ...(options.keep === undefined ? {} : { dataFolder: resolve(options.keep) }),
  });
  const { guild, channels } = stage.cast;
  // Feeds may go into threads too: one is here to be chosen.
  guild.addChannel({ name: "night shift", type: "thread", parentId: channels.staff.id });
  // Where nothing is set up, Marshal offers it as it does after a real invite.
  if (options.empty) guild.setSystemChannel(channels.general);
  const panel = new Panel(stage);
  const closeAll = async (page?: PageServer) => {
    await page?.close();
    await panel.close();
    await stage.close();
    await shared?.close();
  };
  try {
    const port = options.mode === "shot" ? 0 : options.port;
    const page = await servePage({ stage, panel, port, isEmpty: options.empty });
    return { stage, panel, page, close: () => closeAll(page) };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function startBot({ stage, panel }: Sandbox): void {
  panel.started();
  for (const bot of stage.bots) bot.start();
}

/** A store that several processes can share: a Redis that ends with the sandbox. */
async function openShared(keep: string | undefined) {
  const folder =
    keep === undefined ? await mkdtemp(join(tmpdir(), "marshal-redis-")) : resolve(keep, "redis");
  const redis = await startRedis(folder);
  if (redis === undefined)
    throw new UsageError("--processes needs redis-server or valkey-server on this machine; install one");
  return {
    // The same each time, so that a folder that is kept can be opened again; it seals emulated keys only.
    environment: { STORE_URL: redis.url, SECRET_KEY: Buffer.alloc(32, 1).toString("base64") },
    close: async () => {
      await redis.stop();
      if (keep === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The page, until SIGINT or SIGTERM. */
async function showPage(options: SandboxOptions): Promise<void> {
  const sandbox = await open(options);
  const { stage, panel, page } = sandbox;
  const { promise: asked, resolve: end } = Promise.withResolvers<void>();
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      isEnding = true;
      end();
    });
  startBot(sandbox);
  say(`Marshal's sandbox: ${page.url}`);
  say(
    options.empty
      ? "  Press Set it up under Marshal's first message; the server's key is on the right."
      : "  In the box at the bottom type /server status or /run command; on the right, pull a lever and watch.",
  );
  say("  Ctrl+C ends it; nothing leaves this machine. Other ways to use it: npm run sandbox -- --help");
  const steps = options.empty
    ? Promise.resolve()
    : takeFirstSteps(stage, panel).catch((error: unknown) => {
        if (isEnding) return;
        const why = error instanceof Error ? error.message : String(error);
        panel.note("sandbox", `The first steps were not finished: ${why}`, true);
        say(`The first steps were not finished: ${why}`);
        for (const line of stage.bot.lines.slice(-5)) say(`  bot: ${line}`);
      });
  await asked;
  await sandbox.close();
  await steps;
}

async function makeShot(options: SandboxOptions): Promise<void> {
  const sandbox = await open(options);
  try {
    startBot(sandbox);
    if (!options.empty) await takeFirstSteps(sandbox.stage, sandbox.panel);
    await takeShot(sandbox.page.url, sandbox.stage, sandbox.panel, options.shot);
    say(`${options.shot.file} shows #${options.shot.channel} as ${options.shot.actor}`);
  } finally {
    await sandbox.close();
  }
}

/** Answers the exit code. */
async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.mode === "help") {
    process.stdout.write(helpText);
    return 0;
  }
  // Whoever has one set may believe that the sandbox would use it; it never may.
  if ((process.env.DISCORD_TOKEN ?? "") !== "")
    throw new UsageError(
      "DISCORD_TOKEN is set: the sandbox can never be started with a real token; unset it",
    );
  if (options.mode === "tour") return await tour({ seed: options.seed, write: say });
  if (options.mode === "shot") await makeShot(options);
  else await showPage(options);
  return 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof UsageError || error instanceof PortError || error instanceof ShotError;
  process.stderr.write(
    `sandbox: ${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`,
  );
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
