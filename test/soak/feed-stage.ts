import { setTimeout as sleep } from "node:timers/promises";
import { openStage, type Stage } from "../../src/sandbox/stage.ts";
import { addFeeds, type Channels, differences, gapNotices, lengthsOf } from "../e2e/compare.ts";
import type { StoreMachine } from "./store-machine.ts";

export interface FeedStageOptions {
  readonly seed: number;
  /** Log entries while it runs; 240 is the sandbox's "frenzy". */
  readonly perMinute: number;
  /** How long Discord remembers a nonce. */
  readonly nonceMs: number;
  readonly machine: StoreMachine;
  /** Of the code that is started first; this one's without it. */
  readonly codeFolder?: string;
}

/** From the start of the process until its commands are there. */
const STARTS_WITHIN_MS = 120_000;

/**
 * The real bot between a town and an emulated Discord, with four feeds whose baselines are taken. `rounds` is called
 * while the town is busy and does its worst to the process; then the town stands still, the bot catches up, and the
 * channels are held against the town's own record: each entry exactly once, each moderator call one card with its final
 * state. Resolves with whether that is so; prints what it counted.
 */
export async function withFeeds(
  options: FeedStageOptions,
  rounds: (stage: Stage) => Promise<void>,
  afterwards: (stage: Stage) => Promise<void> = async () => undefined,
): Promise<boolean> {
  const { seed, machine, nonceMs, perMinute } = options;
  const stage = await openStage({
    seed,
    serverKey: "soakTown-soakServer",
    traffic: "quiet",
    live: true,
    environment: machine.environment,
  });
  stage.discord.limits.nonceWindowMs = nonceMs;
  stage.bot.codeFolder = options.codeFolder ?? stage.bot.codeFolder;
  let exact = false;
  try {
    const channels = await begin(stage, perMinute);
    const from = lengthsOf(stage.town.record);
    stage.town.resume();
    stage.town.setIntensity(perMinute);
    await rounds(stage);
    stage.town.pause();
    await reads(stage, 3);
    await quiet(stage);
    exact = report(stage, channels, from);
    await afterwards(stage);
  } finally {
    if (!exact) for (const line of stage.bot.lines.slice(-20)) console.log(line);
    await stage.close();
    await machine.close();
  }
  return exact;
}

/** An answer that comes when its call has left the log is seen by nobody: it shows the calls of ten minutes, one in twenty. */
function modCallsShown(perMinute: number): number {
  return Math.max(400, Math.ceil((10 * perMinute) / 20));
}

async function begin(stage: Stage, perMinute: number): Promise<Channels> {
  const { cast, town } = stage;
  await eventful(stage);
  town.pause();
  // So long that the bot's absence never opens a real gap: what is lost then was lost by the bot.
  Object.assign(town.windows, { joins: 400, kills: 400, commands: 400, modCalls: modCallsShown(perMinute) });
  stage.bot.start();
  // On a fresh Redis nobody claims for the length of a lease, and a busy machine starts a process slowly.
  const person = stage.discord.as(cast.owner);
  const isThere = () => person.commands(cast.channels.staff).some(({ name }) => name === "setup");
  await stage.discord.until(isThere, STARTS_WITHIN_MS);
  const channels = await addFeeds(stage);
  await reads(stage, 3);
  return channels;
}

/**
 * Waits until each log holds something: nobody knows how long an empty one gets before it drops rows, so its first rows
 * after an absence are rightly said to be perhaps not all.
 */
async function eventful({ town }: Stage): Promise<void> {
  town.setIntensity(240);
  const deadlineMs = performance.now() + 120_000;
  while (Object.values(lengthsOf(town.record)).some((length) => length < 2)) {
    if (performance.now() > deadlineMs) throw new Error("too little happens in the town");
    await sleep(100);
  }
}

/** Waits until the bot has read the server this many times more. */
export async function reads(stage: Stage, more: number): Promise<void> {
  const due = stage.service.counts.requests + more;
  const deadlineMs = performance.now() + 120_000;
  while (stage.service.counts.requests < due) {
    if (performance.now() > deadlineMs) throw new Error("the bot no longer reads the server");
    await sleep(50);
  }
}

/** Waits until nothing has been posted or edited for a while: what was owed is there, and what comes twice has come. */
async function quiet(stage: Stage): Promise<void> {
  let lastMs = performance.now();
  const stop = stage.discord.on(() => {
    lastMs = performance.now();
  });
  const deadlineMs = performance.now() + 300_000;
  while (performance.now() - lastMs < 12_000 && performance.now() < deadlineMs) await sleep(250);
  stop();
}

function report(stage: Stage, channels: Channels, from: ReturnType<typeof lengthsOf>): boolean {
  const found = differences(stage.discord, stage.town.record, channels, from);
  for (const { what, due, lost, repeated } of found) {
    console.log(`${what}: ${due} entries, ${lost.length} lost, ${repeated.length} repeated or wrong`);
    for (const entry of lost.slice(0, 10)) console.log(`  lost: ${entry}`);
    for (const entry of repeated.slice(0, 10)) console.log(`  repeated or wrong: ${entry}`);
  }
  const gaps = gapNotices(stage.discord, channels);
  const { avoidable, requests } = stage.service.counts;
  for (const notice of gaps) console.log(`  ${notice}`);
  console.log(`gap notices: ${gaps.length}; ${requests} requests, ${avoidable} sent during a wait`);
  const exact = found.every(({ due, lost, repeated }) => due > 0 && lost.length + repeated.length === 0);
  return exact && gaps.length === 0 && avoidable === 0;
}
