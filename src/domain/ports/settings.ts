import type { GuildSettings } from "../guild.ts";

export interface Settings {
  of(guildId: string): Promise<GuildSettings>;
  /** Who may run what, by binding id, from memory: as it was last read or written here; undefined: not known yet. */
  knownPolicies(guildId: string): GuildSettings["policies"] | undefined;
  /** Read, change, write; changes of one guild never interleave. */
  change(guildId: string, edit: (settings: GuildSettings) => GuildSettings): Promise<GuildSettings>;
}
