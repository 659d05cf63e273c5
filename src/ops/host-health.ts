import type { Clock } from "../domain/ports/clock.ts";
import type { HostHealth, RequestsLeft, WaitingPosts } from "../domain/ports/host-health.ts";

export interface HostHealthParts {
  /** Why the bot is not ready, by code. */
  isPresent(code: "store"): boolean;
  buckets(): readonly {
    readonly limit: number | undefined;
    readonly remaining: number;
    readonly resetAtMs: number | undefined;
  }[];
  waitingPosts(guildId: string): WaitingPosts;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Shows guilds a part of what the operator sees. */
export function createHostHealth({ isPresent, buckets, waitingPosts, clock }: HostHealthParts): HostHealth {
  return {
    storeWorks: () => !isPresent("store"),
    waitingPosts,
    requestsLeft() {
      const nowMs = clock.nowMs();
      return buckets()
        .flatMap((bucket) => leftOf(bucket, nowMs))
        .sort((a, b) => a.left / a.limit - b.left / b.limit)[0];
    },
  };
}

function leftOf(
  { limit, remaining, resetAtMs }: ReturnType<HostHealthParts["buckets"]>[number],
  nowMs: number,
): RequestsLeft[] {
  // A limit that no answer has named is left out; one whose window is over is full again.
  if (limit === undefined || resetAtMs === undefined || limit <= 0) return [];
  return [{ left: resetAtMs <= nowMs ? limit : Math.max(0, remaining), limit, resetAtMs }];
}
