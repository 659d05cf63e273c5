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

const ROUNDS = 15;
const POLLS = 400;
const AT_ONCE = 4;
const LISTS: readonly ListName[] = ["players", "joinLogs", "killLogs", "commandLogs", "modCalls"];
const PATH = "/v2/server?Players=true&JoinLogs=true&KillLogs=true&CommandLogs=true&ModCalls=true";

type Poll = () => Promise<number>;

/**
 * CPU of one poll: five lists of a busy server, from a server process of its own. The three clients take turns in short
 * rounds, so that a busy machine is equally unkind to each; the median of the rounds counts.
 */
export async function run(): Promise<BenchResult> {
  const child = fork(new URL("./canned-server.ts", import.meta.url), { stdio: "inherit" });
  const [{ port, bytes }] = (await once(child, "message")) as [{ port: number; bytes: number }];
  const url = `http://127.0.0.1:${port}`;
  const pool = new Pool(url, { connections: 32, allowH2: false });
  const ring = new FakeKeyRing();
  const source = Array.from({ length: AT_ONCE }, (_, n) => ring.add(`bench-key-${n}`));
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
  const include = ["players", "joinLogs", "killLogs", "commandLogs", "modCalls"] as const;
  let turn = 0;
  const polls: Readonly<Record<string, Poll>> = {
    marshal: async () => {
      const from = source[turn++ % AT_ONCE];
      if (from === undefined) throw new Error("no source");
      const { lists } = await client.read(from, LISTS, { priority: "poll" });
      return (lists.joinLogs?.length ?? 0) + (lists.killLogs?.length ?? 0);
    },
    undici: async () => {
      const headers = { "server-key": "bench-key" };
      const answer = await pool.request({ method: "GET", path: PATH, headers });
      const json = JSON.parse(await answer.body.text()) as { JoinLogs: unknown[]; KillLogs: unknown[] };
      return json.JoinLogs.length + json.KillLogs.length;
    },
    "erlc-api": async () => {
      const json = await erlc.server.get({ include });
      return json.JoinLogs.length + json.KillLogs.length;
    },
  };
  try {
    const medians = await measure(polls);
    const of = (peer: string) => medians.get(peer) ?? Number.NaN;
    const figures = {
      cpuOverUndici: figure(of("marshal") / of("undici")),
      cpuOverErlcApi: figure(of("marshal") / of("erlc-api")),
    };
    const rows = [...medians].map(([peer, us]) => [peer, us.toFixed(0), (us / of("undici")).toFixed(2)]);
    const lines = [
      `an answer of ${(bytes / 1024).toFixed(1)} KB, ${ROUNDS} rounds of ${POLLS} polls, ${AT_ONCE} at once`,
      ...table(["", "CPU us a poll", "over bare undici"], rows),
    ];
    return { ok: figures.cpuOverUndici <= 1.3 && figures.cpuOverErlcApi <= 0.5, figures, lines };
  } finally {
    await client.close();
    await pool.destroy();
    child.disconnect();
  }
}

/** Microseconds of CPU (user and system) of one poll, the median of the rounds. */
async function measure(polls: Readonly<Record<string, Poll>>): Promise<Map<string, number>> {
  const rounds = new Map<string, number[]>(Object.keys(polls).map((peer) => [peer, []]));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [peer, poll] of Object.entries(polls)) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      const lane = async () => {
        for (let n = 0; n < POLLS / AT_ONCE; n++)
          if ((await poll()) === 0) throw new Error(`${peer} read an empty answer`);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      const { user, system } = process.cpuUsage(before);
      // The first rounds warm up: compilers and connections.
      if (round >= 0) rounds.get(peer)?.push((user + system) / POLLS);
    }
  }
  return new Map([...rounds].map(([peer, values]) => [peer, median(values)]));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
