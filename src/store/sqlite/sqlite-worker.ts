import { fdatasync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { plainError } from "./plain-error.ts";
import type { FileOutcome } from "./requests.ts";
import { openServedFile } from "./served-file.ts";
import type { FromStoreThread, StoreThreadData, ToStoreThread } from "./thread-line.ts";

/**
 * The thread that has the store file: sqlite is synchronous, and a slow disk would hold up whoever waits for an answer.
 * It waits for the disk beside its own work, on threads that node has for that.
 */
async function serve(port: MessagePort, { path, lockWaitMs }: StoreThreadData): Promise<void> {
  const send = (message: FromStoreThread) => port.postMessage(message);
  let ended: (readonly [number, FileOutcome])[] = [];
  function end(id: number, outcome: FileOutcome): void {
    const crossing = outcome.kind === "refused" ? { ...outcome, error: plainError(outcome.error) } : outcome;
    // All of a group cross together.
    if (ended.push([id, crossing]) > 1) return;
    queueMicrotask(() => {
      const outcomes = ended;
      ended = [];
      send({ kind: "ended", outcomes });
    });
  }

  try {
    const file = await openServedFile({
      path,
      lockWaitMs,
      sleep,
      soon: (work, inMs) => (inMs > 0 ? setTimeout(work, inMs) : setImmediate(work)),
      monotonicMs: () => performance.now(),
      sync: promisify(fdatasync),
    });
    port.on("message", (message: ToStoreThread) => {
      if (message === "close") void file.close().then(() => port.close());
      else for (const [id, request] of message) file.take(request, (outcome) => end(id, outcome));
    });
    send({ kind: "open" });
  } catch (error) {
    send({ kind: "not-open", error: plainError(error) });
    port.close();
  }
}

if (parentPort !== null) await serve(parentPort, workerData as StoreThreadData);
