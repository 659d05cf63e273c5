import { DEFAULT_SETTINGS, type GuildSettings } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { KnownSettings, Settings } from "../domain/ports/settings.ts";

export interface SettingsStore extends Settings {
  /** Removes the settings for good: after a new invitation nobody is allowed anything. */
  forgetGuild(guildId: string): Promise<void>;
  /** The guilds that have ever set anything. */
  guilds(): AsyncIterable<string>;
}

/** One document per guild; a guild that set nothing has the defaults. */
export function createSettings(documents: Documents<GuildSettings>): SettingsStore {
  const turns = new KeyedMutex();
  /** Only this process writes for its guilds, so what it read first and wrote since is what stands there. */
  const known = new Map<string, KnownSettings>();

  /** A reading never replaces what is known: it may have begun before the latest change. */
  function note(guildId: string, settings: GuildSettings): void {
    if (!known.has(guildId)) known.set(guildId, knownOf(settings));
  }

  async function of(guildId: string): Promise<GuildSettings> {
    const settings = (await documents.get(guildId)) ?? DEFAULT_SETTINGS;
    note(guildId, settings);
    return settings;
  }

  async function change(guildId: string, edit: (settings: GuildSettings) => GuildSettings) {
    const changed = edit(await of(guildId));
    try {
      await documents.set(guildId, changed);
    } catch (error) {
      // It may stand there or not.
      known.delete(guildId);
      throw error;
    }
    known.set(guildId, knownOf(changed));
    return changed;
  }

  return {
    of,
    known: (guildId) => known.get(guildId),
    change: (guildId, edit) => turns.take(guildId, () => change(guildId, edit)),
    forgetGuild: (guildId) =>
      turns.take(guildId, async () => {
        await documents.delete(guildId);
        known.set(guildId, DEFAULT_SETTINGS);
      }),
    async *guilds() {
      for await (const [guildId, settings] of documents.entries()) {
        note(guildId, settings);
        yield guildId;
      }
    },
  };
}

/** The rest is read where it is needed. */
function knownOf({ policies, automaticPause }: GuildSettings): KnownSettings {
  return automaticPause === undefined ? { policies } : { policies, automaticPause };
}
