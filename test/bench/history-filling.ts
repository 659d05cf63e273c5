import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { sql } from "kysely";
import { type HistoryDatabase, openDatabase } from "../../src/history/database/open-database.ts";
import type { HistoryThread } from "../../src/history/worker/history-thread.ts";
import { seededRandom } from "../support/clock.ts";
import { ROWS_AN_ANSWER, recordedAnswerOf, SERVERS, secondOf } from "./history-town.ts";

/** One database of the bench, how many rows it is to have, and the file that says how far it came. */
export interface Part {
  readonly url: string;
  readonly rows: number;
  readonly progress?: string | undefined;
}

const ANSWERS_AT_ONCE = 16;
/** What answers leave in the database, with the column of its second in front. */
const TABLES = {
  visits: ["at_s", "scope", "person", "kind", "n", "after_s"],
  kills: ["at_s", "scope", "killer", "killed", "n"],
  commands: ["at_s", "scope", "person", "hash", "n", "text"],
  command_targets: ["at_s", "scope", "person", "hash", "n", "target"],
  mod_calls: ["at_s", "scope", "caller", "n", "moderator", "answered_s", "open_s"],
  ranks: ["at_s", "scope", "person", "permission"],
  rosters: ["at_s", "scope", "persons"],
  counts: ["at_s", "scope", "players", "staff", "queue"],
} as const;

/** The rounds that a share of these rows takes; in one round each server answers once. */
export function roundsOf(rows: number, share = 1): number {
  return Math.ceil((rows / ROWS_AN_ANSWER / SERVERS) * share);
}

/** Fills a database round by round, and knows after a restart how far it came. */
export class Filling {
  readonly part: Part;
  #rounds = 0;

  constructor(part: Part) {
    this.part = part;
    const { progress } = part;
    if (progress !== undefined && existsSync(progress)) this.#rounds = Number(readFileSync(progress, "utf8"));
  }

  get rows(): number {
    return this.#rounds * SERVERS * ROWS_AN_ANSWER;
  }

  /** Up to that round as the bot does: answers go to the worker. */
  async through(client: HistoryThread, end: number): Promise<void> {
    while (this.#rounds < end) {
      const times = this.#timesOf(this.#rounds);
      const random = seededRandom(7 + this.#rounds);
      for (let server = 0; server < SERVERS; server += ANSWERS_AT_ONCE) {
        const count = Math.min(ANSWERS_AT_ONCE, SERVERS - server);
        const answers = Array.from({ length: count }, (_, at) =>
          recordedAnswerOf(server + at, times, random),
        );
        await client.call("ingest.take", { answers }, { withinMs: 120_000 });
      }
      this.#onDone(this.#rounds + 1);
    }
  }

  /** Up to that round by rows that stand there, moved to later times; nobody else may have the database. */
  async byCopies(end: number): Promise<void> {
    const database = await openDatabase(this.part.url);
    try {
      while (this.#rounds < end) {
        const rounds = Math.min(this.#rounds, end - this.#rounds);
        await this.#copy(database, rounds);
        this.#onDone(this.#rounds + rounds);
      }
    } finally {
      await database.close();
    }
  }

  async #copy({ db, kind }: HistoryDatabase, rounds: number): Promise<void> {
    const untilS = this.#timesOf(rounds).fromS;
    const laterS = this.#timesOf(this.#rounds).fromS - this.#timesOf(0).fromS;
    if (kind === "sqlite") await sql`pragma cache_size = -1000000`.execute(db);
    for (const [table, [second, ...others]] of Object.entries(TABLES)) {
      const columns = sql.join([second, ...others].map((column) => sql.ref(column)));
      const values = sql.join([sql`at_s + ${sql.lit(laterS)}`, ...others.map((column) => sql.ref(column))]);
      // In the order of their times, as rows come.
      await sql`insert into ${sql.table(table)} (${columns}) select ${values} from ${sql.table(table)}
        where at_s < ${sql.lit(untilS)} order by at_s on conflict do nothing`.execute(db);
    }
    await sql`update persons set last_s = last_s + ${sql.lit(laterS)}`.execute(db);
  }

  #timesOf(round: number): { readonly fromS: number; readonly toS: number } {
    return secondOf(round, roundsOf(this.part.rows));
  }

  #onDone(rounds: number): void {
    this.#rounds = rounds;
    if (this.part.progress !== undefined) writeFileSync(this.part.progress, String(rounds));
  }
}
