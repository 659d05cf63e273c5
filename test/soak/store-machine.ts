import { randomBytes } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startRedis } from "../support/redis-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** The machine that a bot's store is kept on, whose power can go. */
export interface StoreMachine {
  readonly environment: { readonly STORE_URL: string; readonly SECRET_KEY?: string };
  /** From here on the store's states are remembered: a cut goes back no further. */
  poweredOn(): void;
  /**
   * The power goes and comes back, after the bot was killed: the store has lost what it was given in the last `backMs`.
   * Resolves with how far it was set back.
   */
  cutPower(backMs: number): Promise<number>;
  close(): Promise<void>;
}

/** With Redis a process waits for the lease of the one before, and for as long again after a restart of Redis. */
export const LEASE_WAIT_MS = { sqlite: 0, redis: 11_000 } as const;

export async function openMachine(store: "sqlite" | "redis"): Promise<StoreMachine> {
  return store === "sqlite" ? sqliteMachine() : await redisMachine();
}

const LOOK_EVERY_MS = 100;

/** States of a store, as they were remembered from time to time. */
class Memory<T> {
  readonly #look: () => T | undefined;
  #states: { readonly atMs: number; readonly state: T }[] = [];
  #ticking: NodeJS.Timeout | undefined;

  constructor(look: () => T | undefined) {
    this.#look = look;
  }

  start(): void {
    this.stop();
    this.#states = [];
    const look = () => {
      const state = this.#look();
      const atMs = performance.now();
      if (state !== undefined) this.#states.push({ atMs, state });
      // One that is older than any cut goes back is enough.
      while ((this.#states[1]?.atMs ?? atMs) < atMs - 10_000) this.#states.shift();
    };
    look();
    this.#ticking = setInterval(look, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#ticking);
  }

  /** The latest state that is at least that old; the oldest where none is. */
  before(backMs: number): { readonly ageMs: number; readonly state: T } | undefined {
    const nowMs = performance.now();
    const found = this.#states.findLast(({ atMs }) => nowMs - atMs >= backMs) ?? this.#states[0];
    return found && { ageMs: Math.round(nowMs - found.atMs), state: found.state };
  }
}

/** What sqlite has not synced is the end of its write-ahead log; a copy of both files is what a disk may hold. */
function sqliteMachine(): StoreMachine {
  const folder = tempFolder();
  const path = join(folder.path, "marshal.sqlite");
  const log = `${path}-wal`;
  const memory = new Memory(() => copyOf(path, log));
  return {
    environment: { STORE_URL: `sqlite:${path}` },
    poweredOn: () => memory.start(),
    cutPower: async (backMs) => {
      memory.stop();
      const found = memory.before(backMs);
      if (found === undefined) return 0;
      writeFileSync(path, found.state.database);
      writeFileSync(log, found.state.log);
      // An index of the log, which sqlite makes anew.
      rmSync(`${path}-shm`, { force: true });
      return found.ageMs;
    },
    close: async () => {
      memory.stop();
      folder.remove();
    },
  };
}

/** Undefined where the two files belong to different moments: the log was written back into the database meanwhile. */
function copyOf(path: string, log: string) {
  if (!existsSync(path) || !existsSync(log)) return undefined;
  const stamp = () => `${statSync(path).mtimeMs} ${readFileSync(log).subarray(0, 32).toString("hex")}`;
  const before = stamp();
  const copy = { database: readFileSync(path), log: readFileSync(log) };
  return stamp() === before ? copy : undefined;
}

/** With `appendfsync everysec` a cut takes the end of the append-only file. */
async function redisMachine(): Promise<StoreMachine> {
  const server = await startRedis({ appendfsync: "everysec" });
  const memory = new Memory(() => {
    const file = appendOnlyFile(server.folder);
    return file === undefined ? undefined : { file, bytes: statSync(file).size };
  });
  return {
    environment: { STORE_URL: server.url, SECRET_KEY: randomBytes(32).toString("base64") },
    poweredOn: () => memory.start(),
    cutPower: async (backMs) => {
      memory.stop();
      const found = memory.before(backMs);
      await server.kill();
      if (found !== undefined) truncateSync(found.state.file, found.state.bytes);
      await server.start();
      return found?.ageMs ?? 0;
    },
    close: async () => {
      memory.stop();
      await server.stop();
    },
  };
}

/** The newest increment: what was written before the last rewrite is a file of its own. */
function appendOnlyFile(folder: string): string | undefined {
  const inside = join(folder, "appendonlydir");
  const names = existsSync(inside) ? readdirSync(inside).filter((name) => name.endsWith(".incr.aof")) : [];
  const [newest] = names
    .map((name) => join(inside, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest;
}
