import { parentPort } from "node:worker_threads";

/** A store's thread that opens and dies of the first thing that it is asked. */
parentPort?.on("message", () => {
  throw new Error("out of order");
});
parentPort?.postMessage({ kind: "open" });
