import { type JournalOwner, journalOf } from "./domain/journal-id.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import { createJournal, type JournalWing } from "./journal/create-journal.ts";
import type { JournalParts } from "./journal/journal.ts";
import type { BindingStore } from "./store/bindings.ts";
import type { Watch } from "./watch/watch.ts";

export interface JournalBuildParts {
  readonly stored: Pick<JournalParts, "heads" | "chunks" | "rows" | "write">;
  readonly bindings: Pick<BindingStore, "guildsOf" | "onSeen">;
  /** Of new journals. */
  readonly journalOwner: JournalOwner;
  /** Whether this process serves a guild: what it does not serve it keeps no journal for. */
  readonly discord: { isOurs(guildId: string): boolean };
  readonly watch: Pick<Watch, "listen">;
  readonly clock: Clock;
  readonly random: Random;
  warn(message: string, error: unknown): void;
}

/** Builds the journal and lets it hear of each answer. Starts nothing. */
export function buildJournal({
  stored,
  bindings,
  journalOwner,
  discord,
  watch,
  ...parts
}: JournalBuildParts): JournalWing {
  const journal = createJournal({
    ...parts,
    ...stored,
    followedOf(source) {
      const guilds = bindings.guildsOf(source).filter((guildId) => discord.isOurs(guildId));
      return [...new Set(guilds.map((guildId) => journalOf(journalOwner, source, guildId)))];
    },
  });
  watch.listen(journal);
  watch.listen({
    take: ({ source, status }) =>
      bindings
        .onSeen(source, status)
        .catch((error: unknown) => parts.warn("what a server is known by could not be kept", error)),
  });
  return journal;
}
