import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { addFeeds } from "../../e2e/compare.ts";
import type { Documented } from "./documented.ts";
import { filledIn, type Host, type Running, type Words } from "./host.ts";

export interface Walk {
  readonly host: Host;
  readonly documented: Documented;
  readonly words: Words;
  /** The repository gets its last commit. */
  publish(): void;
  /** Something that has to hold. */
  note(what: string, isHeld: boolean): void;
}

const LOGGED_IN = /logged in/;

/** The way by hand, from nothing through an update, a backup and its restore, a new token, a new secret and a lost one. */
export async function walkByHand(walk: Walk): Promise<void> {
  const stage = await openStage({ seed: 3, serverKey: "hostTown-hostServer", traffic: "normal", live: true });
  try {
    await new ByHand(walk, stage).go();
  } finally {
    await stage.close();
  }
}

class ByHand {
  readonly #walk: Walk;
  readonly #stage: Stage;
  readonly #opsPort: number;
  #words: Words;
  #folder = "";

  constructor(walk: Walk, stage: Stage) {
    this.#walk = walk;
    this.#stage = stage;
    this.#opsPort = Number(stage.bot.opsAddress.split(":")[1]);
    this.#words = { ...walk.words, YOUR_TOKEN: stage.discord.token, "127.0.0.1:9464": stage.bot.opsAddress };
  }

  async go(): Promise<void> {
    await this.#begins();
    await this.#update();
    await this.#backup();
    await this.#newToken();
    await this.#newSecret();
    await this.#lostSecret();
  }

