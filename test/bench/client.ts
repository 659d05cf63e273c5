import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type BenchResult, figure, table } from "./bench.ts";

export const name = "client";

const PEERS = ["marshal", "undici", "erlc-api"] as const;
type Peer = (typeof PEERS)[number];

const ROUNDS = 13;
const POLLS = 600;
/** A bot runs for days: what is measured is code that the compilers have finished with. */
const WARM_POLLS = 5_000;

/**
 * CPU of one poll, the server and each client in a process of its own. The clients take turns in short rounds, so that a
 * busy machine is equally unkind to each; each round gives a ratio, and the median of the ratios counts. The ordinary
 * server decides; the busy one, whose logs are full, is printed beside it.
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
  over(peer: Peer): number;
  readonly lines: readonly string[];
}

async function compare(server: "ordinary" | "busy"): Promise<Comparison> {
  const canned = spawn("./canned-server.ts", server);
  const { port, bytes } = (await answerOf(canned)) as { port: number; bytes: number };
  const url = `http://127.0.0.1:${port}`;
  const lanes = new Map(PEERS.map((peer) => [peer, spawn("./client-lane.ts", peer, url)]));
  try {
    for (const lane of lanes.values()) await polls(lane, WARM_POLLS);
    const rounds: Map<Peer, number>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const costs = new Map<Peer, number>();
      for (const [peer, lane] of lanes) costs.set(peer, await polls(lane, POLLS));
      rounds.push(costs);
    }
    const of = (peer: Peer) => rounds.map((round) => round.get(peer) ?? Number.NaN);
    const ratio = (a: Peer, b: Peer) => median(of(a).map((cost, n) => cost / (of(b)[n] ?? Number.NaN)));
    const rows = PEERS.map((peer) => [peer, median(of(peer)).toFixed(0), ratio(peer, "undici").toFixed(2)]);
    const head = `${server} server, an answer of ${(bytes / 1024).toFixed(1)} KB, ${ROUNDS} rounds of ${POLLS} polls`;
    return {
      over: (peer) => ratio("marshal", peer),
      lines: [head, ...table(["", "CPU us a poll", "over bare undici"], rows)],
    };
  } finally {
    for (const child of [canned, ...lanes.values()]) if (child.connected) child.disconnect();
  }
}

function spawn(file: string, ...args: string[]): ChildProcess {
  return fork(new URL(file, import.meta.url), args, { stdio: "inherit" });
}

/** The next message of a child; an error when it ended instead. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    const ended = once(child, "exit", { signal }).then(() =>
      Promise.reject(new Error("a bench process ended")),
    );
    const [message] = (await Promise.race([once(child, "message", { signal }), ended])) as [unknown];
    return message;
  } finally {
    settled.abort();
  }
}

/** Microseconds of CPU (user and system) of one poll. */
async function polls(lane: ChildProcess, count: number): Promise<number> {
  lane.send(count);
  return Number(await answerOf(lane));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
