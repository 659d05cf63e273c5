import { SinkRefusal } from "../../domain/failure.ts";
import type { Remover, Sink } from "../../domain/ports/sink.ts";

export interface SinkProgress {
  /** Messages and edits that Discord has taken. */
  readonly taken: number;
  /** The last attempt failed because Discord failed or could not be reached. */
  readonly failing: boolean;
}

/** The same sink, which counts what Discord takes and notes whether the last attempt failed. */
export function withProgress(sink: Sink & Remover): {
  readonly sink: Sink & Remover;
  progress(): SinkProgress;
} {
  let taken = 0;
  let failing = false;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      taken += 1;
      failing = false;
      return result;
    } catch (error) {
      failing = error instanceof SinkRefusal && error.reason === "unknown";
      throw error;
    }
  };
  return {
    sink: {
      send: (...given) => counted(sink.send(...given)),
      edit: (...given) => counted(sink.edit(...given)),
      remove: (...given) => sink.remove(...given),
      readBack: (...given) => sink.readBack(...given),
    },
    progress: () => ({ taken, failing }),
  };
}
