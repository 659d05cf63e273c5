import type { Picture } from "../../domain/stats.ts";
import { WorkerClient, type WorkerClientParts } from "../worker/worker-client.ts";
import type { MapImageFile } from "./map/map-image.ts";
import type { DrawOptions } from "./picture-desk.ts";

/** What the thread that draws can be asked; a type, since an interface would be no record of questions. */
export type DrawingQuestions = {
  readonly draw: {
    readonly args: { readonly pictures: readonly Picture[] };
    readonly answer: readonly Uint8Array[];
  };
  /** Why the operator's picture of the map is not used; null: it is, or there is none. */
  readonly mapImage: { readonly args: object; readonly answer: string | null };
};

export interface DrawingOptions {
  readonly mapImage: MapImageFile | undefined;
}

/** The thread that draws, from the main one. */
export interface DrawingThread {
  /**
   * PNGs, in the order of the pictures. @throws Failure "store" when the thread fails or does not answer within
   * `withinMs` @default 30_000
   */
  draw(pictures: readonly Picture[], options?: DrawOptions): Promise<readonly Uint8Array[]>;
  /** Why the operator's picture of the map is not used; null: it is, or there is none. */
  mapImage(): Promise<string | null>;
  /** Ends the thread; nothing is drawn after it. */
  stop(): Promise<void>;
}

/** The first pictures of a process wait until charts and fonts are loaded. */
const DRAWN_WITHIN_MS = 30_000;
/** Charts and fonts, and the pictures of one question. */
const HEAP_MB = 256;

/** Starts its thread with the first pictures: most bots draw none for days, and charts take memory. */
export function createDrawingThread({
  mapImage,
  ...parts
}: Omit<WorkerClientParts, "file" | "options" | "heapMb" | "whatFails"> & DrawingOptions): DrawingThread {
  const client = new WorkerClient<DrawingQuestions>({
    ...parts,
    file: new URL("./drawing-worker.ts", import.meta.url),
    options: { mapImage } satisfies DrawingOptions,
    heapMb: HEAP_MB,
    whatFails: "The pictures cannot be drawn",
  });
  let isStarted = false;
  const start = () => {
    if (!isStarted) client.start();
    isStarted = true;
  };
  return {
    mapImage() {
      start();
      return client.call("mapImage", {}, { withinMs: DRAWN_WITHIN_MS });
    },
    draw(pictures, options) {
      start();
      return client.call("draw", { pictures }, { withinMs: DRAWN_WITHIN_MS, ...options });
    },
    stop: () => client.stop(),
  };
}
