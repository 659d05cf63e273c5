import { Failure } from "../../src/domain/failure.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { seededRandom } from "./clock.ts";
import { KeyCrowd } from "./key-crowd.ts";
import { stranger, World, within } from "./limit-run.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** An answer takes 150 ms, at a limit of 35 a second. */
const NEAR = { latencyMs: 75, jitterMs: 2 };
const PER_S = 35;
const POLLS_AT_ONCE = 20;
const MEASURED_S = 20;

/** Polls a second of linked servers, before and after two guilds have each typed wrong keys until they were stopped. */
export async function pollsBesideWrongKeys(): Promise<{ readonly before: number; readonly beside: number }> {
  const keys = 200;
  const limits = { global: { limit: PER_S, windowMs: 1_000 } };
  const world = new World({ seed: 5, keys, ...NEAR, service: { limits } });
  let isOver = false;
  let asked = 0;
  let answered = 0;
  const poll = (): void => {
    if (isOver) return;
    asked += 1;
    const onAnswered = () => {
      answered += 1;
      poll();
    };
    world.client.read(world.source(asked % keys), [], { priority: "poll" }).then(onAnswered, poll);
  };
  const measure = async () => {
    const from = answered;
    await world.clock.advance(MEASURED_S * 1_000);
    return (answered - from) / MEASURED_S;
  };

  for (let n = 0; n < POLLS_AT_ONCE; n++) poll();
  await world.clock.advance(15_000);
  const before = await measure();
  for (let n = 0; n < 8; n++) {
    const typed = world.client.verifyKey(new ServerKey(`wrong-${n}`), stranger(`guild-${n % 2}`));
    await within(world, typed).catch(() => {});
  }
  const beside = await measure();
  isOver = true;
  await world.close();
  return { before, beside };
}

/**
 * Minutes until a guild whose key is good has it linked, beside two that type wrong ones again and again, each as soon as
 * it may and every ten seconds in between. The guild tries again when it was told to; it begins after so many minutes.
 */
export async function minutesToLink(afterMinutes: number): Promise<number> {
  const world = new World({ seed: 6, keys: 3, ...NEAR });
  const good = "good-key-of-a-third";
  world.service.addServer(good);
  let typed = 0;
  const typeWrong = async (guildId: string) => {
    await world.client.verifyKey(new ServerKey(`wrong-${typed++}`), stranger(guildId)).catch(() => {});
  };
  let isOver = false;
  const typeOnAndOn = async (guildId: string) => {
    for (; !isOver; await world.clock.sleep(10_000)) await typeWrong(guildId);
  };
  for (const guildId of ["first", "second"]) void typeOnAndOn(guildId);
  await world.clock.advance(afterMinutes * MINUTE_MS);
  const beginMs = world.clock.nowMs();
  const link = async () => {
    for (;;) {
      const refused = await world.client
        .verifyKey(new ServerKey(good), stranger("third"))
        .catch((error) => error);
      if (!(refused instanceof Failure)) return;
      await world.clock.sleep((refused.retryAtMs ?? 0) - world.clock.nowMs());
    }
  };
  await within(world, link(), 24 * HOUR_MS);
  const minutes = (world.clock.nowMs() - beginMs) / MINUTE_MS;
  isOver = true;
  await world.close();
  return minutes;
}

export interface DyingKeys {
  /** Of the good keys: read in the last ten minutes before this time. */
  readonly servedAfter: (hours: number) => number;
  /** Hours until every good key was read; infinite where that took more than a day. */
  readonly allServedAfterH: number;
  readonly mostRefused: number;
  readonly bans: number;
}

/** Servers that are read all the time, as often as the service allows; the keys of a fifth are refused at once. */
export async function dyingKeys({
  seed,
  keys = 200,
  perSecond = 6,
}: {
  readonly seed: number;
  readonly keys?: number;
  readonly perSecond?: number;
}): Promise<DyingKeys> {
  const crowd = new KeyCrowd({
    seed,
    keys,
    ...NEAR,
    service: { limits: { global: { limit: perSecond, windowMs: 1_000 } } },
  });
  await crowd.run(3 * MINUTE_MS);
  const random = seededRandom(seed);
  const all = Array.from({ length: keys }, (_, n) => n);
  const bad = Array.from(
    { length: keys / 5 },
    () => all.splice(Math.floor(random.next() * all.length), 1)[0] ?? 0,
  );
  crowd.regenerate(bad);
  const sinceMs = crowd.world.clock.nowMs();
  const served: number[] = [];
  let allServedAfterH = Number.POSITIVE_INFINITY;
  for (let hour = 0.25; hour <= 12; hour += 0.25) {
    await crowd.run(HOUR_MS / 4);
    const lately = crowd.world.clock.nowMs() - 10 * MINUTE_MS;
    const count = crowd.answeredSince(lately).filter((n) => !bad.includes(n)).length;
    served.push(count);
    if (count === all.length) {
      allServedAfterH = (crowd.world.clock.nowMs() - sinceMs) / HOUR_MS;
      break;
    }
  }
  const { bans } = crowd.world.service.counts;
  await crowd.close();
  return {
    servedAfter: (hours) => served[Math.min(served.length, 4 * hours) - 1] ?? 0,
    allServedAfterH,
    mostRefused: crowd.mostRefusedInAnHour,
    bans,
  };
}
