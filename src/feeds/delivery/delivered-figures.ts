import type { Feed } from "../../domain/guild.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { FrozenBatch } from "../positions/offsets.ts";

/** Counts the entries of a batch that stands in its channel, and how late its oldest one is. */
export function countDelivered(
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
  { kind }: Feed,
  { entries, oldestS, isGap }: FrozenBatch,
): void {
  metrics.count("marshal_feed_entries_total", { kind }, entries);
  if (isGap) metrics.count("marshal_feed_gap_notices_total", { kind });
  if (oldestS === undefined) return;
  const delayS = Math.max(0, clock.nowMs() / 1_000 - oldestS);
  metrics.observe("marshal_feed_delay_seconds", delayS, { kind });
}
