/** An emulated Discord: REST v10 and gateway on a loopback port, and the people who use it. */
import type {
  Channel,
  DiscordEvent,
  DiscordLimits,
  DiscordOptions,
  Faults,
  Guild,
  Member,
  Message,
  Person,
  TrafficEntry,
} from "./types.ts";
import type { Command } from "./wire.ts";

/** The signatures that the emulator will have; filled in by its builder. */
export interface EmulatedDiscordShape {
  /** `http://127.0.0.1:PORT/api`, for DISCORD_API_URL. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly limits: DiscordLimits;
  readonly faults: Faults;
  readonly traffic: readonly TrafficEntry[];
  readonly guilds: readonly Guild[];
  readonly commands: readonly Command[];
  addGuild(options: { name: string; ownerName?: string }): Guild;
  as(member: Member): Person;
  messages(channel: Channel): readonly Message[];
  on(listener: (event: DiscordEvent) => void): () => void;
  waitFor(predicate: (event: DiscordEvent) => boolean, timeoutMs?: number): Promise<DiscordEvent>;
  until<T>(probe: () => T | undefined | false | null, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

export type StartEmulatedDiscord = (
  options?: DiscordOptions & { port?: number; host?: string },
) => Promise<EmulatedDiscordShape>;
