import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../deploy/deploy-files.ts";

/** Nobody of this machine. */
const USER_ID = 61_184;
const STARTS_WITHIN_MS = 180_000;

/** What is put for the words in capitals of the documentation. */
export type Words = Readonly<Record<string, string>>;

/** A program that goes on until it is stopped, and what it says. */
export class Running {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  said = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    // Its children may speak on when npm has gone.
    this.ended = once(child, "close").then(([code]) => code as number | null);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.said += text;
      });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until it has said that; throws with its last words where it ends before, or says nothing of it. */
  async says(words: RegExp): Promise<string> {
    for (let waitedMs = 0; waitedMs < STARTS_WITHIN_MS; waitedMs += 200) {
      const found = words.exec(this.said);
      if (found !== null) return found[0];
      if (this.#child.exitCode !== null) break;
      await sleep(200);
    }
    throw new Error(`never said ${words}: ${this.said.split("\n").slice(-15).join("\n")}`);
  }

  /** As systemd does, which knows its main process behind whatever starts it: that one is told, and nobody else. */
  async stopInside(words: RegExp): Promise<void> {
    const all = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).matchAll(
      /^ *(\d+) +(\d+) (.*)$/gm,
    );
    const family = new Set([this.pid]);
    let inside = 0;
    for (const [, pid, parent, args = ""] of all) {
      if (!family.has(Number(parent))) continue;
      family.add(Number(pid));
      if (words.test(args)) inside = Number(pid);
    }
    process.kill(inside, "SIGTERM");
    await this.ended;
  }

  /** As Ctrl+C, or a supervisor, does. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    // npm and its shell stand between: a terminal tells the whole group.
    if (this.#child.exitCode === null) process.kill(-this.pid, signal);
    return await this.ended;
  }
}

/** An account on a fresh machine, without any right, in an empty folder. */
export class Host {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #user: { readonly uid?: number; readonly gid?: number };

  constructor(folder: string) {
    this.folder = folder;
    this.#user = process.getuid?.() === 0 ? { uid: USER_ID, gid: USER_ID } : {};
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "home"));
    this.own(folder);
    this.own(join(folder, "home"));
    const npm = (name: string) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();
    this.env = {
      PATH: `${process.env.PATH}`,
      HOME: join(folder, "home"),
      // Where packages come from is this machine's business.
      npm_config_registry: npm("registry"),
      ...(npm("cafile") === "null" ? {} : { npm_config_cafile: npm("cafile") }),
      npm_config_cache: join(folder, "home/.npm"),
      npm_config_update_notifier: "false",
    };
  }

  /** Gives a file or a folder to that account. */
  own(path: string): void {
    if (this.#user.uid !== undefined) chownSync(path, this.#user.uid, this.#user.gid ?? 0);
  }

  /** Runs a line of shell to its end; throws with what it said where it fails. */
  run(line: string, cwd = this.folder): string {
    return execFileSync("bash", ["-c", line], {
      cwd,
      env: this.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 26,
      ...this.#user,
    });
  }

  start(line: string, cwd = this.folder, env: Readonly<Record<string, string>> = {}): Running {
    const child = spawn("bash", ["-c", line], {
      cwd,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      ...this.#user,
    });
    return new Running(child);
  }

  /** A repository as somebody would find it, one commit behind, and how it gets the last one. */
  repository(): { readonly address: string; readonly branch: string; publish(): void } {
    const address = join(this.folder, "repository.git");
    execFileSync("git", ["clone", "-q", "--bare", "--no-hardlinks", root, address], { stdio: "pipe" });
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", address, ...args], { encoding: "utf8" }).trim();
    const last = git("rev-parse", "HEAD");
    const branch = git("symbolic-ref", "HEAD");
    const before = git("rev-parse", "HEAD~1");
    git("update-ref", branch, before);
    execFileSync("chmod", ["-R", "a+rX", address]);
    if (this.#user.uid !== undefined) execFileSync("chown", ["-R", `${this.#user.uid}`, address]);
    return {
      address,
      branch: branch.replace("refs/heads/", ""),
      publish() {
        git("-c", `safe.directory=${address}`, "update-ref", branch, last);
      },
    };
  }
}

/** A documented command with the words of this machine. */
export function filledIn(command: string, words: Words): string {
  return Object.entries(words).reduce((line, [word, value]) => line.replaceAll(word, value), command);
}
