import { fdatasyncSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../domain/failure.ts";
import type { FileAnswer, FileRequest, StoreLine } from "./requests.ts";
import { openServedFile } from "./served-file.ts";
import type { StoreThreadData } from "./thread-line.ts";

/**
 * The same without a thread, for tools that have nothing else to do, and where a test's clock must not move meanwhile: a
 * slow disk holds up its caller. Rejects as the opening does.
 */
export async function openCallerLine({ path, lockWaitMs }: StoreThreadData): Promise<StoreLine> {
  const file = await openServedFile({
    path,
    lockWaitMs,
    sleep,
    soon: queueMicrotask,
    sync: async (descriptor) => fdatasyncSync(descriptor),
  });
  let closed: Promise<void> | undefined;
  return {
    ask: <R extends FileRequest>(request: R) =>
      new Promise<FileAnswer<R>>((resolve, reject) => {
        if (closed !== undefined) throw new StoreError(`${path}: it is closed`);
        file.take(request, (outcome) => {
          if (outcome.kind === "refused") reject(outcome.error);
          // The answer is that of this request; the pairing is lost on the type checker only.
          else resolve(outcome.value as FileAnswer<R>);
        });
      }),
    close: () => {
      closed ??= file.close();
      return closed;
    },
    lost: new Promise(() => undefined),
  };
}
