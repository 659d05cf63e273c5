import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../src/domain/failure.ts";
import type { CommandAnswer } from "../../src/domain/model.ts";
import type { Service } from "../../src/sandbox/service/service.ts";
import { seededRandom } from "../support/clock.ts";
import { World } from "../support/limit-run.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { bareUndici, erlcApi, marshal, type Peer, withService } from "./peers.ts";

export const name = "commands";

const WORLDS = 20;
const KEYS = 50;
const PER_KEY = 100;
const AGAIN_MS = 10_000;
const SHORT_WORLDS = 20;
const SHORT_WINDOW_MS = 1_000;
const SHORT_MS = 20_000;
const PEER_COMMANDS = 6;
const PEER_WINDOW_MS = 1_000;

/**
 * 10^5 commands under seeded faults through the client in virtual time, each offered again only when its failure says
 * that it surely did not run; the pace without faults; and what other clients do with a shorter window on real sockets.
 */
export async function run(): Promise<BenchResult> {
  const peerRows = sideBySide();
  const rows = await peerRows;
  let commands = 0;
  let maxExecutions = 0;
  let refusedBeforeFaults = 0;
  let unknown = 0;
  let executed = 0;
  for (let seed = 1; seed <= WORLDS; seed++) {
    const result = await faulty(seed);
    commands += result.commands;
    unknown += result.unknown;
    executed += result.executed;
    refusedBeforeFaults += result.answers429;
    maxExecutions = Math.max(maxExecutions, result.maxExecutions);
  }
  const pace = await calm();
  const short = await shortWindows();
  const figures = {
    commands,
    maxExecutions,
    answers429: refusedBeforeFaults + pace.answers429 + short.answers429,
    throughputOverBound: figure(pace.overBound),
    throughputOverBound1s: figure(short.overBound),
  };
  const ok =
    commands >= 100_000 &&
    maxExecutions <= 1 &&
    figures.answers429 === 0 &&
    figures.throughputOverBound >= 0.97 &&
    figures.throughputOverBound1s >= 0.7;
  const lines = [
    `${commands} commands under faults: ${executed} ran once, none more than ${maxExecutions} time(s), ` +
      `${unknown} ended as unknown and were not sent again`,
    `without faults: ${pace.sent} commands one after the other, ${pace.answers429} answers of 429, ` +
      `${(100 * pace.overBound).toFixed(1)} % of 1/(window + round trip)`,
    `windows of a second, ${SHORT_WORLDS} servers, the first ${SHORT_MS / 1_000} s after the first command: ` +
      `${short.answers429} answers of 429, ${(100 * short.overBound).toFixed(1)} % of 1/(window + round trip)`,
    `side by side, ${PEER_COMMANDS} commands of one server at once, window ${PEER_WINDOW_MS} ms, ` +
      "a third of the answers lost after the effect:",
    ...table(["", "requests", "429", "ran", "most runs of one"], rows),
  ];
  return { ok, figures, lines };
}

/** Faults but no made-up 429: each answer of 429 is then one that our pace drew. */
async function faulty(seed: number) {
  const random = seededRandom(seed);
  const world = new World({
    seed,
    keys: KEYS,
    latencyMs: 20 + random.next() * 80,
    jitterMs: random.next() * 60,
    service: {
      town: { intensity: "quiet" },
      keepSnapshots: 0,
      limits: { global: { limit: 500, windowMs: 1_000 } },
      faults: {
        resetBefore: 0.05,
        resetAfter: 0.1,
        silent: 0.01,
        truncate: 0.05,
        command500: 0.1,
        command500Executed: 0.5,
        jitterMs: 300,
        noRateLimitHeaders: 0.1,
        only: "commands",
      },
    },
  });
  for (const key of world.keyTexts) world.service.town(key).join("Ann", 1);
  let unknown = 0;
  const attempt = async (source: number, text: string): Promise<void> => {
    for (let tries = 0; tries < 5; tries++) {
      try {
        await world.client.command(world.source(source), text);
        return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.ran === "unknown") unknown += 1;
        if (error.ran !== "no" || error.code === "server-empty") return;
        // What is refused without being sent is refused again at once: people try later, too.
        await world.clock.sleep(AGAIN_MS);
      }
    }
  };
  const lanes = world.keyTexts.map(async (_, lane) => {
    for (let n = 0; n < PER_KEY; n++) await attempt(lane, `:h ${lane}-${n}`);
  });
  let done = false;
  const all = Promise.all(lanes).then(() => {
    done = true;
  });
  await world.clock.until(() => done);
  await all;
  const { counts } = world.service;
  await world.close();
  return {
    commands: KEYS * PER_KEY,
    unknown,
    executed: counts.executionsByText.size,
    answers429: counts.answers429,
    maxExecutions: Math.max(...counts.executionsByText.values()),
  };
}

