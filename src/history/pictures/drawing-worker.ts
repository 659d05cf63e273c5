import { parentPort } from "node:worker_threads";
import { serveCalls } from "../worker/serve-calls.ts";
import { yieldToMainThread } from "../worker/yield-to-main-thread.ts";
import type { DrawingQuestions } from "./drawing-thread.ts";
import { pngOf } from "./png.ts";

/** The thread that draws, and does nothing else: tens of milliseconds a picture, for which no question has to wait. */

if (parentPort !== null) {
  yieldToMainThread();
  serveCalls(parentPort, {
    async answer(_name, args) {
      const { pictures } = args as DrawingQuestions["draw"]["args"];
      return pictures.map((picture) => pngOf(picture));
    },
    explain: String,
    close: () => Promise.resolve(),
  });
  parentPort.postMessage({ kind: "ready" });
}
