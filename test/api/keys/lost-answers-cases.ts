import type { Failure } from "../../../src/domain/failure.ts";
import type { Random } from "../../../src/domain/ports/clock.ts";
import { seededRandom } from "../../support/clock.ts";
import { KeyCrowd } from "../../support/key-crowd.ts";

/** Days of many linked servers whose answers are lost; each function tells what was seen. */

const MINUTE_MS = 60_000;
const LATENCY = { latencyMs: 75, jitterMs: 10 };
const PER_SECOND = 3;
/** For this long in every so many seconds nothing is answered: one answer in a hundred is lost. */
const BLIP = { forMs: 30, everyMs: 4_000 };

/** How the answers of an outage are lost: at once, before or after the service had the request, or never heard of. */
export type Outage = "reset before" | "reset after" | "silent";

const FAULTS = {
  "reset before": { resetBefore: 1 },
  "reset after": { resetAfter: 1 },
  silent: { silent: 1 },
} as const;
const NO_FAULTS = { resetBefore: 0, resetAfter: 0, silent: 0 };

export interface LostWorld {
  readonly seed: number;
  readonly keys: number;
  /** Keys that are refused from the same moment on. */
  readonly dead: number;
  /** Of the answers to dead keys, or to all: this share is lost. @default those to dead keys */
  readonly lost?: { readonly share: number; readonly of: "dead" | "all" };
  /** Besides, one answer in a hundred is lost, whatever the key, from a few minutes before the keys died. */
  readonly hasBlips?: boolean;
  /** Those keys are good, and their servers alone never answer. */
  readonly hangs?: boolean;
  readonly outage?: { readonly how: Outage; readonly forMs: number };
  /** In the middle of the outage, or a minute after the keys died. */
  readonly end?: "restart" | "kill";
  readonly hours?: number;
  /** Requests that the service allows. @default 3 */
  readonly perSecond?: number;
}

/** Keys die, their answers are lost, and nobody else's; or nothing at all is answered for a while. */
export async function loseAnswers(lostWorld: LostWorld) {
  const { seed, keys, dead, lost, hasBlips = false, hangs = false, outage, end, hours = 2 } = lostWorld;
  const limits = { global: { limit: lostWorld.perSecond ?? PER_SECOND, windowMs: 1_000 } };
  const town = new KeyCrowd({ seed, keys, ...LATENCY, service: { limits } });
  const { clock, service, keyTexts } = town.world;
  await town.run(2 * MINUTE_MS);
  const random = seededRandom(seed);
  const good = Array.from({ length: keys }, (_, n) => n);
  const bad = Array.from(
    { length: dead },
    () => good.splice(Math.floor(random.next() * good.length), 1)[0] ?? 0,
  );
  const deadKeys = bad.map((n) => keyTexts[n] ?? "");
  const losses = { ...NO_FAULTS, onlyKeys: [] as readonly string[] };
  if (hasBlips) await runWithBlips(town, 3 * MINUTE_MS, losses, random);
  if (!hangs) town.regenerate(bad);
  const loseSome = () => {
    losses.resetAfter = lost?.share ?? 0;
    losses.onlyKeys = lost?.of === "all" ? [] : deadKeys;
    service.faults.set(losses);
  };
  const run = (forMs: number) => (hasBlips ? runWithBlips(town, forMs, losses, random) : town.run(forMs));
  const middle = async () => {
    if (end === "kill") await town.kill();
    if (end === "restart") await town.restart();
  };
  if (outage === undefined) {
    loseSome();
    await run(MINUTE_MS);
    await middle();
  } else {
    service.faults.set({ ...NO_FAULTS, ...FAULTS[outage.how], onlyKeys: [] });
    await town.run(outage.forMs / 2);
    await middle();
    await town.run(outage.forMs / 2);
    loseSome();
  }

  const endMs = clock.nowMs();
  const waits = outage === undefined ? [] : good.slice(0, 3).map((n) => personWaitMs(town, n));
  await run(10 * MINUTE_MS);
  const firstMs = Math.min(...good.map((n) => firstAfter(town, n, endMs)));
  const nearlyAll = good.map((n) => firstAfter(town, n, endMs)).sort((a, b) => a - b);
  await run((hours * 60 - 10) * MINUTE_MS);
  const servedLast = town.answeredSince(clock.nowMs() - 10 * MINUTE_MS).filter((n) => !bad.includes(n));
  const personMs = Math.max(0, ...(await Promise.all(waits)));
  await town.close();
  return {
    mostRefused: town.mostRefusedInAnHour,
    bans: service.counts.bans,
    /** After the outage, until the first good key was read, and nine tenths of them. */
    backMs: firstMs - endMs,
    nearlyAllMs: (nearlyAll[Math.floor(0.9 * (nearlyAll.length - 1))] ?? Number.POSITIVE_INFINITY) - endMs,
    /** The longest that a person waited who asked at the end of the outage, asking again when told to. */
    personMs,
    servedLast: servedLast.length,
    good: good.length,
  };
}

/** Somewhere in each four seconds nothing is answered for a moment. */
async function runWithBlips(
  town: KeyCrowd,
  forMs: number,
  losses: Readonly<Record<string, unknown>>,
  random: Random,
): Promise<void> {
  const { clock, service } = town.world;
  for (const endMs = clock.nowMs() + forMs; clock.nowMs() < endMs; ) {
    const atMs = random.next() * (BLIP.everyMs - BLIP.forMs);
    service.faults.set(losses);
    await town.run(atMs);
    service.faults.set({ ...losses, resetAfter: 1, onlyKeys: [] });
    await town.run(BLIP.forMs);
    service.faults.set(losses);
    await town.run(BLIP.everyMs - BLIP.forMs - atMs);
  }
}

async function personWaitMs({ world }: KeyCrowd, n: number): Promise<number> {
  const { clock, client } = world;
  const sinceMs = clock.nowMs();
  for (;;) {
    const failure = await client.read(world.source(n), [], { priority: "person" }).then(
      () => undefined,
      (error: Failure) => error,
    );
    if (failure === undefined) return clock.nowMs() - sinceMs;
    // Nobody presses a button sooner than a second after it failed.
    await clock.sleep(1_000);
  }
}

function firstAfter({ answersMs }: KeyCrowd, n: number, sinceMs: number): number {
  return (answersMs.get(n) ?? []).find((atMs) => atMs > sinceMs) ?? Number.POSITIVE_INFINITY;
}
