import type { FeedStatus } from "../domain/ports/feeds.ts";
import type { Journal } from "../domain/ports/journal.ts";
import type { Delivery } from "./delivery/delivery.ts";

export interface StatusFacts {
  readonly waitsForStore: boolean;
  readonly journal: Pick<Journal, "awaitsBaseline">;
}

/** How a feed is doing; `delivery` is undefined where it does not run. */
export function statusOf(
  delivery: Delivery | undefined,
  { waitsForStore, journal }: StatusFacts,
): FeedStatus {
  const { source, list } = delivery?.record ?? {};
  const isUnread = source !== undefined && list !== undefined && journal.awaitsBaseline(source, list);
  return {
    undelivered: delivery?.undelivered ?? 0,
    ...(delivery?.lateSinceMs === undefined ? {} : { lateSinceMs: delivery.lateSinceMs }),
    ...(waitsForStore ? { waitsForStore } : {}),
    ...(isUnread ? { waitsForFirstLook: true } : {}),
  };
}
