import type { LogEntry, LogList, ModCallEntry, SourceId } from "../../domain/model.ts";
import type { KillStreak } from "../../domain/ports/feed-renderer.ts";
import type { SnapshotListener } from "../../domain/ports/snapshots.ts";

/**
 * What a delivery sees of the journals. One journal per source and list;
 * several feeds with different filters read the same one, each from its own sequence number.
 */

/**
 * A new row of the log. `stayedS`: for a leave whose join was seen, how long they stayed. `streak`: for a kill soon after
 * others by the same player. Both are kept with it: it renders the same whenever it is rendered.
 */
export interface EntryItem {
  readonly seq: number;
  readonly kind: "entry";
  /** A mod call comes without its moderator: the answer is an item of its own, right after it if need be. */
  readonly entry: LogEntry;
  readonly stayedS?: number;
  readonly streak?: KillStreak;
  /** When the poll that showed it was answered, our clock, epoch milliseconds. */
  readonly seenAtMs: number;
}

/** A mod call was answered in the game: fills the lowest open ordinal of that (caller, atS). Emitted once per answer. */
export interface AnswerItem {
  readonly seq: number;
  readonly kind: "answer";
  readonly entry: ModCallEntry & { readonly moderator: NonNullable<ModCallEntry["moderator"]> };
  readonly seenAtMs: number;
}

/**
 * Entries between fromS and toS may be missing. Stands before the entries that follow it.
 * Without fromS: the feed was away (its guild kept a revoked key) and what it needs is no longer kept.
 */
export interface GapItem {
  readonly seq: number;
  readonly kind: "gap";
  readonly fromS?: number;
  readonly toS: number;
  readonly seenAtMs: number;
}

export type JournalItem = EntryItem | AnswerItem | GapItem;

/**
 * moved: the journal now stands under the new source, sequence numbers unchanged.
 * same: the new source had this very journal already (another guild brought it); sequence numbers hold.
 * other: the new source has a journal of its own; this feed's number means nothing there: attachAtHead.
 * none: the old source had no journal for that list.
 */
export type MoveResult = "moved" | "same" | "other" | "none";

/** One log of one server: what a journal is kept of. `source` is what `journalOf` gives, everywhere in this port. */
export interface JournalLog {
  readonly source: SourceId;
  readonly list: LogList;
}

/**
 * Life of a feed: a new or resumed one calls `attachAtHead` and stores the number that it gets; after a restart
 * every live feed calls `attach` with its stored number, then somebody calls `trimFromNow` once, before polling
 * starts. Paused, parked and removed feeds `detach`. A journal lives only while a feed is attached to it: take()
 * ignores lists without one, and a list's first window after the first attachAtHead is a baseline.
 */
export interface Journal extends SnapshotListener {
  /** Reads on from `fromSeq`, the first item not yet acknowledged. */
  attach(feedId: string, log: JournalLog, fromSeq: number): Promise<void>;
  /** Starts at the head, stored before it resolves: posts nothing of the past. Returns the first sequence number. */
  attachAtHead(feedId: string, source: SourceId, list: LogList): Promise<number>;
  /** Everything below `nextSeq` is delivered (and that is written): it may be trimmed. */
  acknowledge(feedId: string, nextSeq: number): void;
  /** Idempotent. The last feed of a journal takes it away. */
  detach(feedId: string): Promise<void>;
  /** From now on what no attached feed needs is dropped. Before it nothing is: feeds may not have attached yet. */
  trimFromNow(): void;
  /** Items from `fromSeq` on, in order, at most `limit`; empty when there are none. May read the store. */
  read(log: JournalLog, fromSeq: number, limit: number): Promise<readonly JournalItem[]>;
  /** The sequence number that the next item will get; `head - fromSeq` is the backlog. 1 when there is no journal. */
  head(source: SourceId, list: LogList): number;
  /** Nothing of that log was read since its first feed began: what its next window shows is posted by nobody. */
  awaitsBaseline(source: SourceId, list: LogList): boolean;
  /** Called after items were written, never inside `take`'s caller. Returns how to stop. */
  onItems(listener: (source: SourceId, list: LogList) => void): () => void;
  /**
   * The key of a server was replaced. The feeds then detach from the old source and attach to
   * the new one: `attach(feed, {new, list}, itsSeq)` after moved/same, `attachAtHead` after other/none. Call it
   * before anything demands the new source; at start, call it for every feed whose stored source is not its
   * binding's: a crash may have come between the link and the move. Old journals stay while feeds are attached.
   */
  move(oldSource: SourceId, newSource: SourceId, list: LogList): Promise<MoveResult>;
  /** How many journals feeds read from. */
  readonly journals: number;
}
