import { Failure } from "../../domain/failure.ts";

/** Scans that run at once in the whole process, because each reads up to thousands of rows. */
const SCANS_AT_ONCE = 2;
/** Scans of one guild that may wait behind the running one; more are refused. */
const WAITING_OF_A_GUILD = 3;

interface Waiting {
  readonly guildId: string;
  start(): void;
}

/**
 * Limits scans of the audit to one at a time for each guild and two for the process. Guilds without a running scan
 * are served in the order of asking, so a guild that searches without pause takes half of the capacity at most and
 * delays only itself.
 */
export class ScanQueue {
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];

  /** Runs `scan` in its turn. @throws Failure "busy" while too many of this guild wait already. */
  async run<T>(guildId: string, scan: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.filter((one) => one.guildId === guildId).length;
    if (waiting >= WAITING_OF_A_GUILD) {
      throw new Failure("busy", "Another search of this community's audit is still running.");
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
