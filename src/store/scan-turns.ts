import { Failure } from "../domain/failure.ts";

/** Scans that run at once in the whole process: each reads up to thousands of rows. */
const SCANS_AT_ONCE = 2;
/** Scans of one guild that wait behind the one that runs; more are refused. */
const WAITING_OF_A_GUILD = 3;

interface Waiting {
  readonly guildId: string;
  start(): void;
}

/**
 * Whose scan of the audit is next: one of a guild and two of the process at a time, in order of asking among the
 * guilds of which none runs. So a guild that asks without pause holds half of what is there, and only itself up.
 */
export class ScanTurns {
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];

  /** Runs `scan` in its turn. @throws Failure "busy" while too many of this guild wait already. */
  async take<T>(guildId: string, scan: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.filter((one) => one.guildId === guildId).length;
    if (waiting >= WAITING_OF_A_GUILD) {
      throw new Failure("busy", "Other searches of this community's audit are still under way.");
    }

    await new Promise<void>((resolve) => {
      this.#waiting.push({ guildId, start: resolve });
      this.#startNext();
    });
    try {
      return await scan();
    } finally {
      this.#running.delete(guildId);
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#running.size < SCANS_AT_ONCE) {
      const next = this.#waiting.findIndex(({ guildId }) => !this.#running.has(guildId));
      const [scan] = next === -1 ? [] : this.#waiting.splice(next, 1);
      if (scan === undefined) return;
      this.#running.add(scan.guildId);
      scan.start();
    }
  }
}
