import assert from "node:assert/strict";
import { Failure } from "../../src/domain/failure.ts";
import type { FaultSettings } from "../../src/sandbox/service/faults.ts";
import { seededRandom } from "./clock.ts";
import { World } from "./limit-run.ts";

/** The result of one seeded run, by the emulator's own counts. */
export interface ChaosResult {
  readonly seed: number;
  readonly requests: number;
  readonly answers429: number;
  readonly avoidable: number;
  readonly blocks: number;
  readonly maxExecutions: number;
  /**
   * Requests for a regenerated key after its first 403, the most of any key. Only answered requests count, because a
   * refusal that a broken connection swallowed was seen by nobody.
   */
  readonly requestsAfterFirst403: number;
  readonly leaked: boolean;
  readonly unsettled: number;
}

/** @throws AssertionError that names the seed, when a promise of the client did not hold. */
export function assertHeld(result: ChaosResult): void {
  const { seed, avoidable, blocks, maxExecutions, requestsAfterFirst403, leaked, unsettled } = result;
  assert.equal(avoidable, 0, `seed ${seed}: requests inside a wait that the service named`);
  assert.equal(blocks, 0, `seed ${seed}: blocks`);
  assert.ok(maxExecutions <= 1, `seed ${seed}: a command was executed ${maxExecutions} times`);
  assert.ok(
    requestsAfterFirst403 <= 2,
    `seed ${seed}: ${requestsAfterFirst403} requests after the first 403`,
  );
  assert.equal(leaked, false, `seed ${seed}: a key was shown`);
  assert.equal(unsettled, 0, `seed ${seed}: requests that nobody answered`);
}

const MINUTE_MS = 60_000;

/**
 * Five virtual minutes of many callers against limits and faults that change by the seed: sudden 429s, late answers,
 * missing headers, HTML pages, blocks, resets, silence, half answers, regenerated keys, restarts of the client and steps
 * of its wall clock.
 */
export async function chaos(seed: number): Promise<ChaosResult> {
  const random = seededRandom(seed ^ 0x5eed);
  const pick = <T>(list: readonly T[]): T => {
    const found = list[Math.floor(random.next() * list.length)];
    if (found === undefined) throw new RangeError("pick from an empty list");
    return found;
  };
  const world = new World({
    seed,
    keys: 8,
    latencyMs: 5 + random.next() * 150,
    jitterMs: random.next() * 100,
    skewMs: Math.floor(random.next() * 6_000 - 3_000),
    ...(random.next() < 0.3 ? { globalKey: "application-one" } : {}),
    service: {
      strictSpec: random.next() < 0.3,
      globalKeys: ["application-one"],
      limits: {
        global: { limit: 1 + Math.floor(random.next() * 20), windowMs: pick([300, 1_000, 2_500, 10_000]) },
        application: { limit: 5 + Math.floor(random.next() * 30), windowMs: pick([1_000, 3_000]) },
        command: { limit: 1, windowMs: pick([2_000, 5_000, 5_000, 7_000]) },
        align: pick(["first-request", "clock"]),
        resetRounding: pick(["ceil", "floor"]),
        fractions: pick(["none", "body", "both"]),
      },
    },
  });
  for (const key of world.keyTexts) world.service.town(key).join("Ann", 1);
  let unsettled = 0;
  let asked = 0;
  let leaked = false;
  const told: string[] = [];
  const watch = (work: Promise<unknown>) => {
    unsettled += 1;
    work.then(
      () => {
        unsettled -= 1;
      },
      (error: unknown) => {
        unsettled -= 1;
        assert.ok(error instanceof Failure, `seed ${seed}: ${String(error)}`);
        told.push(`${error.message} ${String(error.cause)}`);
      },
    );
  };
  const regenerated: string[] = [];
  const endMs = world.clock.monotonicMs() + 3 * MINUTE_MS;
  while (world.clock.monotonicMs() < endMs) {
    const dice = random.next();
    if (dice < 0.02) world.service.faults.set(trouble(pick, random.next()));
    else if (dice < 0.05) world.service.faults.clear();
    else if (dice < 0.055 && regenerated.length < 2) regenerated.push(regenerate(world, regenerated.length));
    else if (dice < 0.057) await world.restart();
    else if (dice < 0.06) world.clock.step(pick([-1, 1]) * random.next() * 2 * 60 * MINUTE_MS);
    else if (dice < 0.0605) world.service.blocks.showPage("127.0.0.1", world.clock.nowMs(), 30 * MINUTE_MS);
    for (let n = Math.floor(random.next() * 5); n > 0; n--) {
      asked += 1;
      const source = world.source(Math.floor(random.next() * 8));
      const signal = random.next() < 0.1 ? deadline(world, random.next() * 5_000) : undefined;
      const extra = signal === undefined ? {} : { signal };
      if (random.next() < 0.15) watch(world.client.command(source, `:h ${asked}`, { signal }));
      else
        watch(world.client.read(source, [], { priority: random.next() < 0.3 ? "person" : "poll", ...extra }));
    }
    await world.clock.advance(random.next() * 400);
  }
  world.service.faults.clear();
  await world.clock.advance(2 * MINUTE_MS);
  leaked = leaks(world, told);
  const { counts } = world.service;
  await world.close();
  await world.clock.advance(1);
  return {
    seed,
    requests: counts.requests,
    answers429: counts.answers429,
    avoidable: counts.avoidable,
    blocks: counts.blocks,
    maxExecutions: Math.max(0, ...counts.executionsByText.values()),
    requestsAfterFirst403: Math.max(0, ...regenerated.map((key) => (world.refusalsRead.get(key) ?? 0) - 1)),
    leaked,
    unsettled,
  };
}

function deadline(world: World, afterMs: number): AbortSignal {
  const abort = new AbortController();
  world.clock.after(afterMs, () => abort.abort());
  return abort.signal;
}

function regenerate(world: World, n: number): string {
  const key = world.key(n);
  world.service.regenerateKey(key);
  return key;
}

function trouble(pick: <T>(list: readonly T[]) => T, p: number): Partial<FaultSettings> {
  const some = 0.3 * p;
  return pick<Partial<FaultSettings>>([
    { tooMany: some, tooManyRetryAfterMs: 500 + 20_000 * p },
    { tooMany: some, retryAfter: pick(["header", "body", "none", "garbage"]) },
    { late: 0.5, lateMs: 3_000 },
    { noRateLimitHeaders: p },
    { html: some, htmlStatus: pick([200, 403, 429, 502, 503]) },
    { resetBefore: some, resetAfter: some },
    { silent: some },
    { truncate: some },
    { command500: 0.5, command500Executed: 0.5 },
    { envelope: pick(["code-message", "message", "message-commandid", "error-code", "empty"]) },
    { delayMs: 200, jitterMs: 2_000 },
  ]);
}

/** Whether a key shows in anything that leaves the wing: events, state, failures, what is stored. */
function leaks(world: World, told: readonly string[]): boolean {
  const out = JSON.stringify([
    world.events,
    world.client.state(),
    told,
    [...world.texts.halts],
    [...world.texts.rejected].map(([, value]) => value),
    [...world.metrics.sums],
  ]);
  return [...world.keyTexts, "application-one"].some((key) => out.includes(key));
}
