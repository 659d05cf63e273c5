import { buildMarshal } from "../../src/build-marshal.ts";
import { systemClock, systemRandom } from "../../src/clock.ts";
import { environment, readConfig, secretsOf } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { settledHeapBytes } from "./heap.ts";

/**
 * The whole bot, for the bench `footprint`, in a process of its own: its environment is what an operator gives it.
 * Tells the parent how much heap it holds once it has logged in, and with how many guilds and feeds; then it stops.
 */
const config = readConfig(environment());
const secrets = secretsOf(config, environment());
const log = createLog({ level: config.logLevel, secrets, write: () => undefined });
const marshal = await buildMarshal(config, { log, clock: systemClock, random: systemRandom });
await marshal.start();
const heapBytes = await settledHeapBytes();
const { discord, feeds } = marshal.ops.state;
process.send?.({ heapBytes, discord: discord?.(), feeds: await feeds?.() });
for (const step of marshal.steps) await step.run();
process.disconnect?.();
