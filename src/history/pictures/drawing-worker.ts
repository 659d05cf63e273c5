import { parentPort } from "node:worker_threads";
import { serveCalls } from "../worker/serve-calls.ts";
import { yieldToMainThread } from "../worker/yield-to-main-thread.ts";
import type { DrawingQuestions } from "./drawing-thread.ts";
import { pngOf } from "./png.ts";

/** The thread that draws, and does nothing else: tens of milliseconds a picture, for which no question has to wait. */

/** Somebody waits for a picture: before rows that are only recorded, behind first answers. */
const PRIORITY = 5;

if (parentPort !== null) {
  yieldToMainThread({ priority: PRIORITY });
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
