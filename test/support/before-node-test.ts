import hooks from "node:async_hooks";
import process from "node:process";
import { inspect } from "node:util";

/**
 * Loaded before node:test (`--import`). node:test follows every promise, so that it can name the test of a rejection that
 * nobody handles; tests that make very many promises take up to four times as long with it. Without it such a rejection
 * still fails the run (`reporter.ts`), and its stack is printed here.
 */
const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
process.on("unhandledRejection", (reason) => {
  // Threads load this file too, without node:test: there it ends the thread, as it does without us.
  if (process.listenerCount("unhandledRejection") === 1) throw reason;
  process.stderr.write(`\nnobody handled: ${inspect(reason)}\n`);
});
