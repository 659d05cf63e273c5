import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Durability, Store } from "./keyv-documents.ts";

export interface TimedBy {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly metrics: Pick<Metrics, "observe">;
}

/** The same store; how long each write takes until it is stored is measured. */
export function withWritesTimed(store: Store, { clock, metrics }: TimedBy): Store {
  const durabilities = new Map<string, Durability>();

  async function timed(durability: Durability, written: Promise<void>): Promise<void> {
    const askedMs = clock.monotonicMs();
    await written;
    const seconds = (clock.monotonicMs() - askedMs) / 1_000;
    metrics.observe("marshal_store_write_seconds", seconds, { kind: durability });
  }

  return {
    ...store,
    documents: <T>(...[namespace, parse, durability, rules]: Parameters<typeof store.documents<T>>) => {
      durabilities.set(namespace, durability);
      const documents = store.documents(namespace, parse, durability, rules);
      return {
        get: (key) => documents.get(key),
        set: (key, value) => timed(durability, documents.set(key, value)),
        delete: (key) => timed(durability, documents.delete(key)),
        entries: () => documents.entries(),
      } satisfies Documents<T>;
    },
    write(changes) {
      const isFull = changes.some(
        (change) => "namespace" in change && durabilities.get(change.namespace) === "full",
      );
      return timed(isFull ? "full" : "normal", store.write(changes));
    },
  };
}
