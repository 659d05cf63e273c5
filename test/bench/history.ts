import { statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { systemClock, systemRandom } from "../../src/clock.ts";
import { WorkerClient } from "../../src/history/worker/worker-client.ts";
import { seededRandom } from "../support/clock.ts";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import {
  bindingOf,
  guildOf,
  playerOf,
  ROWS_A_DELIVERY,
  recordedAnswerOf,
  SERVERS,
  secondOf,
} from "./history-town.ts";

export const name = "history";

/** HISTORY_ROWS=1000000 for a look while something is changed; the figure is of ten million. */
const ROWS = Number(process.env.HISTORY_ROWS ?? 10_000_000);
const QUESTIONS = 400;
/** The share of the rows that the ingest is measured over: the last ones, when the database is largest. */
const MEASURED_SHARE = 0.1;
const DELIVERIES_AT_ONCE = 16;
const SERVER_ROUNDS = Math.ceil(ROWS / ROWS_A_DELIVERY / SERVERS);
const BOUNDS = { ingestPerS: 5_000, playerP99Ms: 50, searchP99Ms: 50, rewindP99Ms: 100, bytesPerRow: 150 };

interface Measured {
  readonly rows: number;
  readonly ingestPerS: number;
  readonly playerP99Ms: number;
  readonly searchP99Ms: number;
  readonly rewindP99Ms: number;
  readonly bytesPerRow: number;
}

/** Ten million rows through the worker, as the bot sends them; then questions of people, one after the other. */
export async function run(): Promise<BenchResult> {
  const folder = tempFolder();
  const path = join(folder.path, "history.sqlite");
  try {
    const sqlite = await measure(`sqlite:${path}`, () => statSync(path).size);
    const beside = await measurePostgres();
    const ok =
      sqlite.ingestPerS >= BOUNDS.ingestPerS &&
      sqlite.playerP99Ms <= BOUNDS.playerP99Ms &&
      sqlite.searchP99Ms <= BOUNDS.searchP99Ms &&
      sqlite.rewindP99Ms <= BOUNDS.rewindP99Ms &&
      sqlite.bytesPerRow <= BOUNDS.bytesPerRow;
    const line = (of: string, it: Measured) =>
      [of, it.rows, it.ingestPerS, it.playerP99Ms, it.searchP99Ms, it.rewindP99Ms, it.bytesPerRow] as const;
    const head = [
      "",
      "rows",
      "ingest rows/s",
      "player p99 ms",
      "search p99 ms",
      "rewind p99 ms",
      "bytes a row",
    ];
    const rows = [line("sqlite", sqlite), ...(beside === undefined ? [] : [line("PostgreSQL", beside)])];
    const lines = table(head, rows);
    if (beside === undefined) lines.push("This machine has no PostgreSQL to stand beside it.");
    return { ok, figures: { ...sqlite }, lines };
  } finally {
    folder.remove();
  }
}

async function measurePostgres(): Promise<Measured | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const server = startPostgres(programs);
  try {
    const url = server.fresh();
    return await measure(url, () => server.bytesOf(url));
  } finally {
    server.stop();
  }
}

async function measure(url: string, bytes: () => number): Promise<Measured> {
  const opened = Promise.withResolvers<string | undefined>();
  const client = new WorkerClient({
    options: { url, markKey: new Uint8Array(32) },
    clock: systemClock,
    random: systemRandom,
    onTrouble: opened.resolve,
    onDefect: (message) => process.stderr.write(`${message}\n`),
  });
  client.start();
  const trouble = await opened.promise;
  if (trouble !== undefined) throw new Error(trouble);
  try {
    const { rows, ingestPerS } = await fill(client);
    const asked = await ask(client);
    await client.stop();
    return { rows, ingestPerS, ...asked, bytesPerRow: figure(bytes() / rows, 1) };
  } finally {
    await client.stop();
  }
}

async function fill(client: WorkerClient): Promise<{ readonly rows: number; readonly ingestPerS: number }> {
  const random = seededRandom(7);
  const measuredFrom = Math.floor(SERVER_ROUNDS * (1 - MEASURED_SHARE));
  let rows = 0;
  let before = { rows: 0, ms: performance.now() };
  for (let round = 0; round < SERVER_ROUNDS; round += 1) {
    if (round === measuredFrom) before = { rows, ms: performance.now() };
    const times = secondOf(round, SERVER_ROUNDS);
    for (let server = 0; server < SERVERS; server += DELIVERIES_AT_ONCE) {
      const count = Math.min(DELIVERIES_AT_ONCE, SERVERS - server);
      const answers = Array.from({ length: count }, (_, at) => recordedAnswerOf(server + at, times, random));
      rows += await client.call("ingest.take", { answers }, { withinMs: 120_000 });
    }
  }
  const seconds = (performance.now() - before.ms) / 1_000;
  return { rows, ingestPerS: figure((rows - before.rows) / seconds, 0) };
}

type Asked = Pick<Measured, "playerP99Ms" | "searchP99Ms" | "rewindP99Ms">;

/** Questions about servers, players and times at random, none of them asked before. */
async function ask(client: WorkerClient): Promise<Asked> {
  const random = seededRandom(11);
  const pick = (below: number) => Math.floor(random.next() * below);
  const p99 = async (question: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let n = 0; n < QUESTIONS; n += 1) {
      const startMs = performance.now();
      await question();
      times.push(performance.now() - startMs);
    }
    return figure(quantile(times, 0.99), 1);
  };
  const nowS = secondOf(SERVER_ROUNDS - 1, SERVER_ROUNDS).toS;
  return {
    playerP99Ms: await p99(() => {
      const server = pick(SERVERS);
      const { id } = playerOf(server, pick(1_000));
      return client.call("cards.card", { guildId: guildOf(server), playerId: id, nowS });
    }),
    searchP99Ms: await p99(() => {
      const server = pick(SERVERS);
      const { name: whole } = playerOf(server, pick(1_000));
      // The beginning of a name, or a part that no index finds.
      const typed = random.next() < 0.5 ? whole.slice(0, 1 + pick(4)) : whole.slice(-3);
      return client.call("players.search", { guildId: guildOf(server), typed, limit: 25 });
    }),
    rewindP99Ms: await p99(() => {
      const server = pick(SERVERS);
      const { fromS: atS } = secondOf(pick(SERVER_ROUNDS), SERVER_ROUNDS);
      const times = { atS: atS + 60, fromS: atS - 240, toS: atS + 360 };
      return client.call("rewind.at", { guildId: guildOf(server), bindingId: bindingOf(server), ...times });
    }),
  };
}
