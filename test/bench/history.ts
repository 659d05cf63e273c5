import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { systemClock, systemRandom } from "../../src/clock.ts";
import { createHistoryThread, type HistoryThread } from "../../src/history/worker/history-thread.ts";
import { HARMLESS_NAMES } from "../../src/runs/catalogue/verbs.ts";
import { seededRandom } from "../support/clock.ts";
import { bytesOf, PostgresDatabases } from "../support/postgres-databases.ts";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { Filling, type Part, roundsOf } from "./history-filling.ts";
import { bindingOf, guildOf, playerOf, SERVERS, secondOf } from "./history-town.ts";

export const name = "history";

/** HISTORY_ROWS=1000000 for a look while something is changed; the figure is of ten million. */
const ROWS = Number(process.env.HISTORY_ROWS ?? 10_000_000);
/** Of PostgreSQL, which stands beside it. */
const POSTGRES_ROWS = Number(process.env.HISTORY_POSTGRES_ROWS ?? ROWS);
/**
 * HISTORY_FOLDER=PATH keeps the database of sqlite there, and goes on where an earlier run ended; with HISTORY_FILL=1 the
 * run ends where measuring would begin. So the long part can run beside other work, and the figures on a quiet machine.
 */
const KEPT_FOLDER = process.env.HISTORY_FOLDER;
const IS_FILL_ONLY = process.env.HISTORY_FILL === "1";
const QUESTIONS = 400;
/**
 * The share of the rows that ingest is measured over: the last ones, when the database is largest. As many come first in
 * the same way; those between are copies of them at later times, which takes minutes instead of an hour.
 */
const MEASURED_SHARE = 0.1;
const BOUNDS = { ingestPerS: 5_000, playerP99Ms: 50, searchP99Ms: 50, rewindP99Ms: 100, bytesPerRow: 150 };

interface Measured {
  readonly rows: number;
  readonly ingestPerS: number;
  /** By the time that both threads had on a core: what a free core would do at least. */
  readonly ingestPerCpuS: number;
  readonly playerP99Ms: number;
  readonly searchP99Ms: number;
  readonly rewindP99Ms: number;
  readonly bytesPerRow: number;
}

/** Ten million rows, the last of them through the worker as the bot sends them; then questions, one after the other. */
export async function run(): Promise<BenchResult> {
  const folder = KEPT_FOLDER === undefined ? tempFolder() : keptFolder(KEPT_FOLDER);
  const path = join(folder.path, "history.sqlite");
  const progress = KEPT_FOLDER === undefined ? undefined : join(folder.path, "rounds");
  try {
    const part = { url: `sqlite:${path}`, rows: ROWS, progress };
    if (IS_FILL_ONLY) return await fillOnly(part);
    const sqlite = await measure(part, () => statSync(path).size);
    const beside = await measurePostgres();
    const ok =
      sqlite.ingestPerS >= BOUNDS.ingestPerS &&
      sqlite.playerP99Ms <= BOUNDS.playerP99Ms &&
      sqlite.searchP99Ms <= BOUNDS.searchP99Ms &&
      sqlite.rewindP99Ms <= BOUNDS.rewindP99Ms &&
      sqlite.bytesPerRow <= BOUNDS.bytesPerRow;
    const line = (of: string, it: Measured) =>
      [
        of,
        it.rows,
        it.ingestPerS,
        it.ingestPerCpuS,
        it.playerP99Ms,
        it.searchP99Ms,
        it.rewindP99Ms,
        it.bytesPerRow,
      ] as const;
    const head = [
      "",
      "rows",
      "ingest rows/s",
      "rows/s of CPU",
      "player p99 ms",
      "search p99 ms",
      "rewind p99 ms",
      "bytes a row",
    ];
    const rows = [line("sqlite", sqlite), ...(beside === undefined ? [] : [line("PostgreSQL", beside)])];
    const lines = table(head, rows);
    if (beside === undefined) lines.push("This machine has no PostgreSQL to stand beside it.");
    else lines.push(`A backup of PostgreSQL has ${beside.backupBytesPerRow.toFixed(1)} bytes a row.`);
    const { ingestPerCpuS: _, ...figures } = sqlite;
    return { ok, figures, lines };
  } finally {
    folder.remove();
  }
}

