import type { SourceId } from "../model.ts";
import type { ServerKey } from "../server-key.ts";

/** Gives an open key; only api/ receives this port. */
export interface KeyRing {
  /** Every server that somebody has linked. */
  sources(): Iterable<SourceId>;
  keyOf(source: SourceId): Promise<ServerKey | undefined>;
  /** HMAC of the key under the host's secret. */
  sourceOf(key: ServerKey): SourceId;
}
