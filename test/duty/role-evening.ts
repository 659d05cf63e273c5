import { seededRandom, VirtualClock } from "../support/clock.ts";
import { FakeSink } from "../support/fake-sink.ts";
import { outboxOver } from "../support/outbox.ts";
import { RoleWorld, role } from "./role-world.ts";

/** A shift of an evening is on average so long. */
const SHIFT_MS = 90 * 60_000;
const MINUTE_MS = 60_000;

/** Guilds whose staff come and go; a fifth of them begins in the five minutes after a full hour, when sessions start. */
export async function liveEvening(plan: {
  readonly guilds: number;
  readonly staff: number;
  readonly minutes: number;
  readonly seed: number;
}): Promise<{ readonly p50S: number; readonly p95S: number; readonly given: number; readonly left: number }> {
  const random = seededRandom(plan.seed);
  const clock = new VirtualClock();
  const outbox = outboxOver(new FakeSink(clock), clock);
  const waitsMs: number[] = [];
  let left = 0;
  const lives: Promise<void>[] = [];
  for (let guild = 0; guild < plan.guilds; guild += 1) {
    const world = new RoleWorld(clock);
    const roles = world.start(undefined, (members) =>
      outbox.roles({
        has: async (wanted) => {
          await clock.sleep(150);
          return await members.has(wanted);
        },
        give: async (wanted) => {
          await clock.sleep(200);
          return await members.give(wanted);
        },
        take: async (wanted) => {
          await clock.sleep(200);
          return await members.take(wanted);
        },
      }),
    );
    const on = new Set<string>();
    const wish = () => roles.want(`g${guild}`, [...on].map(role));
    // Each guild is looked at once when a process starts.
    void wish();
    const live = async (userId: string) => {
      await clock.sleep(2 * MINUTE_MS);
      const isAtHour = random.next() < 0.2;
      const hours = Math.floor((random.next() * plan.minutes) / 60);
      await clock.sleep(
        isAtHour
          ? hours * 60 * MINUTE_MS + random.next() * 5 * MINUTE_MS
          : random.next() * plan.minutes * MINUTE_MS,
      );
      const startedMs = clock.monotonicMs();
      on.add(userId);
      await wish();
      if (world.roles.has(`${userId} r`)) waitsMs.push(clock.monotonicMs() - startedMs);
      await clock.sleep(SHIFT_MS * (0.2 + 1.6 * random.next()));
      on.delete(userId);
      await wish();
      if (world.roles.has(`${userId} r`)) left += 1;
    };
    for (let nth = 0; nth < plan.staff; nth += 1) lives.push(live(`u${nth}`));
  }
  await clock.advance((plan.minutes + 300) * MINUTE_MS);
  await Promise.all(lives);
  const sorted = waitsMs.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.POSITIVE_INFINITY) / 1_000;
  return { p50S: at(0.5), p95S: at(0.95), given: sorted.length, left };
}
