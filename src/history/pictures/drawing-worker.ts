import { parentPort, workerData } from "node:worker_threads";
import { serveCalls } from "../worker/serve-calls.ts";
import { yieldToMainThread } from "../worker/yield-to-main-thread.ts";
import type { DrawingOptions, DrawingQuestions } from "./drawing-thread.ts";
import { imageOf, shrunkMap } from "./image.ts";
import { readMapImage } from "./map/map-image.ts";

/** The thread that draws, and does nothing else: tens of milliseconds a picture, for which no question has to wait. */

/** Somebody waits for a picture: before rows that are only recorded, behind first answers. */
const PRIORITY = 5;

if (parentPort !== null) {
  const { mapImage } = workerData as DrawingOptions;
  const read = mapImage === undefined ? undefined : readMapImage(mapImage, shrunkMap);
  const image = read === undefined || "why" in read ? undefined : read;
  yieldToMainThread({ priority: PRIORITY });
  serveCalls(parentPort, {
    async answer(name, args) {
      if (name === "mapImage") return read !== undefined && "why" in read ? read.why : null;
      const { pictures } = args as DrawingQuestions["draw"]["args"];
      return pictures.map((picture) => imageOf(picture, image));
    },
    explain: String,
    close: () => Promise.resolve(),
  });
  parentPort.postMessage({ kind: "ready" });
}
