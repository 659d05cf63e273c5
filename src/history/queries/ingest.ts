import type { Delivery } from "../ingest/delivery.ts";
import type { QueryContext } from "./context.ts";

/** Stores deliveries in their order; answers how many rows were new. */
export async function take(
  { ingest, writing }: QueryContext,
  { deliveries }: { readonly deliveries: readonly Delivery[] },
): Promise<number> {
  return writing.take("all", async () => {
    let rows = 0;
    for (const delivery of deliveries) rows += await ingest.take(delivery);
    return rows;
  });
}
