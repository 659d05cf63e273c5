import type { Remover, Sink } from "../../domain/ports/sink.ts";
import type { WorkPermit } from "../../domain/ports/work-permit.ts";

/** The same sink for a process that may lose its right to post: messages wait until it has it, or for ever. */
export function permittedSink(sink: Sink & Remover, permit: WorkPermit): Sink & Remover {
  return {
    async send(...given) {
      await permit.granted();
      return await sink.send(...given);
    },
    async edit(...given) {
      await permit.granted();
      return await sink.edit(...given);
    },
    async remove(...given) {
      await permit.granted();
      return await sink.remove(...given);
    },
    readBack: (...given) => sink.readBack(...given),
  };
}
