import { seededRandom } from "../../support/clock.ts";
import { KeyCrowd } from "../../support/key-crowd.ts";

/** Days of many linked servers whose keys are refused; each function tells what was seen, so that it can run in a thread. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KEYS = 50;
/** A round trip of a second. */
const SLOW = { latencyMs: 450, jitterMs: 50 };

export type HowRefused = "running" | "restarted" | "after a night" | "killed";

function crowd(seed: number): KeyCrowd {
  return new KeyCrowd({ seed, keys: KEYS, ...SLOW });
}

function some(seed: number, count: number): readonly number[] {
  const random = seededRandom(seed);
  const all = Array.from({ length: KEYS }, (_, n) => n);
  return Array.from({ length: count }, () => all.splice(Math.floor(random.next() * all.length), 1)[0] ?? 0);
}

/** Some keys are refused at once; the hour after it. */
export async function refuseAtOnce(refused: number, how: HowRefused) {
  const town = crowd(refused);
  await town.run(MINUTE_MS);
  const bad = some(refused, refused);
  if (how === "restarted") await town.restart();
  if (how === "after a night") await town.restart(10 * HOUR_MS);
  town.regenerate(bad);
  const sinceMs = town.world.clock.nowMs();
  if (how === "killed")
    for (let n = 0; n < 5; n++) {
      await town.run(700 + 1_100 * n);
      await town.kill();
    }
  await town.run(3 * MINUTE_MS);
  // Polling what was found shows nothing more; the hour after it is what counts.
  town.release(town.answeredSince(sinceMs));
  await town.run(75 * MINUTE_MS);

  const parked = town.parkedEvents.map((source) => town.world.sources.indexOf(source as never));
  const good = town.answeredSince(sinceMs).filter((n) => !bad.includes(n));
  await town.close();
  return { bad, parked, good, ...refusals(town) };
}

/** The longest silence of each key that was answered since a wave of refused ones opened, by its number. */
export async function silencesInWave(): Promise<ReadonlyMap<number, number>> {
  const town = crowd(3);
  await town.run(5 * MINUTE_MS);
  town.regenerate(some(3, 12));
  const sinceMs = town.world.clock.nowMs() + 10_000;
  await town.run(10 * MINUTE_MS);
  const silences = town.answeredSince(sinceMs).map((n) => [n, town.longestSilenceMs(n, sinceMs)] as const);
  await town.close();
  return new Map(silences);
}

/** Killed at any moment, again and again, while many keys are refused. */
export async function killAtAnyMoment(seed: number) {
  const random = seededRandom(seed);
  const town = crowd(seed + 100);
  await town.run(MINUTE_MS);
  town.regenerate(some(seed, [12, 30, 49][seed % 3] ?? 49));
  for (let kill = 0; kill < 15; kill++) {
    await town.run(random.next() * (kill % 3 === 0 ? 5_000 : 400));
    await town.kill();
  }
  await town.run(3 * MINUTE_MS);
  await town.kill();
  await town.run(MINUTE_MS);
  town.release(town.answeredSince(0));
  await town.run(62 * MINUTE_MS);
  await town.close();
  return refusals(town);
}

/** For a second the service refuses every key. */
export async function refuseAllForASecond() {
  const town = crowd(77);
  await town.run(2 * MINUTE_MS);
  town.world.service.faults.set({ refuseKey: 1 });
  await town.run(1_000);
  town.world.service.faults.clear();
  const sinceMs = town.world.clock.nowMs();
  await town.run(62 * MINUTE_MS);
  const { parkedKeys } = town.world.client.state();
  const answered = town.answeredSince(sinceMs).length;
  await town.close();
  return { parkedKeys, answered, ...refusals(town) };
}

/** Timers that the process sets in the time in which a probe goes unanswered while keys wait to be checked. */
export async function timersBesideProbe(): Promise<{ readonly waiting: number; readonly timers: number }> {
  const town = crowd(5);
  const { clock, service, client } = town.world;
  await town.run(MINUTE_MS);
  town.regenerate(some(5, 12));
  await town.run(30_000);
  service.faults.set({ tooMany: 1, tooManyRetryAfterMs: 60_000 });
  await clock.until(() => client.halt() !== undefined);
  service.faults.set({ tooMany: 0, silent: 1 });
  await clock.advanceTo((client.halt()?.untilMs ?? 0) + 1_000);
  let timers = 0;
  const after = clock.after.bind(clock);
  clock.after = (delayMs, work) => {
    timers += 1;
    return after(delayMs, work);
  };
  const waiting = client.badKeys().waitingKeys;
  await town.run(5_000);
  await town.close();
  return { waiting, timers };
}

/** All keys are good while the process is killed after each of these times; how many are answered in two minutes then. */
export async function answeredAfterKills(livesMs: readonly number[]): Promise<number> {
  const town = crowd(livesMs.length);
  await town.run(5 * MINUTE_MS + 300);
  for (const lifeMs of livesMs) {
    await town.kill();
    await town.run(lifeMs);
  }
  await town.kill();
  const sinceMs = town.world.clock.nowMs();
  await town.run(2 * MINUTE_MS);
  const answered = town.answeredSince(sinceMs).length;
  await town.close();
  return answered;
}

function refusals({ mostRefusedInAnHour, world }: KeyCrowd) {
  return { mostRefusedInAnHour, bans: world.service.counts.bans };
}
