import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../src/sandbox/free-port.ts";
import { tempFolder } from "./temp-folder.ts";

/** The Redis or Valkey of this machine, where it has one. */
function redisBinary(): string | undefined {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of ["redis-server", "valkey-server"]) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here: the next folder may have it.
      }
    }
  }
  return undefined;
}

/** Options of a suite that needs one: says so where this machine has none. */
export function needsRedis(): { readonly skip?: string } {
  const has = redisBinary() !== undefined;
  return has ? {} : { skip: "neither redis-server nor valkey-server is on this machine" };
}

export interface RedisOptions {
  /** When what was written goes to the disk. @default "always" */
  readonly appendfsync?: "always" | "everysec";
}

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  /** Where its append-only file is. */
  readonly folder: string;
  /** `kill -9`: what a broken machine looks like to its clients. */
  kill(): Promise<void>;
  /**
   * The same address again, with what its append-only file kept. `loadsSlowly`: it answers LOADING for a while, and
   * this resolves as soon as it can be reached. `empty`: nothing was kept, as by a replica that had got nothing yet.
   */
  start(options?: { readonly loadsSlowly?: boolean; readonly empty?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A server of its own on a free loopback port, with its data in a temp folder; by default every write is on the disk
 * before it is answered.
 */
export async function startRedis({ appendfsync = "always" }: RedisOptions = {}): Promise<RedisServer> {
  const binary = redisBinary() ?? missing();
  const folder = tempFolder();
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start({ loadsSlowly = false, empty = false } = {}): Promise<void> {
    if (empty) rmSync(join(folder.path, "appendonlydir"), { recursive: true });
    const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder.path, "--save", ""];
    const durable = ["--appendonly", "yes", "--appendfsync", appendfsync, "--maxmemory-policy", "noeviction"];
    // A debugging aid of Redis: microseconds for each key.
    const slow = ["--key-load-delay", "300", "--loading-process-events-interval-bytes", "1024"];
    const ready = loadsSlowly ? /initialized/i : /ready to accept connections/i;
    const started = spawn(binary, [...options, ...durable, ...(loadsSlowly ? slow : [])], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    child = started;
    const output = createInterface({ input: started.stdout });
    let isReady = false;
    for await (const line of output) {
      isReady = ready.test(line);
      if (isReady) break;
    }
    if (!isReady) throw new Error(`redis-server ended on port ${port} before it was ready`);
    // What it says later is read and dropped: a full pipe would stop it.
    started.stdout.resume();
  }

  async function end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, "exit");
    running.kill(signal);
    await gone;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    folder: folder.path,
    kill: () => end("SIGKILL"),
    start,
    stop: async () => {
      await end("SIGTERM");
      folder.remove();
    },
  };
}

function missing(): never {
  throw new Error("there is no redis-server or valkey-server on this machine");
}
