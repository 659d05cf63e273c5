import { randomBytes } from "node:crypto";
import { type SetBackStore, setBackRedis, setBackSqlite } from "../support/set-back-store.ts";

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
  if (store === "sqlite") return machineOf(setBackSqlite(), {});
  return machineOf(await setBackRedis(), { SECRET_KEY: randomBytes(32).toString("base64") });
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

function machineOf<State>(
  store: SetBackStore<State>,
  secret: { readonly SECRET_KEY?: string },
): StoreMachine {
  const memory = new Memory(() => store.state());
  return {
    environment: { STORE_URL: store.url, ...secret },
    poweredOn: () => memory.start(),
    async cutPower(backMs) {
      memory.stop();
      const found = memory.before(backMs);
      await store.setBack(found?.state);
      return found?.ageMs ?? 0;
    },
    async close() {
      memory.stop();
      await store.close();
    },
  };
}
