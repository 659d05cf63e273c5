import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { filledIn, type Running, type Words } from "./host.ts";
import { otherMachine, walkCron, walkStoreTool } from "./tools.ts";
import { until, type Walk } from "./walk.ts";

const LOGGED_IN = /logged in/;
const NEW_BESIDE_OLD =
  "{ grep -q '^SECRET_KEY_OLD=.' .env && echo \"SECRET_KEY=$(openssl rand -base64 32)\" >> .env; }";
const ENDED = "sed -i '$a\\' .env";
/** The lines for whoever keeps it in .env. */
const OWN_SECRET = [
  ENDED,
  "grep -q '^SECRET_KEY_OLD=.' .env || sed -i '/^SECRET_KEY_OLD=$/d; s/^SECRET_KEY=/SECRET_KEY_OLD=/' .env",
  `grep -q '^SECRET_KEY=.' .env || ${NEW_BESIDE_OLD}`,
] as const;

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
    await this.#ownSecret();
    await this.#lostSecret();
  }

  #do(command: string): string {
    const { host, documented } = this.#walk;
    console.log(`  ${command}`);
    return host.run(filledIn(documented.take(command), this.#words), this.#folder);
  }

  /** `npm start`, up to the line that says how it went. */
  async #start(command = "npm start"): Promise<Running> {
    const { host, documented } = this.#walk;
    const bot = host.start(documented.take(command), this.#folder);
    await bot.says(LOGGED_IN);
    return bot;
  }

  async #begins(): Promise<void> {
    const { note, host, documented } = this.#walk;
    this.#folder = host.folder;
    // As a machine that was made strict has it.
    const readable = `umask 077; ${documented.take("umask 022")};`;
    host.run(`${readable} ${filledIn(documented.take("git clone ADDRESS ~/marshal"), this.#words)}`);
    const { mode } = statSync(join(host.folder, "home/marshal/deploy/alertmanager.yml"));
    note("what is cloned others can read, also where the umask was stricter", (mode & 0o44) === 0o44);
    this.#do("cd ~/marshal");
    this.#folder = join(host.folder, "home/marshal");
    this.#do("npm ci");
    this.#do("{ test -e .env || cp .env.example .env; }");
    const open = host.start("npm start", this.#folder);
    await open.ended;
    note("a .env that others can read is warned of", /chmod 600 \.env/.test(open.said));
    note("without a token it is one line that names it", /DISCORD_TOKEN: nothing was set/.test(open.said));
    this.#do("chmod 600 .env");
    this.#do("sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_TOKEN/' .env");
    this.#beginsAgain();
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

  /** The first lines a second time, pasted into each folder where somebody may be. */
  #beginsAgain(): void {
    const { note, host, documented } = this.#walk;
    const lines = [
      "cd ~/marshal",
      "{ test -e .env || cp .env.example .env; }",
      "chmod 600 .env",
      "sed -i 's/^DISCORD_TOKEN=.*/DISCORD_TOKEN=YOUR_TOKEN/' .env",
    ].map((line) => documented.take(line));
    const pasted = `${documented.take("git clone ADDRESS ~/marshal")}\n${lines.join(" &&\n")}`;
    host.run("echo MAP_IMAGE=mine >> .env", this.#folder);
    const before = readFileSync(join(this.#folder, ".env"), "utf8");
    for (const folder of [this.#folder, host.folder, "/"])
      host.run(`(${filledIn(pasted, this.#words)}) 2>&1`, folder);
    const isKept = readFileSync(join(this.#folder, ".env"), "utf8") === before;
    const isNested = existsSync(join(this.#folder, "marshal")) || existsSync(join(host.folder, "marshal"));
    note("pasted again, from any folder, the first lines keep .env and clone nothing", isKept && !isNested);
    host.run(
      "sed -i /^MAP_IMAGE=mine/d .env && mkdir elsewhere && echo DISCORD_TOKEN=other > elsewhere/.env",
      this.#folder,
    );
    const failing = pasted.replaceAll("~/marshal", "~/not-there").replace("ADDRESS", "/nothing");
    host.run(`(${failing}) 2>&1 || true`, join(this.#folder, "elsewhere"));
    const other = readFileSync(join(this.#folder, "elsewhere/.env"), "utf8");
    note(
      "where the clone fails, what is in the folder of another bot stays",
      other === "DISCORD_TOKEN=other\n",
    );
    host.run("rm -r elsewhere", this.#folder);
  }

  async #update(): Promise<void> {
    const { note } = this.#walk;
    const before = this.#head();
    const run = (line: string) => this.#walk.host.run(line, this.#folder);
    this.#do("npm run store -- backups backups");
    this.#words = { ...this.#words, VERSION: before, BACKUP: this.#do("ls backups").trim() };
    this.#walk.publish();
    run("echo '# mine' >> deploy/alertmanager.yml");
    this.#do("git pull --autostash && ! git grep -n '^<<<<<<< '");
    note("git pull brings the next version, and what was changed stays", this.#head() !== before);
    run("tail -1 deploy/alertmanager.yml | grep '# mine'");
    this.#do("npm ci");
    const bot = await this.#start();
    note("the new version goes on with the same server", (await this.#sources()) === 1);
    await bot.stop();
    this.#do("git checkout -m VERSION && ! git grep -n '^<<<<<<< '");
    run("tail -1 deploy/alertmanager.yml | grep '# mine' && git checkout -q deploy/alertmanager.yml");
    note("git reflog has the version of before", this.#do("git reflog").includes(before));
    this.#do("npm ci");
    note("git checkout brings the version before", this.#head() === before);
    this.#do("npm run store -- restore backups/BACKUP");
    const back = await this.#start();
    note("it starts again on the backup of before", (await this.#sources()) === 1);
    await back.stop();
    // Not in one go: the Discord that answers it is in this process.
    const deploying = this.#walk.host.start(this.#walk.documented.take("npm run deploy"), this.#folder);
    await deploying.says(/registered \d+ commands/);
    note("npm run deploy registers its commands", (await deploying.ended) === 0);
    this.#do("git reset -q");
    run("echo '# mine' >> deploy/alertmanager.yml && git stash -q");
    this.#do("git stash drop");
    note("a stash that git kept is dropped", run("git stash list") === "");
    this.#do("git checkout -m main");
    note("and forward again", this.#head() !== before);
    this.#do("rm -r data/before-restore-*");
    run("rm -r backups");
  }

  #head(): string {
    const [head = ""] = this.#do("git log -1 --format='%h of %cs'").split(" ");
    return head;
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
    note(
      "what the data and the backups take is shown",
      /\tdata\n.*\tbackups\n/.test(this.#do("du -sh data backups")),
    );
    note("and what the disk has left", this.#do("df -h data").includes("%"));
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
    // What it has read of a log is stored with a later answer that brings something.
    for (let time = 0; time < 4; time++) {
      const before = this.#visits();
      await until(() => this.#visits() > before);
    }
    note("and goes on with its history", true);
    await again.stop();
    const { folder, path } = otherMachine(this.#walk.host);
    const copy = this.#walk.documented.take("tar -c backups* | ssh OTHER_MACHINE tar -x");
    this.#walk.host.run(path + copy, this.#folder);
    const copied = statSync(join(folder, "backups", backup, "secret.key"));
    note("a copy of it is on another machine, for its owner only", (copied.mode & 0o77) === 0);
    walkCron({ ...this.#walk, folder: this.#folder });
    await walkStoreTool({ ...this.#walk, folder: this.#folder, run: (line) => this.#do(line) });
  }

  /** How many the history has. */
  #visits(): number {
    const history = new DatabaseSync(join(this.#folder, "data/history.sqlite"), { readOnly: true });
    try {
      return Number(history.prepare("SELECT count(*) AS visits FROM visits").get()?.visits);
    } finally {
      history.close();
    }
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
    await (await this.#start("npm start 2>&1 | tee -ai marshal.log")).stop();
    const kept = readFileSync(join(this.#folder, "marshal.log"), "utf8");
    const isWhole = LOGGED_IN.test(kept) && kept.includes('"failed":false,"msg":"stopped"');
    note("with the new one it goes on, and its log is kept to the end", isWhole);
    const supervised = "node_modules/.bin/node --import ./deploy/preflight.mjs src/main.ts";
    const bare = await this.#start(supervised);
    await bare.stop("SIGTERM");
    note("a supervisor's SIGTERM stops it in order", /"failed":false,"msg":"stopped"/.test(bare.said));
  }

  async #newSecret(): Promise<void> {
    const { note } = this.#walk;
    const secret = () => readFileSync(join(this.#folder, "data/secret.key"), "utf8");
    // Empty lines are none.
    this.#walk.host.run("printf 'SECRET_KEY=\\nSECRET_KEY_OLD=\\nDOCS_URL=' >> .env", this.#folder);
    // Twice, since the second time begins where the first one ended.
    for (const time of ["a new secret", "a second one"]) {
      const before = secret();
      // Run again they do nothing.
      for (let run = 0; run < 2; run++) {
        this.#do(ENDED);
        this.#do(
          `grep -q '^SECRET_KEY.*=.' .env || { old=$(cat data/secret.key) && echo "SECRET_KEY_OLD=$old" >> .env; }`,
        );
        this.#do(`grep -q '^SECRET_KEY=.' .env || ${NEW_BESIDE_OLD}`);
      }
      const lines = readFileSync(join(this.#folder, ".env"), "utf8").match(/^SECRET_KEY.*=.+/gm);
      note(`${time} is appended once`, lines?.length === 2);
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

  /** The lines for whoever keeps SECRET_KEY in .env, which several processes do; begun with what the file holds. */
  async #ownSecret(): Promise<void> {
    const { note, host } = this.#walk;
    const env = () => readFileSync(join(this.#folder, ".env"), "utf8");
    const secret = readFileSync(join(this.#folder, "data/secret.key"), "utf8").trim();
    // Whoever lost it and takes these lines all the same gets no new one, which would open nothing.
    host.run(`${OWN_SECRET.join("\n")} || true`, this.#folder);
    note("a lost secret is not replaced by a new one", !/^SECRET_KEY/m.test(env()));
    // With an empty line for the old one behind it, which would be the one that counts.
    const own = `printf 'SECRET_KEY=%s\\nSECRET_KEY_OLD=\\n' ${secret} >> .env`;
    host.run(`${own} && mv data/secret.key elsewhere`, this.#folder);
    for (let run = 0; run < 2; run++) {
      for (const line of OWN_SECRET) this.#do(line);
    }
    note(
      "one's own secret becomes the old one, once",
      env().includes(`SECRET_KEY_OLD=${secret}\n`) && env().match(/^SECRET_KEY/gm)?.length === 2,
    );
    const bot = await this.#start();
    note("and the keys are sealed anew", /you can remove SECRET_KEY_OLD"/.test(bot.said));
    await bot.stop();
    this.#do("sed -i '/^SECRET_KEY_OLD=/d' .env");
    const again = await this.#start();
    note("the new one alone opens them", (await this.#sources()) === 1);
    await again.stop();
    const now = /^SECRET_KEY=(.*)$/m.exec(env())?.[1] ?? "";
    host.run(`echo "${now}" > data/secret.key && sed -i '/^SECRET_KEY/d' .env && rm elsewhere`, this.#folder);
  }

  /** What was kept elsewhere, into an empty folder. */
  #newMachine(): void {
    const { note, host } = this.#walk;
    const kept = otherMachine(host).folder;
    const before = readFileSync(join(this.#folder, ".env"), "utf8");
    host.run(`mv .env ${kept}/ && mv data elsewhere`, this.#folder);
    const words = this.#words;
    const [backup = ""] = readdirSync(join(kept, "backups"));
    this.#words = { ...words, KEPT: kept, BACKUP: backup };
    const install = "{ test -e .env || install -m 600 KEPT/.env .env; }";
    this.#do(install);
    note("the kept .env is put back", readFileSync(join(this.#folder, ".env"), "utf8") === before);
    host.run(`echo '# newer' >> ${kept}/.env`);
    this.#do(install);
    note("and not over one that is there", readFileSync(join(this.#folder, ".env"), "utf8") === before);
    const said = this.#do("npm run store -- restore KEPT/backups/BACKUP");
    note("and a backup from where it was kept, with no bot before it", said.includes("is in place"));
    host.run("rm -r data && mv elsewhere data", this.#folder);
    this.#words = words;
  }

  async #lostSecret(): Promise<void> {
    const { note, host } = this.#walk;
    this.#newMachine();
    host.run("rm -r backups", this.#folder);
    this.#do("npm run store -- backups backups");
    host.run("rm data/secret.key", this.#folder);
    const bot = host.start("npm start", this.#folder);
    note(
      "a lost secret is one line that names the file",
      (await bot.ended) === 1 && /secret\.key is missing/.test(bot.said),
    );
    this.#words = { ...this.#words, BACKUP: this.#do("ls backups").trim() };
    const named = this.#do("ls backups/*/secret.key").trim();
    note("the backup that has it is named", named === `backups/${this.#words.BACKUP}/secret.key`);
    this.#do("cp --backup=t backups/BACKUP/secret.key data/");
    const found = await this.#start();
    note("that of a backup opens the store", (await this.#sources()) === 1);
    await found.stop();
    host.run("rm data/secret.key", this.#folder);
    this.#do("mkdir lost");
    this.#do("mv data/marshal.sqlite* lost/");
    // A file that a power cut left empty, which no start takes.
    host.run("touch data/secret.key", this.#folder);
    this.#do("{ test ! -e data/secret.key || mv data/secret.key lost/; }");
    await (await this.#start()).stop();
    const kept = readFileSync(join(this.#folder, "data/history.sqlite")).length;
    note("with an empty store it starts, and the history is there", kept > 0);
  }
}
