import { DEFAULT_SETTINGS, type GuildSettings } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Settings } from "../domain/ports/settings.ts";

export interface SettingsStore extends Settings {
  /** Removes the settings for good: after a new invitation nobody is allowed anything. */
  forgetGuild(guildId: string): Promise<void>;
  /** The guilds that have ever set anything. */
  guilds(): AsyncIterable<string>;
}

/** One document per guild; a guild that set nothing has the defaults. */
export function createSettings(documents: Documents<GuildSettings>): SettingsStore {
  const turns = new KeyedMutex();
  const of = async (guildId: string): Promise<GuildSettings> =>
    (await documents.get(guildId)) ?? DEFAULT_SETTINGS;
  return {
    of,
    change: (guildId, edit) =>
      turns.take(guildId, async () => {
        const changed = edit(await of(guildId));
        await documents.set(guildId, changed);
        return changed;
      }),
    forgetGuild: (guildId) => turns.take(guildId, () => documents.delete(guildId)),
    async *guilds() {
      for await (const [guildId] of documents.entries()) yield guildId;
    },
  };
}
