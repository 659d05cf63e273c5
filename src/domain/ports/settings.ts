import type { GuildSettings } from "../guild.ts";

export interface Settings {
  of(guildId: string): Promise<GuildSettings>;
  /** Read, change, write; changes of one guild never interleave. */
  change(guildId: string, edit: (settings: GuildSettings) => GuildSettings): Promise<GuildSettings>;
}
