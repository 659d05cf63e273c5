import type { Failure } from "../../../src/domain/failure.ts";
import { seededRandom } from "../../support/clock.ts";
import { KeyCrowd } from "../../support/key-crowd.ts";

/** Days of many linked servers whose answers are lost; each function tells what was seen. */

const MINUTE_MS = 60_000;
const LATENCY = { latencyMs: 75, jitterMs: 10 };
const LIMITS = { global: { limit: 6, windowMs: 1_000 } };

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
  readonly outage?: { readonly how: Outage; readonly forMs: number };
  /** In the middle of the outage, or a minute after the keys died. */
  readonly then?: "restart" | "kill";
  readonly hours?: number;
}

/** Keys die, their answers are lost, and nobody else's; or nothing at all is answered for a while. */
export async function loseAnswers({ seed, keys, dead, lost, outage, then, hours = 2 }: LostWorld) {
  const town = new KeyCrowd({ seed, keys, ...LATENCY, service: { limits: LIMITS } });
  const { clock, service, keyTexts } = town.world;
  await town.run(2 * MINUTE_MS);
  const random = seededRandom(seed);
  const good = Array.from({ length: keys }, (_, n) => n);
  const bad = Array.from(
    { length: dead },
    () => good.splice(Math.floor(random.next() * good.length), 1)[0] ?? 0,
  );
  const deadKeys = bad.map((n) => keyTexts[n] ?? "");
  town.regenerate(bad);
  const loseSome = () => {
    const { share, of } = lost ?? { share: 0, of: "dead" };
    service.faults.set({ ...NO_FAULTS, resetAfter: share, onlyKeys: of === "all" ? [] : deadKeys });
  };
  const middle = async () => {
    if (then === "kill") await town.kill();
    if (then === "restart") await town.restart();
  };
  if (outage === undefined) {
    loseSome();
    await town.run(MINUTE_MS);
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
  await town.run(10 * MINUTE_MS);
  const firstMs = Math.min(...good.map((n) => firstAfter(town, n, endMs)));
  const nearlyAll = good.map((n) => firstAfter(town, n, endMs)).sort((a, b) => a - b);
  await town.run((hours * 60 - 10) * MINUTE_MS);
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
