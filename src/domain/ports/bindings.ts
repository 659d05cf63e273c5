import type { Binding } from "../guild.ts";
import type { ServerStatus, SourceId } from "../model.ts";
import type { ServerKey } from "../server-key.ts";

export interface Bindings {
  list(guildId: string): Promise<readonly Binding[]>;
  /** By name (case-insensitive) or id; the only one, where nothing is said. Failure "not-linked" when there is none. */
  pick(guildId: string, nameOrId?: string): Promise<Binding>;
  /** Failure "bad-command" where this server would be one more than a guild may link. */
  checkRoom(guildId: string, status: ServerStatus): Promise<void>;
  /**
   * Seals the key for this guild and keeps it; linking a known server again (same owner and join key) replaces its key.
   * Fails as `checkRoom` does.
   */
  link(link: NewLink): Promise<Linked>;
  /** Gives a server another name. Failure "bad-command" where another server has it or nothing of it can be shown. */
  rename(guildId: string, bindingId: string, name: string): Promise<Binding | undefined>;
  unlink(guildId: string, bindingId: string): Promise<Binding | undefined>;
  bySource(source: SourceId): Promise<readonly Binding[]>;
  all(): AsyncIterable<Binding>;
  /** The linked servers of a guild, from memory: nothing is read. */
  linkedOf(guildId: string): readonly LinkedServer[];
  /** The guilds that link a server, from memory: nothing is read. */
  guildsOf(source: SourceId): readonly string[];
  /** Every linked server, from memory: nothing is read. */
  linked(): Iterable<LinkedServer>;
  /** The bot was removed from a guild: its keys go at once. Linked again, the same server gets its former id. */
  forgetGuild(guildId: string): Promise<void>;
}

export type LinkedServer = Pick<Binding, "guildId" | "id" | "source">;

export interface NewLink {
  readonly guildId: string;
  readonly key: ServerKey;
  readonly status: ServerStatus;
  readonly byUserId: string;
  /** Roles that become Moderators of it. */
  readonly moderatorRoleIds?: readonly string[];
}

export interface Linked {
  readonly binding: Binding;
  /** The source that this binding had before: its key was replaced. */
  readonly replaced?: SourceId;
  /** Roles that become Moderators of it; absent: none were chosen. */
  readonly moderatorRoleIds?: readonly string[];
}
