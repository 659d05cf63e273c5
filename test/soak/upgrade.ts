import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Stage } from "../../src/sandbox/stage.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { reads, withFeeds } from "./feed-stage.ts";
import { feedSoakOptions } from "./options.ts";
import { LEASE_WAIT_MS, openMachine } from "./store-machine.ts";

/** Before the outbox and the journal were wings of their own: the oldest Marshal whose store today's opens. */
const EARLIER = "ae8e4a4";
const HERE = fileURLToPath(new URL("../..", import.meta.url));
/** Posts come due meanwhile. */
const OUTAGE_MS = 8_000;

/**
 * An earlier Marshal ends in the middle of an outage of Discord, with posts due, by a kill and by a stop; today's goes on
 * from its store. Then the earlier one is started again and has to refuse the store.
 *
 *   npm run soak -- upgrade [--from COMMIT] [--times 2] [--stores sqlite,redis] [--per-minute 240]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: { from: { type: "string", default: EARLIER } },
    strict: false,
    tokens: true,
  });
  const from = tokens.find((token) => token.kind === "option" && token.name === "from");
  const rest = from === undefined ? args : args.toSpliced(from.index, 2);
  const { times, seed, perMinute, stores, noncesMs } = feedSoakOptions(rest, {
    times: 2,
    stores: "sqlite,redis",
    nonces: "130",
  });
  const earlier = checkedOut(String(values.from));
  let held = true;
  try {
    for (const store of stores) {
      for (let time = 0; time < times; time++) {
        const how = time % 2 === 0 ? "kill" : "stop";
        console.log(`${store}, from ${values.from}, which ends by a ${how}`);
        const machine = await openMachine(store);
        const [nonceMs = 130_000] = noncesMs;
        const options = { seed: seed + time, perMinute, nonceMs, machine, codeFolder: earlier.path };
        let isRefused = false;
        const exact = await withFeeds(
          options,
          (stage) => upgrade(stage, how, LEASE_WAIT_MS[store]),
          async (stage) => {
            isRefused = await refuses(stage, earlier.path, LEASE_WAIT_MS[store]);
          },
        );
        console.log(
          isRefused ? "the earlier one refuses the store" : "the earlier one does NOT refuse the store",
        );
        held &&= exact && isRefused;
      }
    }
  } finally {
    earlier.remove();
  }
  return held;
}

async function upgrade(stage: Stage, how: "kill" | "stop", leaseWaitMs: number): Promise<void> {
  const { bot, discord } = stage;
  await reads(stage, 5);
  discord.faults.set({ outage: "5xx" });
  await sleep(OUTAGE_MS);
  await (how === "kill" ? bot.kill() : bot.stop());
  bot.codeFolder = HERE;
  bot.start();
  await sleep(leaseWaitMs + OUTAGE_MS);
  discord.faults.clear();
  await reads(stage, 5);
}

/** Whether the earlier Marshal ends with one line that says so, on a store that today's has written. */
async function refuses({ bot }: Stage, codeFolder: string, leaseWaitMs: number): Promise<boolean> {
  await bot.stop();
  const ended = Promise.withResolvers<number | null>();
  bot.onExit(({ code }) => ended.resolve(code));
  bot.codeFolder = codeFolder;
  const errors: string[] = [];
  const unheard = bot.onLine((line) => /"level":[56]0/.test(line) && errors.push(line));
  bot.start();
  const code = await Promise.race([ended.promise, sleep(leaseWaitMs + 30_000, undefined, { ref: false })]);
  unheard();
  for (const line of errors) console.log(`  ${line}`);
  await bot.stop();
  bot.codeFolder = HERE;
  return code === 1 && errors.length === 1 && /(written by|from) a newer Marshal/.test(errors[0] ?? "");
}

/** The code of a commit, with its own packages: today's are others. */
function checkedOut(commit: string) {
  const folder = tempFolder();
  const tar = execFileSync("git", ["archive", commit], { cwd: HERE, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder.path], { input: tar });
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder.path, stdio: "inherit" });
  return folder;
}