function keptFolder(path: string): { readonly path: string; remove(): void } {
  mkdirSync(path, { recursive: true });
  return { path, remove: () => undefined };
}

async function fillOnly(part: Part): Promise<BenchResult> {
  const filling = new Filling(part);
  await fillFirst(filling);
  return { ok: true, figures: {}, lines: [`${filling.rows} rows are there`] };
}

/** All rows but those over which ingest is measured. */
async function fillFirst(filling: Filling): Promise<void> {
  const { url, rows } = filling.part;
  const client = await open(url);
  await filling.through(client, roundsOf(rows, MEASURED_SHARE)).finally(() => client.stop());
  await filling.byCopies(roundsOf(rows, 1 - MEASURED_SHARE));
}

/** Of a backup, as deploy/cluster-backup.sh makes it. */
function dumpBytes(url: string): number {
  return Number(execFileSync("sh", ["-c", 'pg_dump -Fc -d "$0" | wc -c', url], { encoding: "utf8" }));
}

async function measurePostgres(): Promise<(Measured & { readonly backupBytesPerRow: number }) | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const server = await startPostgres(programs);
  const databases = new PostgresDatabases(server.url);
  try {
    const url = await databases.fresh();
    const measured = await measure({ url, rows: POSTGRES_ROWS }, () => bytesOf(url));
    return { ...measured, backupBytesPerRow: dumpBytes(url) / measured.rows };
  } finally {
    await databases.close();
    await server.stop();
  }
}

async function measure(part: Part, bytes: () => number | Promise<number>): Promise<Measured> {
  const filling = new Filling(part);
  await fillFirst(filling);
  const client = await open(part.url);
  try {
    const before = { rows: filling.rows, ms: performance.now(), cpu: process.cpuUsage() };
    await filling.through(client, roundsOf(part.rows));
    const { rows } = filling;
    const ingestPerS = figure((rows - before.rows) / ((performance.now() - before.ms) / 1_000), 0);
    const { user, system } = process.cpuUsage(before.cpu);
    const ingestPerCpuS = figure((rows - before.rows) / ((user + system) / 1e6), 0);
    const asked = await ask(client, roundsOf(part.rows));
    await client.stop();
    return { rows, ingestPerS, ingestPerCpuS, ...asked, bytesPerRow: figure((await bytes()) / rows, 1) };
  } finally {
    await client.stop();
  }
}

async function open(url: string): Promise<HistoryThread> {
  const opened = Promise.withResolvers<string | undefined>();
  const client = createHistoryThread({
    options: { url, markKey: new Uint8Array(32) },
    clock: systemClock,
    random: systemRandom,
    onTrouble: opened.resolve,
    onDefect: (message) => process.stderr.write(`${message}\n`),
  });
  client.start();
  const trouble = await opened.promise;
  if (trouble !== undefined) throw new Error(trouble);
  return client;
}

type Asked = Pick<Measured, "playerP99Ms" | "searchP99Ms" | "rewindP99Ms">;

/** Questions about servers, players and times at random, none of them asked before. */
async function ask(client: HistoryThread, rounds: number): Promise<Asked> {
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
  const nowS = secondOf(rounds - 1, rounds).toS;
  return {
    playerP99Ms: await p99(() => {
      const server = pick(SERVERS);
      const { id } = playerOf(server, pick(1_000));
      return client.call("cards.card", {
        guildId: guildOf(server),
        playerId: id,
        nowS,
        harmless: HARMLESS_NAMES,
      });
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
      const { fromS: atS } = secondOf(pick(rounds), rounds);
      const times = { atS: atS + 60, fromS: atS - 240, toS: atS + 360 };
      return client.call("rewind.at", { guildId: guildOf(server), bindingId: bindingOf(server), ...times });
    }),
  };
}
