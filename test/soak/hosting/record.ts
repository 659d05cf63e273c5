import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { commandIsThere } from "../../../src/sandbox/moves.ts";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { alerts, root, yamlOf } from "../../deploy/deploy-files.ts";
import { metricsIn, SeriesRecorder } from "../../deploy/recorded-series.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { FAULTS } from "./faults.ts";

const EVERY_S = 30;
/** Looks at processes that are well, before a fault begins. */
const WELL = 2;
/** Starting a process takes a core for seconds. */
const START_APART_MS = 5_000;

/**
 * Records what real processes answer on /metrics under each fault, all faults side by side, into `test/deploy/series/`: what
 * the rules of `deploy/grafana/alerts.yml` are tested against by `npm test`.
 *
 *   npm run soak -- series [--minutes 24] [--only NAME,NAME]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: "string", default: "24" }, only: { type: "string" } },
  });
  const names = values.only?.split(",") ?? Object.keys(FAULTS);
  const samples = Math.ceil((Number(values.minutes) * 60) / EVERY_S);
  const made = names.map(async (name, at) => {
    await sleep(at * START_APART_MS);
    return await record(name, samples).catch((error: unknown) => {
      console.log(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      return false;
    });
  });
  return (await Promise.all(made)).every((isMade) => isMade);
}

async function record(fault: string, samples: number): Promise<boolean> {
  const ends: (() => unknown)[] = [];
  const place = await FAULTS[fault]?.(ends);
  if (place === undefined) {
    console.log(`${fault}: not recorded here`);
    return true;
  }
  const { begin, goOn, isElsewhere, ...options } = place;
  const stage = await openStage({
    seed: 11,
    serverKey: "hostTown-hostServer",
    traffic: "quiet",
    live: true,
    ...options,
  });
  try {
    stage.bot.start();
    await commandIsThere(stage, stage.cast.owner, stage.cast.channels.staff, "setup");
    for (const other of stage.bots.slice(1)) other.start();
    if (!isElsewhere) await addFeeds(stage);
    stage.town.setIntensity("normal");
    const recorder = new SeriesRecorder(metricsIn(expressions()));
    for (let sample = 0; sample < samples; sample++) {
      if (sample === WELL) await begin(stage);
      if (sample > WELL) void Promise.resolve(goOn?.(stage, sample)).catch(() => undefined);
      const next = sleep(EVERY_S * 1_000);
      recorder.add(await answersOf(stage));
      await next;
    }
    const file = join(root, "test/deploy/series", `${fault}.json`);
    writeFileSync(file, `${JSON.stringify(recorder.recording(fault, EVERY_S), undefined, 2)}\n`);
    console.log(`${fault}: recorded`);
    return true;
  } finally {
    for (const bot of stage.bots) await bot.kill();
    stage.discord.faults.clear();
    await stage.close().catch(() => undefined);
    for (const end of ends.reverse()) await end();
  }
}

function expressions(): readonly string[] {
  return yamlOf("deploy/grafana/alerts.yml", alerts).flatMap(({ groups }) =>
    groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  );
}

async function answersOf({ bots }: Stage): Promise<ReadonlyMap<string, string | undefined>> {
  const asked = bots.map(async ({ opsAddress }, at) => {
    const text = await fetch(`http://${opsAddress}/metrics`, { signal: AbortSignal.timeout(10_000) }).then(
      (answer) => answer.text(),
      () => undefined,
    );
    return [at === 0 ? "marshal:9464" : "standby:9464", text] as const;
  });
  return new Map(await Promise.all(asked));
}
