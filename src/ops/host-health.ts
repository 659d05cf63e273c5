import type { HostHealth, WaitingPosts } from "../domain/ports/host-health.ts";

export interface HostHealthParts {
  /** Why the bot is not ready, by code. */
  isPresent(code: "store"): boolean;
  waitingPosts(guildId: string): WaitingPosts;
}

/** Shows guilds a part of what the operator sees. */
export function createHostHealth({ isPresent, waitingPosts }: HostHealthParts): HostHealth {
  return { storeWorks: () => !isPresent("store"), waitingPosts };
}
