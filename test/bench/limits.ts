import { chaos } from "../support/chaos.ts";
import { seededRandom } from "../support/clock.ts";
import { runLoad, World } from "../support/limit-run.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { keyFigures } from "./limits-of-keys.ts";
import { bareUndici, erlcApi, marshal, type Peer, steadily, withService } from "./peers.ts";

export const name = "limits";

const CHAOS_SEEDS = 1_000;
const LOAD_SEEDS = 120;
const WINDOWS = 60;
const SIDE_BY_SIDE_MS = 12_000;

/**
 * 1,000 seeds of everything that can go wrong, judged by the emulator's own counts; the limit at twice its demand; and
 * the same load on three clients side by side over real sockets.
 */
export async function run(): Promise<BenchResult> {
  const peers = sideBySide();
  const rows = await peers;
  let avoidable = 0;
  let blocks = 0;
  let afterFirst403 = 0;
  let requests = 0;
  const bad: number[] = [];
  for (let seed = 1; seed <= CHAOS_SEEDS; seed++) {
    const result = await chaos(seed);
    avoidable += result.avoidable;
    blocks += result.blocks;
    requests += result.requests;
    afterFirst403 = Math.max(afterFirst403, result.requestsAfterFirst403);
    if (result.avoidable > 0 || result.requestsAfterFirst403 > 2 || result.leaked) bad.push(seed);
  }
  const load = await underLoad();
  const keys = await keyFigures();
  const figures = {
    avoidable,
    answers429Per1000: figure(load.answers429Per1000),
    usedOfLimit: figure(load.used),
    requestsAfterFirst403: afterFirst403,
    ...keys.figures,
  };
  const ok =
    keys.ok && avoidable === 0 && load.answers429Per1000 <= 1 && load.used >= 0.9 && afterFirst403 <= 2;
  const lines = [
    `${CHAOS_SEEDS} seeds of faults, ${requests} requests: ${avoidable} avoidable, ${blocks} blocks`,
    `${LOAD_SEEDS} seeds at twice the limit, ${load.requests} requests: ${load.answers429} answers of 429, ` +
      `${(100 * load.used).toFixed(1)} % of the limit used (worst seed ${(100 * load.worst).toFixed(1)} %)`,
    ...keys.lines,
    ...(bad.length === 0 ? [] : [`seeds to look at: ${bad.join(", ")}`]),
    `side by side, ${SIDE_BY_SIDE_MS / 1_000} s at twice a limit of 10 a second, 20 keys, one of them regenerated:`,
    ...table(
      ["", "requests", "429 per 1,000", "avoidable", "blocked", "after first 403", "used of limit"],
      rows,
    ),
  ];
  return { ok, figures, lines };
}

async function underLoad() {
  let requests = 0;
  let answers429 = 0;
  let used = 0;
  let worst = 1;
  for (let seed = 1; seed <= LOAD_SEEDS; seed++) {
    const random = seededRandom(seed);
    const pick = <T>(list: readonly T[]) => list[Math.floor(random.next() * list.length)];
    const limit = 5 + Math.floor(random.next() * 36);
    const windowMs = pick([1_000, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000]) ?? 1_000;
    const world = new World({
      seed,
      keys: 40,
      // So many requests are under way here that the budget of an ordinary host would bound them.
      badKeyBudget: 200,
      latencyMs: 10 + random.next() * 70,
      jitterMs: random.next() * 40,
      skewMs: Math.floor(random.next() * 4_000 - 2_000),
      service: {
        limits: {
          global: { limit, windowMs },
          align: pick(["first-request", "clock"] as const) ?? "clock",
          resetRounding: pick(["ceil", "floor"] as const) ?? "ceil",
        },
      },
    });
    const load = { perSecond: (2_000 * limit) / windowMs, forMs: WINDOWS * windowMs, mostWaiting: 60 };
    await runLoad(world.clock, load, (n) =>
      world.client.read(world.source(n % 40), [], { priority: "poll" }),
    );
    const { counts } = world.service;
    const share = (counts.byStatus.get(200) ?? 0) / (limit * WINDOWS);
    requests += counts.requests;
    answers429 += counts.answers429;
    used += share / LOAD_SEEDS;
    worst = Math.min(worst, share);
    await world.close();
  }
  return { requests, answers429, answers429Per1000: (1_000 * answers429) / requests, used, worst };
}

function sideBySide(): Promise<(string | number)[][]> {
  const keys = Array.from({ length: 20 }, (_, n) => `bench${n}-server${n}`);
  const options = {
    keys,
    town: { intensity: "quiet" },
    limits: { global: { limit: 10, windowMs: 1_000 }, banAfter: 1_000_000 },
  } as const;
  const drive = async (peer: Peer, service: Parameters<Parameters<typeof withService>[2]>[1]) => {
    const regenerated = keys[0] ?? "";
    service.regenerateKey(regenerated);
    const load = { perSecond: 20, forMs: SIDE_BY_SIDE_MS, mostWaiting: 100 };
    await steadily(load, (n) => peer.read(keys[n % keys.length] ?? ""));
    const { counts } = service;
    const ok = counts.byStatus.get(200) ?? 0;
    return [
      peer.name,
      counts.requests,
      Math.round((1_000 * counts.answers429) / counts.requests),
      counts.avoidable,
      counts.blocks > 0 ? "yes" : "no",
      Math.max(0, (counts.badKeyRequests.get(regenerated) ?? 0) - 1),
      (ok / (10 * (SIDE_BY_SIDE_MS / 1_000))).toFixed(2),
    ];
  };
  return Promise.all(
    [marshal, bareUndici, erlcApi].map((make) => withService(options, (url) => make(url), drive)),
  );
}
