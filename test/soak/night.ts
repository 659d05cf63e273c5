import { parseArgs } from "node:util";
import { badNight, type Troubles } from "../support/bad-night.ts";
import { Fleet } from "../support/fleet.ts";

const MINUTE_MS = 60_000;
const EVENTS = 7;

/**
 * The bad night: three blocks and two standbys on a real Redis with a replica, 300 servers, 600 entries a minute. A block
 * is killed, one stands still for a minute, Redis is killed, fails over to a replica that is a second behind and refuses
 * writes, the service says stop, Discord answers 503 for ten minutes and drops its sessions.
 *
 *   npm run soak -- night [--minutes 120] [--rounds 1] [--seeds 1,2,3] [--servers 300]
 *     [--per-minute 600]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "120" },
      rounds: { type: "string", default: "1" },
      seeds: { type: "string", default: "1,2,3" },
      servers: { type: "string", default: "300" },
      "per-minute": { type: "string", default: "600" },
    },
  });
  const troubles = troublesOf(Number(values.minutes) * MINUTE_MS, Number(values.rounds));
  let held = true;
  for (const seed of values.seeds.split(",").map(Number)) {
    const fleet = await Fleet.open({
      seed,
      communities: Number(values.servers),
      perMinute: Number(values["per-minute"]),
      blocks: 3,
      shardsOfBlock: 2,
      standbys: 2,
      perSecond: 35,
    });
    try {
      await fleet.begin();
      console.log(`seed ${seed}: the night begins`);
      const morning = await badNight(fleet, troubles, (line) => console.log(`  ${line}`));
      const { found, unexplained, repeatedCommands, unanswered, unfinished, avoidable, onTheirWay } = morning;
      console.log(
        `  ${found.due} entries, ${found.lost.length} lost, ${found.repeated.length} repeated or wrong`,
      );
      console.log(`  ${found.gaps.length} gap notices, ${unexplained.length} lost without one`);
      console.log(
        `  ${morning.commands} commands, ${repeatedCommands.length} twice, ${unanswered.length} unanswered, ` +
          `${unfinished.length} still said to wait`,
      );
      console.log(
        `  ${morning.requests} requests, ${avoidable} into a halt that was known, ${onTheirWay} on their way then, ` +
          `${morning.answers429Per1000} in 1,000 refused`,
      );
      for (const entry of [...unexplained, ...found.repeated].slice(0, 20)) console.log(`  ${entry}`);
      for (const text of [...repeatedCommands, ...unanswered, ...unfinished].slice(0, 20))
        console.log(`  ${text}`);
      if (!morning.held) fleet.tell();
      held &&= morning.held;
    } catch (error) {
      fleet.tell();
      throw error;
    } finally {
      await fleet.close();
    }
  }
  return held;
}

/**
 * The night as described in two hours; a shorter one, or one whose troubles come several times, has shorter troubles, but
 * none shorter than what it tries.
 */
function troublesOf(nightMs: number, rounds: number): Troubles {
  const lengthMs = nightMs / rounds;
  const part = (ofNightMs: number, leastMs: number) =>
    Math.max(leastMs, Math.min(ofNightMs, (ofNightMs * lengthMs) / (120 * MINUTE_MS)));
  const troubles = {
    frozenMs: part(MINUTE_MS, 15_000),
    redisAwayMs: part(MINUTE_MS, 5_000),
    replicaBehindMs: 1_000,
    blockedMs: part(5 * MINUTE_MS, 8_000),
    discordAwayMs: part(10 * MINUTE_MS, 10_000),
    diskFullMs: part(MINUTE_MS, 5_000),
  };
  const busyMs = Object.values(troubles).reduce((sum, ms) => sum + ms, 0);
  return { ...troubles, rounds, betweenMs: Math.max(5_000, (lengthMs - busyMs) / (EVENTS + 1)) };
}
