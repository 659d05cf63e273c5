import type { SourceId } from "./model.ts";

/**
 * Whose journals are: one of each server, which all guilds that link it read; or one for each guild that links it. Where
 * several processes serve a part of the guilds each, two may read one server: then only the second way has one writer for
 * each journal, and whichever process serves a guild next finds it.
 */
export type JournalOwner = "server" | "guild";

/** A source is hex, so it never holds this. */
const OF_GUILD = "@";

/** What the journal lies under that the feeds of a guild read: what offsets and the journal itself call its source. */
export function journalOf(owner: JournalOwner, source: SourceId, guildId: string): SourceId {
  return owner === "server" ? source : (`${source}${OF_GUILD}${guildId}` as SourceId);
}

export function ownerOf(journal: SourceId): JournalOwner {
  return guildOf(journal) === undefined ? "server" : "guild";
}

/** The server whose log a journal keeps. */
export function serverOf(journal: SourceId): SourceId {
  const at = journal.indexOf(OF_GUILD);
  return at === -1 ? journal : (journal.slice(0, at) as SourceId);
}

/**
 * Whether a journal may go on from another one of the same lineage. Those of two guilds were copied from one, and each has
 * given numbers of its own since.
 */
export function mayGoOnFrom(from: SourceId, to: SourceId): boolean {
  const owner = guildOf(from);
  return owner === undefined || owner === guildOf(to);
}

/** The guild whose own a journal is; undefined: all that link the server read it. */
export function guildOf(journal: SourceId): string | undefined {
  const at = journal.indexOf(OF_GUILD);
  return at === -1 ? undefined : journal.slice(at + OF_GUILD.length);
}
