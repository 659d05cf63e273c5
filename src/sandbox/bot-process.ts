import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** What an operator would set; the sandbox starts the bot by nothing else. */
export interface BotEnvironment {
  readonly DISCORD_TOKEN: string;
  readonly DISCORD_API_URL: string;
  readonly SERVICE_URL: string;
  readonly PUBLIC_ADDRESS?: string;
  readonly STORE_URL: string;
  readonly HISTORY_URL?: string;
  readonly OPS_ADDRESS: string;
  readonly LOG_LEVEL: string;
  readonly SECRET_KEY?: string;
  readonly SERVICE_GLOBAL_KEY?: string;
  readonly BAD_KEY_BUDGET?: string;
  readonly SHARDS?: string;
  /** Flags of Node, such as how large its heap may become. */
  readonly NODE_OPTIONS?: string;
  /** A library of the system's loader: a bench slows the disk with one. */
  readonly LD_PRELOAD?: string;
}

export interface BotExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** We asked for it by stop() or kill(). */
  readonly expected: boolean;
}

const logLinesKept = 400;

/** The real bot as a child process: started by its environment, watched by its ops address, as an operator would. */
export class BotProcess {
  /** Whose `src/main.ts` the next start runs. @default this code */
  codeFolder = fileURLToPath(new URL("../..", import.meta.url));
  readonly #environment: BotEnvironment;
  readonly #listeners = new Set<(line: string) => void>();
  readonly #exitListeners = new Set<(exit: BotExit) => void>();
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;
  #expected = false;

  constructor(environment: BotEnvironment) {
    this.#environment = environment;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  get opsAddress(): string {
    return this.#environment.OPS_ADDRESS;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The last lines that it logged, oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Log lines as they come; the returned function ends it. */
  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onExit(listener: (exit: BotExit) => void): () => void {
    this.#exitListeners.add(listener);
    return () => this.#exitListeners.delete(listener);
  }

  start(): void {
    if (this.#child) return;
    this.#expected = false;
    const main = join(this.codeFolder, "src/main.ts");
    // The parent's environment stays out: a real DISCORD_TOKEN of this machine must never reach the sandbox.
    const { PATH, HOME, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE, NODE_OPTIONS, ...this.#environment };
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => this.#heard(line));
    }
    child.once("exit", (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      for (const listener of this.#exitListeners) listener({ code, signal, expected: this.#expected });
    });
  }

  /** Asks it to stop in order (SIGTERM) and waits. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** `kill -9`: it gets no chance to write anything. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** SIGSTOP: it stands still wherever it is, as on a machine that hangs, until `unfreeze`. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  unfreeze(): void {
    this.#child?.kill("SIGCONT");
  }

  async restart(how: "stop" | "kill" = "stop"): Promise<void> {
    await (how === "stop" ? this.stop() : this.kill());
    this.start();
  }

  /** What the bot says of itself (`/state`); undefined while it does not answer. */
  async state(): Promise<unknown> {
    try {
      const answer = await fetch(`http://${this.#environment.OPS_ADDRESS}/state`, {
        signal: AbortSignal.timeout(2_000),
      });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  }

  /** What it says of its readiness (`/readyz`); empty while it does not answer. */
  async readiness(): Promise<string> {
    return await fetch(`http://${this.#environment.OPS_ADDRESS}/readyz`, {
      signal: AbortSignal.timeout(2_000),
    }).then(
      (answer) => answer.text(),
      () => "",
    );
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#expected = true;
    const gone = once(child, "exit");
    // One that stands still could not end in order.
    child.kill("SIGCONT");
    child.kill(signal);
    await gone;
  }

  #heard(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > logLinesKept) this.#lines.shift();
    for (const listener of this.#listeners) listener(line);
  }
}
