import type { Channel, DiscordEvent, User } from "./types.ts";

/** What the parts of the world need of the whole. */
export interface Core {
  readonly bot: User;
  nowMs(): number;
  mint(): string;
  emit(event: DiscordEvent): void;
  dmOf(userId: string): Channel | undefined;
  setDmsOpen(userId: string, open: boolean): void;
}
