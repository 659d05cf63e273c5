import type { Feed } from "../../domain/guild.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import type { FrozenBatch } from "../positions/offsets.ts";

export interface DelayPorts {
  readonly metrics: Pick<Metrics, "observe">;
  readonly clock: Clock;
  /** Entries are dated by it: what lies between it and our clock is no delay. Known where a feed has cards of calls. */
  readonly serviceTime: Pick<ServiceTime, "ms">;
}

export interface FigurePorts extends DelayPorts {
  readonly metrics: Pick<Metrics, "observe" | "count">;
}

/** Counts the entries of a batch that stands in its channel, and how late its oldest one is. */
export function countDelivered(
  ports: FigurePorts,
  { kind }: Feed,
  { entries, oldestS, isGap }: FrozenBatch,
): void {
  const { metrics } = ports;
  metrics.count("marshal_feed_entries_total", { kind }, entries);
  if (isGap) metrics.count("marshal_feed_gap_notices_total", { kind });
  if (oldestS !== undefined) noteDelay(ports, kind, oldestS);
}

/** How late what is posted now is. */
export function noteDelay(
  { metrics, clock, serviceTime }: DelayPorts,
  kind: Feed["kind"],
  atS: number,
): void {
  const nowMs = serviceTime.ms() ?? clock.nowMs();
  metrics.observe("marshal_feed_delay_seconds", Math.max(0, nowMs / 1_000 - atS), { kind });
}
