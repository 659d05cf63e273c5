import type { GuildSettings } from "../guild.ts";

export type KnownSettings = Pick<GuildSettings, "policies" | "automaticPause">;

export interface Settings {
  of(guildId: string): Promise<GuildSettings>;
  /** Who may run what, and whether automatic commands are paused, from memory: as last read or written; undefined: not known yet. */
  known(guildId: string): KnownSettings | undefined;
  /** Read, change, write; changes of one guild never interleave. */
  change(guildId: string, edit: (settings: GuildSettings) => GuildSettings): Promise<GuildSettings>;
}
