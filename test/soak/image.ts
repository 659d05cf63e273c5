import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { freePort } from "../../src/sandbox/free-port.ts";
import { tempFolder } from "../support/temp-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What node:slim calls `node`, and nobody on this machine needs to be. */
const USER_ID = 1_000;
const STARTS_WITHIN_MS = 60_000;
const STOPS_WITHIN_MS = 15_000;

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** What the Dockerfile leaves: a folder for each stage, and how the last one is started. */
interface Image {
  readonly app: string;
  readonly environment: Record<string, string>;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly isOtherUser: boolean;
}

/**
 * Follows the Dockerfile in an empty folder, without an engine: what is copied, `npm ci --omit=dev`, a root that cannot
 * be written, another user, the start, the health check, SIGTERM. Its Node is the one that runs this.
 */
export async function run(): Promise<boolean> {
  const folder = tempFolder();
  // The other user has to get through it.
  chmodSync(folder.path, 0o755);
  try {
    const image = build(folder.path);
    console.log(`built: ${Object.keys(image.environment).length} variables, CMD ${image.command.join(" ")}`);
    return await tryOut(image);
  } finally {
    execFileSync("chmod", ["-R", "u+w", folder.path]);
    folder.remove();
  }
}

function instructions(): readonly Instruction[] {
  const text = readFileSync(join(root, "Dockerfile"), "utf8")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [word = "", ...rest] = line.trim().split(/\s+/);
      return { word, rest: rest.join(" ") };
    });
}

function build(base: string): Image {
  const stages = new Map<string, string>();
  let stage = "";
  let workdir = "/";
  let isOtherUser = false;
  let environment: Record<string, string> = {};
  let [command, healthCheck]: [readonly string[], readonly string[]] = [[], []];
  const inStage = (path: string) => join(stage, path.startsWith("/") ? path : join(workdir, path));
  const steps: Record<string, (rest: string) => void> = {
    FROM(rest) {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? `stage-${stages.size}`;
      stage = join(base, name);
      stages.set(name, stage);
      [workdir, environment, isOtherUser] = ["/", {}, false];
      mkdirSync(stage);
    },
    WORKDIR(rest) {
      workdir = rest;
      mkdirSync(inStage("."), { recursive: true });
    },
    ENV(rest) {
      const [name = "", value = ""] = rest.split("=");
      environment[name] = value;
    },
    COPY: (rest) => copy(rest, { stages, inStage }),
    RUN(rest) {
      // Here the image's own user has a number only.
      const script = rest.replaceAll("chown node:node", `chown ${USER_ID}:${USER_ID}`);
      execFileSync("sh", ["-ec", script], { cwd: inStage("."), stdio: ["ignore", "ignore", "inherit"] });
    },
    USER(rest) {
      isOtherUser = rest !== "root";
    },
    CMD(rest) {
      command = JSON.parse(rest);
    },
    HEALTHCHECK(rest) {
      healthCheck = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4));
    },
    VOLUME: () => undefined,
    EXPOSE: () => undefined,
  };
  for (const { word, rest } of instructions()) {
    const step = steps[word];
    if (step === undefined)
      throw new Error(`the Dockerfile has an instruction that is not followed here: ${word}`);
    step(rest);
  }
  return { app: inStage("."), environment, command, healthCheck, isOtherUser };
}

function copy(
  rest: string,
  { stages, inStage }: { readonly stages: ReadonlyMap<string, string>; inStage(path: string): string },
): void {
  const words = rest.split(" ");
  const from = /^--from=(\S+)$/.exec(words[0] ?? "")?.[1];
  const source = from === undefined ? root : (stages.get(from) ?? "");
  const [to = "", ...paths] = (from === undefined ? words : words.slice(1)).reverse();
  const named = paths
    .reverse()
    .flatMap((path) => (path.includes("*") ? globSync(path, { cwd: source }) : [path]));
  for (const path of named) {
    const target = to.endsWith("/") || to === "./" ? join(inStage(to), basename(path)) : inStage(to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(source, path), target, { recursive: true, verbatimSymlinks: true });
  }
}

async function tryOut(image: Image): Promise<boolean> {
  const { app } = image;
  const data = join(app, "data");
  const asUser = process.getuid?.() === 0 ? { uid: USER_ID, gid: USER_ID } : {};
  if (asUser.uid !== undefined) chownSync(data, USER_ID, USER_ID);
  execFileSync("chmod", ["-R", "a-w", app]);
  chmodSync(data, 0o700);
  const discord = await EmulatedDiscord.start({ nowMs: Date.now });
  const port = await freePort();
  const [program = "", ...args] = image.command;
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: "/nonexistent",
    ...image.environment,
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, SERVICE_URL: "http://127.0.0.1:9" },
    OPS_ADDRESS: `127.0.0.1:${port}`,
  };
  const bot = spawn(program, args, { cwd: app, env, stdio: ["ignore", "pipe", "inherit"], ...asUser });
  let said = "";
  bot.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(bot, "exit");
  const held: boolean[] = [];
  const note = (what: string, isHeld: boolean) => {
    held.push(isHeld);
    console.log(`${isHeld ? "held" : "FAILED"}: ${what}`);
  };
  try {
    note("it ends as another user than root", image.isOtherUser);
    note("development packages are left out", !existsSync(join(app, "node_modules/typescript")));
    note("the emulators are left out", !existsSync(join(app, "src/sandbox")));
    for (let waitedMs = 0; waitedMs < STARTS_WITHIN_MS && !said.includes("logged in"); waitedMs += 200)
      await sleep(200);
    note("it starts and logs in", said.includes("logged in"));
    note("its store is in the only folder that can be written", existsSync(join(data, "marshal.sqlite")));
    if (asUser.uid !== undefined) note("nothing else can be written", !canWrite(app, asUser));

    const [check = "", ...checkArgs] = image.healthCheck;
    const isContent = () => exitOf(check, checkArgs, env, { cwd: app }) === 0;
    note("its health check is content", isContent());
    bot.kill("SIGTERM");
    const [code] = await Promise.race([ended, sleep(STOPS_WITHIN_MS, ["it did not end"])]);
    note(`SIGTERM ends it in order (${String(code)})`, code === 0 && said.includes("stopped"));
    note("then its health check is not content", !isContent());
  } finally {
    if (bot.exitCode === null) bot.kill("SIGKILL");
    await discord.close();
    if (held.includes(false)) console.log(said.split("\n").slice(-20).join("\n"));
  }
  return !held.includes(false);
}

function canWrite(app: string, user: { readonly uid?: number; readonly gid?: number }): boolean {
  return (
    exitOf("sh", ["-c", `echo x > ${join(app, "src", "x")} || echo x > ${join(app, "x")}`], {}, user) === 0
  );
}

function exitOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { readonly uid?: number; readonly gid?: number; readonly cwd?: string } = {},
): number {
  try {
    execFileSync(program, [...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: "ignore",
      ...options,
    });
    return 0;
  } catch {
    return 1;
  }
}
