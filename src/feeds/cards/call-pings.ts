import type { Feed } from "../../domain/guild.ts";
import type { ModCallEntry } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import type { CardSlot, ModCallRecord } from "./card-records.ts";

/** Between two pings of one feed, where the feed does not say: a spree of calls must not become a spree of pings. */
const DEFAULT_COOLDOWN_MS = 60_000;
/** An old call that comes to light late (after an outage) is shown, but nobody is pinged for it. */
const PING_AT_MOST_OLD_MS = 900_000;

/** Which new cards ping, and the cooldown of each feed between them. */
export class CallPings {
  readonly #clock: Clock;
  readonly #serviceTime: Pick<ServiceTime, "ms">;
  /** By feed, by the monotonic clock. */
  readonly #lastMs = new Map<string, number>();

  constructor(clock: Clock, serviceTime: Pick<ServiceTime, "ms">) {
    this.#clock = clock;
    this.#serviceTime = serviceTime;
  }

  /** A card that pinged: the cooldown of its feeds counts from then. */
  restore({ createdAtMs, slots }: ModCallRecord): void {
    const agoMs = Math.max(0, this.#clock.nowMs() - createdAtMs);
    const atMs = this.#clock.monotonicMs() - agoMs;
    for (const [feedId, slot] of Object.entries(slots)) {
      if (slot.pingRoleId === undefined) continue;
      this.#lastMs.set(feedId, Math.max(atMs, this.#lastMs.get(feedId) ?? Number.NEGATIVE_INFINITY));
    }
  }

  /** The place of a new card in a feed's channel. */
  slot(feed: Feed, call: ModCallEntry): CardSlot {
    const { pingRoleId, escalateAfterMs } = feed;
    const lastMs = this.#lastMs.get(feed.id) ?? Number.NEGATIVE_INFINITY;
    const cooled = this.#clock.monotonicMs() - lastMs >= (feed.pingCooldownMs ?? DEFAULT_COOLDOWN_MS);
    const nowMs = this.#serviceTime.ms() ?? this.#clock.nowMs();
    const fresh = nowMs - call.atS * 1_000 <= PING_AT_MOST_OLD_MS;
    return {
      channelId: feed.channelId,
      silent: feed.silent,
      shown: 0,
      ...(pingRoleId !== undefined && cooled && fresh ? { pingRoleId } : {}),
      ...(escalateAfterMs === undefined ? {} : { escalateAfterMs }),
      ...(escalateAfterMs === undefined || pingRoleId === undefined ? {} : { escalateRoleId: pingRoleId }),
    };
  }
}
