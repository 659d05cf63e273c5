import { createServiceClient, type Service } from "../../src/api/client.ts";
import { systemClock, systemRandom } from "../../src/clock.ts";
import type { KeyRing } from "../../src/domain/ports/key-ring.ts";
import { clientDocuments } from "../support/client-documents.ts";

/** Our client on the machine's clock and its real transport. */
export function realClient(serviceUrl: string, keys: KeyRing): Service {
  return createServiceClient({
    serviceUrl,
    keys,
    ...clientDocuments(),
    clock: systemClock,
    random: systemRandom,
    metrics: { count: () => {}, observe: () => {} },
    onEvent: () => {},
  });
}
