import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type BenchResult, figure, table } from "./bench.ts";

export const name = "client";

const PEERS = ["marshal", "marshal, cold", "undici", "undici dispatch", "erlc-api"] as const;
type Peer = (typeof PEERS)[number];

/** A process may be compiled, or lie in memory, luckily or not, by a tenth of its cost: each client lives more than once. */
const LIVES = 3;
/** Of a life. */
const ROUNDS = 5;
/** Of a round; a garbage collection of everything comes once in a few thousand polls, so a round is long. */
const TURNS = 6;
const POLLS_A_TURN = 200;
/** A bot runs for days: what is measured is code that the compilers have finished with, as they have after so many. */
const WARM_POLLS = 15_000;

/**
 * CPU of one poll, the server and each client in a process of its own. The clients take short turns, each time in another
 * order, so that a busy machine is equally unkind to each; each round gives a ratio, and the median of the ratios counts.
 * The ordinary server decides; the busy one, whose logs are full, is printed beside it.
 */
export async function run(): Promise<BenchResult> {
  const ordinary = await compare("ordinary", LIVES);
  const busy = await compare("busy", 1);
  const figures = {
    cpuOverUndici: figure(ordinary.over("marshal", "undici")),
    cpuOverErlcApi: figure(ordinary.over("marshal", "erlc-api")),
    coldCpuOverUndici: figure(ordinary.over("marshal, cold", "undici")),
  };
  const ok =
    figures.cpuOverUndici <= 1.2 && figures.cpuOverErlcApi <= 0.6 && figures.coldCpuOverUndici <= 1.2;
  return { ok, figures, lines: [...ordinary.lines, ...busy.lines] };
}

interface Comparison {
  /** The CPU of one over another's. */
  over(ours: Peer, peer: Peer): number;
  readonly lines: readonly string[];
}

async function compare(server: "ordinary" | "busy", lives: number): Promise<Comparison> {
  const canned = spawn("./canned-server.ts", server);
  const { port, bytes } = (await answerOf(canned)) as { port: number; bytes: number };
  const url = `http://127.0.0.1:${port}`;
  try {
    const rounds: ReadonlyMap<Peer, number>[] = [];
    for (let life = 0; life < lives; life++) rounds.push(...(await oneLife(url)));
    const of = (peer: Peer) => rounds.map((round) => round.get(peer) ?? Number.NaN);
    const ratio = (a: Peer, b: Peer) => median(of(a).map((cost, n) => cost / (of(b)[n] ?? Number.NaN)));
    const rows = PEERS.map((peer) => [
      peer,
      median(of(peer)).toFixed(0),
      ratio(peer, "undici").toFixed(2),
      ratio(peer, "undici dispatch").toFixed(2),
    ]);
    const head = `${server} server, an answer of ${(bytes / 1024).toFixed(1)} KB, ${rounds.length} rounds of ${TURNS * POLLS_A_TURN} polls`;
    return {
      over: ratio,
      lines: [head, ...table(["", "CPU us a poll", "over undici's request", "over its dispatch"], rows)],
    };
  } finally {
    canned.disconnect();
  }
}

/** Each client in a new process, and what a poll of each cost in each round. */
async function oneLife(url: string): Promise<readonly ReadonlyMap<Peer, number>[]> {
  const lanes = PEERS.map((peer) => [peer, spawn("./client-lane.ts", peer, url)] as const);
  try {
    await Promise.all(lanes.map(([, lane]) => polls(lane, WARM_POLLS)));
    const rounds: ReadonlyMap<Peer, number>[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(lanes, round));
    return rounds;
  } finally {
    for (const [, lane] of lanes) if (lane.connected) lane.disconnect();
  }
}

/** What a poll of each cost in one round. Rotated each round and reversed each turn, everybody follows everybody. */
async function oneRound(
  lanes: readonly (readonly [Peer, ChildProcess])[],
  round: number,
): Promise<ReadonlyMap<Peer, number>> {
  const costs = new Map<Peer, number>();
  const first = round % lanes.length;
  const order = [...lanes.slice(first), ...lanes.slice(0, first)];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [peer, lane] of order.reverse())
      costs.set(peer, (costs.get(peer) ?? 0) + (await polls(lane, POLLS_A_TURN)) / TURNS);
  }
  return costs;
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
