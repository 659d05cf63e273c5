import { guildOf, journalOf } from "../domain/journal-id.ts";
import type { PlayerRef, Snapshot, SourceId } from "../domain/model.ts";
import type { JournalLooks, LookFollower } from "../domain/ports/journal.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";
import { JOURNAL_LISTS } from "./compare/states.ts";
import { type JournalParts, StoredJournal } from "./journal.ts";
import { Rosters } from "./rosters.ts";

/** What happened on each server, once, in order: the only place that compares an answer with what is known. */
export class JournalWing extends StoredJournal implements JournalLooks, SnapshotListener {
  readonly #followedOf: JournalParts["followedOf"];
  readonly #followers: LookFollower[] = [];
  readonly #rosters = new Rosters();

  constructor(parts: JournalParts) {
    super(parts);
    this.#followedOf = parts.followedOf;
  }

  follow(follower: LookFollower): void {
    this.#followers.push(follower);
  }

  /** Compares an answer and tells of it. Rejects where something of it could not be kept, when all have ended. */
  async take(snapshot: Snapshot): Promise<void> {
    this.#rosters.take(snapshot);
    const written = this.write(snapshot);
    const told = { look: snapshot, written };
    const work = this.#followers.map((follower) => follower.take(told));
    for (const done of await Promise.allSettled([written, ...work])) {
      if (done.status === "rejected") throw done.reason;
    }
  }

  arrived(look: Snapshot): readonly Required<PlayerRef>[] {
    return this.#rosters.arrived(look);
  }

  /** A server has a new key, which is linked: followers go on where they were. Rejects when the store fails. */
  async replaced(from: SourceId, to: SourceId): Promise<void> {
    for (const journal of this.#followedOf(to)) {
      const guildId = guildOf(journal);
      const before = guildId === undefined ? from : journalOf("guild", from, guildId);
      for (const list of JOURNAL_LISTS) await this.move(before, journal, list);
    }
  }

  /** A guild has unlinked a server: what nobody follows any more goes. Rejects when the store fails. */
  async unlinked(server: SourceId): Promise<void> {
    const followed = new Set(this.#followedOf(server));
    if (followed.size === 0) this.#rosters.forget(server);
    for (const journal of new Set([server, ...this.journalsOf(server)])) {
      if (!followed.has(journal)) await this.forget(journal);
    }
  }
}

export function createJournal(parts: JournalParts): JournalWing {
  return new JournalWing(parts);
}
