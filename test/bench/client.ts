import { fork } from "node:child_process";
import { once } from "node:events";
import { ErlcClient } from "erlc-api";
import { Pool } from "undici";
import { createServiceClient } from "../../src/api/client.ts";
import { parseHalt, parseRejected } from "../../src/api/stored.ts";
import { systemClock, systemRandom } from "../../src/clock.ts";
import type { ListName } from "../../src/domain/model.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { FakeKeyRing } from "../support/network.ts";
import { type BenchResult, figure, table } from "./bench.ts";

export const name = "client";

const ROUNDS = 13;
const POLLS = 600;
/** A bot runs for days: what is measured is code that the compilers have finished with. */
const WARM_POLLS = 5_000;
/** What a community with the three usual feeds polls. */
const LISTS: readonly ListName[] = ["joinLogs", "killLogs", "modCalls"];
const PATH = "/v2/server?JoinLogs=true&KillLogs=true&ModCalls=true";

type Poll = () => Promise<number>;

/**
 * CPU of one poll, from a server process of its own. The three clients take turns in short rounds, so that a busy
 * machine is equally unkind to each; each round gives a ratio, and the median of the ratios counts. The ordinary server decides; the busy one, whose logs are full, is printed beside it.
 */
export async function run(): Promise<BenchResult> {
  const ordinary = await compare("ordinary");
  const busy = await compare("busy");
  const figures = {
    cpuOverUndici: figure(ordinary.over("undici")),
    cpuOverErlcApi: figure(ordinary.over("erlc-api")),
  };
  const ok = figures.cpuOverUndici <= 1.3 && figures.cpuOverErlcApi <= 0.5;
  return { ok, figures, lines: [...ordinary.lines, ...busy.lines] };
}

interface Comparison {
  /** Our CPU over the peer's. */
  over(peer: string): number;
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
    metrics: { count: () => {}, observe: () => {} },
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
    const rounds = await measure(polls);
    const of = (peer: string) => rounds.map((round) => round.get(peer) ?? Number.NaN);
    const ratio = (a: string, b: string) => median(of(a).map((cost, n) => cost / (of(b)[n] ?? Number.NaN)));
    const rows = Object.keys(polls).map((peer) => [
      peer,
      median(of(peer)).toFixed(0),
      ratio(peer, "undici").toFixed(2),
    ]);
    const head = `${server} server, an answer of ${(bytes / 1024).toFixed(1)} KB, ${ROUNDS} rounds of ${POLLS} polls`;
    return {
      over: (peer) => ratio("marshal", peer),
      lines: [head, ...table(["", "CPU us a poll", "over bare undici"], rows)],
    };
  } finally {
    await client.close();
    await pool.destroy();
    child.disconnect();
  }
}

/** Microseconds of CPU (user and system) of one poll, by client, round after round. */
async function measure(polls: Readonly<Record<string, Poll>>): Promise<Map<string, number>[]> {
  const rounds: Map<string, number>[] = [];
  const times = async (polls: number, poll: Poll) => {
    for (let n = 0; n < polls; n++) if ((await poll()) === 0) throw new Error("an empty answer was read");
  };
  for (const poll of Object.values(polls)) await times(WARM_POLLS, poll);
  for (let round = 0; round < ROUNDS; round++) {
    const costs = new Map<string, number>();
    for (const [peer, poll] of Object.entries(polls)) {
      const before = process.cpuUsage();
      await times(POLLS, poll);
      const { user, system } = process.cpuUsage(before);
      costs.set(peer, (user + system) / POLLS);
    }
    rounds.push(costs);
  }
  return rounds;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
