import { parentPort } from "node:worker_threads";
import { serveCalls } from "../../src/history/worker/serve-calls.ts";

/** A thread of tests: it repeats what it is told, and ends when it is told to. */

if (parentPort !== null) {
  serveCalls(parentPort, {
    async answer(name, args) {
      if (name === "end") process.exit(1);
      return args;
    },
    explain: String,
    close: () => Promise.resolve(),
  });
  parentPort.postMessage({ kind: "ready" });
}