  #do(command: string): string {
    const { host, documented } = this.#walk;
    console.log(`  ${command}`);
    return host.run(filledIn(documented.take(command), this.#words), this.#folder);
  }

  /** `npm start`, up to the line that says how it went. */
  async #start(says = LOGGED_IN): Promise<Running> {
    const { host, documented } = this.#walk;
    const bot = host.start(documented.take("npm start"), this.#folder);
    await bot.says(says);
    return bot;
  }

  async #begins(): Promise<void> {
    const { note, host } = this.#walk;
    this.#folder = host.folder;
    this.#do("git clone ADDRESS marshal");
    this.#walk.documented.take("cd marshal");
    this.#folder = join(host.folder, "marshal");
    this.#do("npm ci");
    this.#do("cp .env.example .env");
    const open = host.start("npm start", this.#folder);
    await open.ended;
    note("a .env that others can read is warned of", /chmod 600 \.env/.test(open.said));
    note("without a token it is one line that names it", /DISCORD_TOKEN: nothing was set/.test(open.said));
    this.#do("chmod 600 .env");
    this.#do("sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_TOKEN/' .env");
    // The only lines that a reader would not have: the real Discord and the real service are not asked.
    const { discord, serviceUrl, bot: spare } = this.#stage;
    const emulators = {
      DISCORD_API_URL: discord.apiUrl,
      SERVICE_URL: serviceUrl,
      OPS_ADDRESS: spare.opsAddress,
    };
    for (const [name, value] of Object.entries(emulators))
      appendFileSync(join(this.#folder, ".env"), `${name}=${value}\n`);
    const bot = await this.#start();
    await addFeeds(this.#stage);
    await until(() => this.#do("curl -s http://127.0.0.1:9464/readyz").startsWith("ready"));
    note("it is ready", true);
    note(
      "/startz says that it has started",
      this.#do("curl -s http://127.0.0.1:9464/startz") === "started\n",
    );
    note("/state is JSON", typeof JSON.parse(this.#do("curl -s http://127.0.0.1:9464/state")) === "object");
    const health = host.run(
      `OPS_ADDRESS=127.0.0.1:${this.#opsPort} bash deploy/health.sh && echo well`,
      this.#folder,
    );
    note("the container's health check is content with it", health === "well\n");
    const shown = host.run(
      `OPS_ADDRESS=127.0.0.1:${this.#opsPort} bash deploy/health.sh readyz`,
      this.#folder,
    );
    note("and shows what it is asked for", shown.startsWith("ready"));
    await bot.stop();
    note("Ctrl+C stops it in order", /"failed":false,"msg":"stopped"/.test(bot.said));
  }

  async #update(): Promise<void> {
    const { note } = this.#walk;
    const before = this.#head();
    const run = (line: string) => this.#walk.host.run(line, this.#folder);
    run("npm run store -- backups before-update");
    this.#walk.publish();
    this.#do("git pull");
    note("git pull brings the next version", this.#head() !== before);
    this.#do("npm ci");
    const bot = await this.#start();
    note("the new version goes on with the same server", (await this.#sources()) === 1);
    await bot.stop();
    run("npm run store -- restore before-update/*Z");
    run(`git checkout -q ${before}`);
    const back = await this.#start();
    note("the version before starts again on the backup of before", (await this.#sources()) === 1);
    await back.stop();
    run("git checkout -q - && rm -r before-update data/before-restore-*");
  }

  #head(): string {
    return this.#walk.host.run("git rev-parse HEAD", this.#folder);
  }

  async #sources(): Promise<number> {
    let found = 0;
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#opsPort}/metrics`).then((got) => got.text());
      found = Number(/^marshal_sources (\d+)/m.exec(answer)?.[1] ?? 0);
      return found > 0;
    }, 20_000).catch(() => undefined);
    return found;
  }

  async #backup(): Promise<void> {
    const { note } = this.#walk;
    const bot = await this.#start();
    const said = this.#do("npm run store -- backups backups");
    note(
      "the tool says which store it is",
      said.includes(`store: ${join(this.#folder, "data/marshal.sqlite")}`),
    );
    const backup = this.#do("ls backups").trim();
    const files = readdirSync(join(this.#folder, "backups", backup))
      .sort()
      .join(" ");
    note(`the backup has ${files}`, files === "history.sqlite marshal.sqlite secret.key");
    note("only its owner can read it", (statSync(join(this.#folder, "backups", backup)).mode & 0o77) === 0);
    await bot.stop();
    this.#walk.host.run("rm -r data", this.#folder);
    const words = this.#words;
    this.#words = { ...words, BACKUP: backup };
    note(
      "restore puts it in place",
      this.#do("npm run store -- restore backups/BACKUP").includes("is in place"),
    );
    this.#words = words;
    const checked = this.#do("npm run store -- check");
    note("check reads all of it", /everything can be read; 1 server keys open/.test(checked));
    const again = await this.#start();
    note("the restored bot reads its server", (await this.#sources()) === 1);
    await again.stop();
  }

  async #newToken(): Promise<void> {
    const { note } = this.#walk;
    const bot = await this.#start();
    this.#words = { ...this.#words, YOUR_NEW_TOKEN: this.#stage.discord.resetToken() };
    const code = await bot.ended;
    const errors = bot.said.split("\n").filter((line) => line.includes('"level":50'));
    note(
      "a token that was reset ends it with one error",
      code === 1 && errors.length === 1 && /DISCORD_TOKEN/.test(errors[0] ?? ""),
    );
    this.#do("sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_NEW_TOKEN/' .env");
    await (await this.#start()).stop();
    note("with the new one it goes on", true);
  }

  async #newSecret(): Promise<void> {
    const { note } = this.#walk;
    const secret = () => readFileSync(join(this.#folder, "data/secret.key"), "utf8");
    // Twice, since the second time begins where the first one ended.
    for (const time of ["a new secret", "a second one"]) {
      const before = secret();
      this.#do('echo "SECRET_KEY_OLD=$(cat data/secret.key)" >> .env');
      this.#do('echo "SECRET_KEY=$(openssl rand -base64 32)" >> .env');
      const bot = await this.#start();
      note(`${time} seals the keys anew`, /you can remove SECRET_KEY_OLD and SECRET_KEY:/.test(bot.said));
      await bot.stop();
      this.#do("sed -i '/^SECRET_KEY/d' .env");
      note(`${time} is in the file`, secret() !== before);
      const again = await this.#start();
      note(`${time} is found there`, (await this.#sources()) === 1);
      await again.stop();
    }
  }

  async #lostSecret(): Promise<void> {
    const { note, host } = this.#walk;
    host.run("rm data/secret.key", this.#folder);
    const bot = host.start("npm start", this.#folder);
    note(
      "a lost secret is one line that names the file",
      (await bot.ended) === 1 && /secret\.key is missing/.test(bot.said),
    );
    this.#do("mkdir lost");
    this.#do("mv data/marshal.sqlite* lost/");
    await (await this.#start()).stop();
    const kept = readFileSync(join(this.#folder, "data/history.sqlite")).length;
    note("with an empty store it starts, and the history is there", kept > 0);
  }
}

/** Asks until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error("it never came");
    await sleep(500);
  }
}
