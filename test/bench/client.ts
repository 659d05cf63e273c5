import { fork } from "node:child_process";
import { once } from "node:events";
import { ErlcClient } from "erlc-api";
import { Pool } from "undici";
import { createServiceClient } from "../../src/api/client.ts";
import { parseHalt, parseRejected } from "../../src/api/stored.ts";
import { systemClock, systemRandom } from "../../src/clock.ts";
import type { ListName } from "../../src/domain/model.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { FakeKeyRing, FakeMetrics } from "../support/network.ts";
import { type BenchResult, figure, table } from "./bench.ts";

export const name = "client";

const ROUNDS = 12;
const POLLS = 600;
/** What a community with the three usual feeds polls. */
const LISTS: readonly ListName[] = ["joinLogs", "killLogs", "modCalls"];
const PATH = "/v2/server?JoinLogs=true&KillLogs=true&ModCalls=true";

type Poll = () => Promise<number>;

/**
 * CPU of one poll, from a server process of its own. The three clients take turns in short rounds, so that a busy
 * machine is equally unkind to each; of the rounds the lower quartile counts, since neighbours on the machine only ever
 * add. The ordinary server decides; the busy one, whose logs are full, is printed beside it.
 */
export async function run(): Promise<BenchResult> {
  const ordinary = await compare("ordinary");
  const busy = await compare("busy");
  const figures = {
    cpuOverUndici: figure(ordinary.us("marshal") / ordinary.us("undici")),
    cpuOverErlcApi: figure(ordinary.us("marshal") / ordinary.us("erlc-api")),
  };
  const ok = figures.cpuOverUndici <= 1.3 && figures.cpuOverErlcApi <= 0.5;
  return { ok, figures, lines: [...ordinary.lines, ...busy.lines] };
}

interface Comparison {
  us(peer: string): number;
  readonly lines: readonly string[];
}

async function compare(server: "ordinary" | "busy"): Promise<Comparison> {
  const child = fork(new URL("./canned-server.ts", import.meta.url), [server], { stdio: "inherit" });
  const [{ port, bytes }] = (await once(child, "message")) as [{ port: number; bytes: number }];
  const url = `http://127.0.0.1:${port}`;
  const pool = new Pool(url, { connections: 32, allowH2: false });
  const ring = new FakeKeyRing();
  const source = ring.add("bench-key");
  const client = createServiceClient({
    serviceUrl: url,
    keys: ring,
    halts: new MemoryDocuments(parseHalt),
    rejected: new MemoryDocuments(parseRejected),
    clock: systemClock,
    random: systemRandom,
    metrics: new FakeMetrics(),
    onEvent: () => {},
  });
  const erlc = new ErlcClient({ serverKey: "bench-key", baseUrl: url });
  const polls: Readonly<Record<string, Poll>> = {
    marshal: async () => {
      const { lists } = await client.read(source, LISTS, { priority: "poll" });
      return (lists.joinLogs?.length ?? 0) + (lists.killLogs?.length ?? 0);
    },
    undici: async () => {
      const headers = { "server-key": "bench-key" };
      const answer = await pool.request({ method: "GET", path: PATH, headers });
      const json = JSON.parse(await answer.body.text()) as { JoinLogs: unknown[]; KillLogs: unknown[] };
      return json.JoinLogs.length + json.KillLogs.length;
    },
    "erlc-api": async () => {
      const json = await erlc.server.get({ include: ["joinLogs", "killLogs", "modCalls"] });
      return json.JoinLogs.length + json.KillLogs.length;
    },
  };
  try {
    const costs = await measure(polls);
    const us = (peer: string) => costs.get(peer) ?? Number.NaN;
    const rows = [...costs].map(([peer, cost]) => [peer, cost.toFixed(0), (cost / us("undici")).toFixed(2)]);
    const head = `${server} server, an answer of ${(bytes / 1024).toFixed(1)} KB, ${ROUNDS} rounds of ${POLLS} polls`;
    return { us, lines: [head, ...table(["", "CPU us a poll", "over bare undici"], rows)] };
  } finally {
    await client.close();
    await pool.destroy();
    child.disconnect();
  }
}

/** Microseconds of CPU (user and system) of one poll. */
async function measure(polls: Readonly<Record<string, Poll>>): Promise<Map<string, number>> {
  const rounds = new Map<string, number[]>(Object.keys(polls).map((peer) => [peer, []]));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [peer, poll] of Object.entries(polls)) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      for (let n = 0; n < POLLS; n++)
        if ((await poll()) === 0) throw new Error(`${peer} read an empty answer`);
      const { user, system } = process.cpuUsage(before);
      // The first rounds warm up: compilers and connections.
      if (round >= 0) rounds.get(peer)?.push((user + system) / POLLS);
    }
  }
  return new Map([...rounds].map(([peer, values]) => [peer, lowerQuartile(values)]));
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2] ?? Number.NaN;
}
