import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { commandIsThere } from "../../../src/sandbox/moves.ts";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { root } from "../../deploy/deploy-files.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { TcpWay } from "../../support/tcp-way.ts";
import { residentBytes } from "./faults.ts";

const SETTLES_MS = 30_000;
const MEASURED_MS = 120_000;
const PLAYERS = 20;
const TIMES = 200;
const KB = 1_024;
const HOUR_MS = 3_600_000;

/**
 * What docs/hosting.md and docs/figures.md say of disk and network, by the real bot of one community with four feeds, whose server has
 * 20 players: what it writes, what comes from the service, an answer folded and not, and the health check.
 */
export async function measureFigures(): Promise<void> {
  let port = 0;
  const way = await TcpWay.open(() => port);
  const environment = { SERVICE_URL: `http://127.0.0.1:${way.port}` };
  const stage = await openStage({
    seed: 5,
    serverKey: "figureTown-one",
    traffic: "normal",
    live: true,
    environment,
  });
  port = Number(new URL(stage.serviceUrl).port);
  try {
    stage.bot.start();
    await commandIsThere(stage, stage.cast.owner, stage.cast.channels.staff, "setup");
    await addFeeds(stage);
    while (stage.town.players.length < PLAYERS) stage.town.join();
    await sleep(SETTLES_MS);
    await measureBot(stage, way);
    await measureFolding(stage);
    measureHealthCheck(stage.bot.opsAddress);
  } finally {
    await stage.close();
    way.close();
  }
}

async function measureBot({ bot, service, historyFile = "" }: Stage, way: TcpWay): Promise<void> {
  const now = () => ({
    rows: rowsIn(historyFile),
    disk: writtenBytes(bot.pid ?? 0),
    network: way.bytes,
    requests: service.counts.requests,
  });
  const before = now();
  await sleep(MEASURED_MS);
  const after = now();
  const anHour = (name: keyof typeof before) => ((after[name] - before[name]) * HOUR_MS) / MEASURED_MS;
  const mb = (bytes: number) => `${(bytes / KB / KB).toFixed(0)} MB`;
  console.log(`  memory: ${mb(await residentBytes(bot.opsAddress))}`);
  console.log(`  written to disk in an hour: ${mb(anHour("disk"))}`);
  console.log(`  kept in the history in an hour: ${anHour("rows").toFixed(0)} rows`);
  console.log(
    `  to and from the service in an hour: ${mb(anHour("network"))}, ${anHour("requests").toFixed(0)} requests`,
  );
}

/** All that the history keeps. */
function rowsIn(historyFile: string): number {
  const history = new DatabaseSync(historyFile, { readOnly: true });
  try {
    const tables = history.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const counts = tables.map(({ name }) => history.prepare(`SELECT count(*) AS rows FROM ${name}`).get());
    return counts.reduce((sum, count) => sum + Number(count?.rows), 0);
  } finally {
    history.close();
  }
}

/** What the process has had written, as Linux counts it. */
function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

const LISTS = ["Players", "Staff", "JoinLogs", "Queue", "KillLogs", "CommandLogs", "ModCalls", "Vehicles"];

async function measureFolding({ serviceUrl, serverKey }: Stage): Promise<void> {
  const path = `/v2/server?${LISTS.map((list) => `${list}=true`).join("&")}`;
  const bodyBy = async (coding: string) => {
    const asked = get(serviceUrl + path, { headers: { "server-key": serverKey, "accept-encoding": coding } });
    return await new Promise<Buffer>((resolve, reject) => {
      asked.on("error", reject).on("response", (response) => resolve(buffer(response)));
    });
  };
  const [plain, gzip, br] = [await bodyBy("identity"), await bodyBy("gzip"), await bodyBy("br")];
  const took = (unfold: () => unknown) => {
    const startMs = performance.now();
    for (let time = 0; time < TIMES; time++) unfold();
    return `${(((performance.now() - startMs) / TIMES) * 1_000).toFixed(0)} us`;
  };
  console.log(`  an answer with all lists: ${plain.length} bytes, gzip ${gzip.length}, br ${br.length}`);
  console.log(
    `  to unfold it: gzip ${took(() => gunzipSync(gzip))}, br ${took(() => brotliDecompressSync(br))}`,
  );
}

/** Of one look, in processor time: the shell, and the Node that it was before. */
function measureHealthCheck(opsAddress: string): void {
  const cpuMs = (command: string) => {
    const loop = `for i in $(seq 10); do ${command} || exit 1; done; times`;
    const out = execFileSync("bash", ["-c", loop], {
      encoding: "utf8",
      env: { ...process.env, OPS_ADDRESS: opsAddress },
    });
    const [user = 0, system = 0] = [
      ...(out.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g),
    ].map(([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1_000);
    return ((user + system) / 10).toFixed(0);
  };
  const node = `${process.execPath} -e "fetch('http://${opsAddress}/healthz').then((r) => process.exit(r.ok ? 0 : 1))"`;
  console.log(
    `  a health check: ${cpuMs(`bash ${join(root, "deploy/health.sh")}`)} ms of a core, a Node ${cpuMs(node)} ms`,
  );
}