async function calm() {
  const world = new World({ seed: 77, keys: 1, latencyMs: 60, jitterMs: 40 });
  world.service.town(world.key(0)).join("Ann", 1);
  const sent = 200;
  const answers: CommandAnswer[] = [];
  const lane = async () => {
    while (answers.length < sent)
      answers.push(await world.client.command(world.source(0), `:h ${answers.length}`));
  };
  const done = lane();
  await world.clock.until(() => answers.length === sent);
  await done;
  const first = answers[0];
  const last = answers.at(-1);
  if (first === undefined || last === undefined) throw new Error("no command was answered");
  const roundTripMs = answers.reduce((sum, one) => sum + one.answeredAtMs - one.sentAtMs, 0) / sent;
  const perCommandMs = (last.sentAtMs - first.sentAtMs) / (sent - 1);
  const { answers429 } = world.service.counts;
  await world.close();
  return { sent, answers429, overBound: (5_000 + roundTripMs) / perCommandMs };
}

/** Servers whose command window is a second, told in whole seconds, from a cold start and without any reads beside. */
async function shortWindows() {
  let answers429 = 0;
  let overBound = 0;
  for (let seed = 1; seed <= SHORT_WORLDS; seed++) {
    const world = new World({
      seed,
      keys: 1,
      latencyMs: 60,
      jitterMs: 40,
      service: { limits: { command: { limit: 1, windowMs: SHORT_WINDOW_MS } } },
    });
    world.service.town(world.key(0)).join("Ann", 1);
    const answers: CommandAnswer[] = [];
    let isOver = false;
    const lane = async () => {
      while (!isOver) answers.push(await world.client.command(world.source(0), `:h ${answers.length}`));
    };
    const done = lane();
    await world.clock.until(() => answers.length > 0);
    await world.clock.advance(SHORT_MS);
    isOver = true;
    const measured = [...answers];
    await world.clock.advance(SHORT_MS);
    await done;
    const sentMs = measured.map(({ sentAtMs }) => sentAtMs);
    const roundTripMs =
      measured.reduce((sum, one) => sum + one.answeredAtMs - one.sentAtMs, 0) / measured.length;
    const perCommandMs = ((sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0)) / (measured.length - 1);
    overBound += (SHORT_WINDOW_MS + roundTripMs) / perCommandMs / SHORT_WORLDS;
    answers429 += world.service.counts.answers429;
    await world.close();
  }
  return { answers429, overBound };
}

function sideBySide(): Promise<(string | number)[][]> {
  const key = "bench0-server0";
  const options = {
    keys: [key],
    town: { intensity: "busy" },
    limits: { command: { limit: 1, windowMs: PEER_WINDOW_MS } },
    faults: { resetAfter: 0.33, only: "commands" },
  } as const;
  const drive = async (peer: Peer, service: Service) => {
    service.town(key).join("Ann", 1);
    const asks = Array.from({ length: PEER_COMMANDS }, (_, n) =>
      peer.command(key, `:h ${n}`).catch(() => {}),
    );
    await Promise.race([Promise.all(asks), sleep(32_000)]);
    const { counts } = service;
    const runs = [...counts.executionsByText.values()];
    return [peer.name, counts.commands, counts.answers429, runs.length, Math.max(0, ...runs)];
  };
  const makers = [marshal, (url: string) => bareUndici(url, 4), erlcApi];
  return Promise.all(makers.map((make) => withService(options, make, drive)));
}
