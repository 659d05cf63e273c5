import { seededRandom } from "./clock.ts";
import { World } from "./limit-run.ts";

export interface PhaseOptions {
  /** Where in a second of the service's the process starts, as one of ten. */
  readonly phase: number;
  readonly windowMs: number;
  readonly align: "first-request" | "clock";
  /** As in WorldOptions. */
  readonly stallMs: number;
}

export interface PhaseResult {
  /** Share of the limit, from the thirteenth window on. */
  readonly used: number;
  readonly requests: number;
  readonly answers429: number;
}

const PER_S = 35;
const KEYS = 200;
const POLLS_AT_ONCE = 8;
const PEOPLE_PER_S = 6;
/** Until the end of windows is known. */
const LEARNING_WINDOWS = 12;
const MEASURED_WINDOWS = 8;
const MEASURED_AT_LEAST_MS = 20_000;

/**
 * Polls that use whatever they get, and people who ask beside them, over a round trip of a few milliseconds: what of
 * the limit a process uses must not depend on where its windows lie between the whole seconds that resets are told in.
 */
export async function usedInPhase({ phase, windowMs, align, stallMs }: PhaseOptions): Promise<PhaseResult> {
  const world = new World({
    seed: phase + 1,
    keys: KEYS,
    badKeyBudget: 40,
    latencyMs: 1,
    jitterMs: 1,
    skewMs: phase * 100,
    stallMs,
    service: { limits: { global: { limit: (PER_S * windowMs) / 1_000, windowMs }, align } },
  });
  const { clock, client, service } = world;
  const random = seededRandom(phase);
  const measuredMs = Math.max(MEASURED_AT_LEAST_MS, MEASURED_WINDOWS * windowMs);
  const endMs = clock.monotonicMs() + LEARNING_WINDOWS * windowMs + measuredMs;
  const ignore = () => {};

  let polls = 0;
  const poll = (): void => {
    if (clock.monotonicMs() >= endMs) return;
    polls += 1;
    client.read(world.source(polls % KEYS), [], { priority: "poll" }).then(poll, poll);
  };
  for (let count = 0; count < POLLS_AT_ONCE; count++) poll();
  const askUntil = async (untilMs: number) => {
    while (clock.monotonicMs() < untilMs) {
      await clock.advance((-Math.log(1 - random.next()) / PEOPLE_PER_S) * 1_000);
      const n = Math.floor(random.next() * KEYS);
      client.read(world.source(n), [], { priority: "person", guildId: `guild${n}` }).then(ignore, ignore);
    }
  };

  await askUntil(endMs - measuredMs);
  const before = service.counts.requests;
  const startMs = clock.monotonicMs();
  await askUntil(endMs);
  const measuredS = (clock.monotonicMs() - startMs) / 1_000;
  const { requests, answers429 } = service.counts;
  await world.close();
  return { used: (requests - before) / (PER_S * measuredS), requests, answers429 };
}
