import process from "node:process";
import { buildMarshal } from "./build-marshal.ts";
import { systemClock, systemRandom } from "./clock.ts";
import { type Config, ConfigError, environment, isShared, readConfig, secretsOf } from "./config.ts";
import { LoginError } from "./discord/connection/log-in.ts";
import { StoreError } from "./domain/failure.ts";
import { mistypedNames } from "./expected-values.ts";
import {
  collectGarbageSooner,
  leaveThreadsTheirLimits,
  makeAllObjectsYoung,
  watchHeap,
} from "./heap-limits.ts";
import { createLog } from "./log.ts";
import type { Marshal, Runtime } from "./marshal.ts";
import { onceReachable } from "./once-reachable.ts";
import { createMetrics } from "./ops/metrics.ts";
import { OpsFront } from "./ops/ops-front.ts";
import { OpsAddress, OpsError } from "./ops/ops-server.ts";
import { Shutdown } from "./ops/shutdown.ts";
import { watchWallClock } from "./ops/wall-clock-watch.ts";

/** The process: environment, log, signals, ops address. A start that fails is one clear line and exit code 1. */
async function run(): Promise<void> {
  leaveThreadsTheirLimits();
  makeAllObjectsYoung();
  const usedBytes = () => process.memoryUsage().heapUsed;
  watchHeap({ clock: systemClock, usedBytes, onLarge: collectGarbageSooner });
  const config = configOrLines();
  if (config === undefined) return;
  const secrets = secretsOf(config, environment());
  const log = createLog({ level: config.logLevel, secrets, pretty: process.stdout.isTTY === true });
  for (const line of mistypedNames(Object.keys(environment()))) log.warn({}, line);
  keepAlive();
  const exit = (code: number) => process.exit(code);
  const shutdown = new Shutdown({ clock: systemClock, log, exit });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => shutdown.onSignal(signal));
  try {
    const metrics = createMetrics({ ofProcess: true });
    const front = new OpsFront({ metrics, conceal: log.conceal });
    const ops = new OpsAddress(config, front, log);
    // One on sqlite has nothing to wait for, and a second one there is told of the file and not of the port.
    if (isShared(config.storeUrl)) await ops.open();
    const waiting = new AbortController();
    shutdown.add({ name: "start", withinMs: 1_000, run: () => waiting.abort(new Error("stopping")) });
    const runtime = { log, clock: systemClock, random: systemRandom, metrics };
    const patience = { clock: systemClock, log, front, signal: waiting.signal };
    const marshal = await onceReachable(() => build(config, runtime), patience);
    front.show(marshal.ops);
    await ops.open();
    shutdown.addThose(() => marshal.steps);
    const unwatch = watchWallClock({ clock: systemClock, log });
    shutdown.add({ name: "wall clock", withinMs: 1_000, run: unwatch });
    shutdown.add({ name: "ops", withinMs: 1_000, run: () => ops.close() });
    await marshal.start();
    void marshal.ended.then((reason) => {
      log.error({}, reason);
      return shutdown.stop("Marshal can't go on", 1);
    });
  } catch (error) {
    // What was still being started ends in the middle, and the stop says the rest.
    if (shutdown.isStopping) return;
    // What an operator can mend is said in its own words; anything else is a defect and keeps its stack.
    const expected = error instanceof StoreError || error instanceof OpsError || error instanceof LoginError;
    log.error(expected ? {} : { err: error }, expected ? error.message : "Marshal could not start");
    // That line says it all: nothing was under way.
    await shutdown.stop("the start failed", 1, "debug");
  }
}

/** Timers of the clock keep no process alive: one that waits for its store and listens nowhere would end without a word. */
function keepAlive(): void {
  setInterval(() => undefined, 3_600_000);
}

async function build(config: Config, runtime: Runtime): Promise<Marshal> {
  if (!isShared(config.storeUrl)) return await buildMarshal(config, runtime);
  // Only here: without Redis its client would be a third of all files that a start reads.
  const { buildCluster } = await import("./build-cluster.ts");
  return await buildCluster(config, runtime);
}

function configOrLines(): Config | undefined {
  try {
    return readConfig(environment());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = [...error.lines, ...mistypedNames(Object.keys(environment()))];
    process.stderr.write(`Marshal cannot start:\n${lines.map((line) => `  ${line}\n`).join("")}`);
    process.exitCode = 1;
    return undefined;
  }
}

if (import.meta.main) await run();
