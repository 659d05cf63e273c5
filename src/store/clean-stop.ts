import { z } from "zod";
import type { CleanEnd, CleanStop } from "../domain/ports/clean-stop.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Store } from "./keyv-documents.ts";

const KEY = "end";

const cleanEnd = z.object({ unsettled: z.array(z.string()) });

/** For `Documents<CleanEnd>`: throws on any other shape. */
export function parseCleanEnd(value: unknown): CleanEnd {
  return cleanEnd.parse(value);
}

/** `documents` must be of full durability. */
export function createCleanStop(store: Pick<Store, "flush">, documents: Documents<CleanEnd>): CleanStop {
  return {
    async take() {
      const end = await documents.get(KEY);
      if (end === undefined) return undefined;
      await documents.delete(KEY);
      // A deletion that is not known to be on the disk may be undone by a power cut; the mark would then be wrong.
      return (await store.flush()) ? end : undefined;
    },
    leave: (end) => documents.set(KEY, end),
  };
}
