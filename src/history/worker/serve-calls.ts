import type { MessagePort } from "node:worker_threads";
import type { Call, FromWorker } from "./protocol.ts";

/** What a thread does for the main one. */
export interface ThreadDuty {
  /** Answers a question by its name, or rejects. */
  answer(name: string, args: unknown): Promise<unknown>;
  /** A failure in words for the operator. */
  explain(error: unknown): string;
  /** Nothing more is asked. */
  close(): Promise<void>;
}

/** Answers what `WorkerClient` asks through this port, until it says "close"; then the thread ends. */
export function serveCalls(port: MessagePort, duty: ThreadDuty): void {
  async function answer({ id, name, args }: Call): Promise<FromWorker> {
    try {
      return { kind: "answer", id, value: await duty.answer(name, args) };
    } catch (error) {
      const isDefect =
        error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
      const message = isDefect && error.stack !== undefined ? error.stack : duty.explain(error);
      return { kind: "failed", id, message, isDefect };
    }
  }

  port.on("message", (call: Call | "close") => {
    if (call === "close") void duty.close().finally(() => port.close());
    else void answer(call).then((answered) => port.postMessage(answered));
  });
}
