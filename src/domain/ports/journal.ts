import type { CallEntry, ChangeEntry, JournalList, StateList } from "../changes.ts";
import type { LogEntry, LogList, ModCallEntry, PlayerRef, Snapshot, SourceId } from "../model.ts";
import type { KillStreak } from "./feed-renderer.ts";

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
  /** Its place among equal rows of its second. @default 0 */
  readonly ordinal?: number;
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
  /** The process had just begun: where the one before ended in order, nothing of it is missing. */
  readonly isOfStart?: boolean;
  /** The game server has started anew: what was unseen of its log is gone with it. */
  readonly isRestart?: true;
  readonly seenAtMs: number;
}

/** What two looks differ in. */
export interface ChangeItem {
  readonly seq: number;
  readonly kind: "change";
  readonly entry: ChangeEntry;
  readonly seenAtMs: number;
}

/** An emergency call began, changed or ended. */
export interface CallItem {
  readonly seq: number;
  readonly kind: "call";
  readonly entry: CallEntry;
  readonly seenAtMs: number;
}

/** What a journal of a log holds. */
export type LogItem = EntryItem | AnswerItem | GapItem;

export type JournalItem = LogItem | ChangeItem | CallItem;

/** What is of a log; the others are of journals that its readers do not read. */
export function isLogItem(item: JournalItem): item is LogItem {
  return item.kind !== "change" && item.kind !== "call";
}

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
  readonly list: JournalList;
}

/**
 * Life of a feed: a new or resumed one calls `attachAtHead` and stores the number that it gets; after a restart
 * every live feed calls `attach` with its stored number, then somebody calls `trimFromNow` once, before polling
 * starts. Paused, parked and removed feeds `detach`. A journal lives only while a feed is attached to it: take()
 * ignores lists without one, and a list's first window after the first attachAtHead is a baseline.
 */
export interface Journal {
  /** Reads on from `fromSeq`, the first item not yet acknowledged. */
  attach(feedId: string, log: JournalLog, fromSeq: number): Promise<void>;
  /** Starts at the head, stored before it resolves: posts nothing of the past. Returns the first sequence number. */
  attachAtHead(feedId: string, source: SourceId, list: JournalList): Promise<number>;
  /** Everything below `nextSeq` is delivered (and that is written): it may be trimmed. */
  acknowledge(feedId: string, nextSeq: number): void;
  /** Idempotent. The last feed of a journal takes it away. */
  detach(feedId: string): Promise<void>;
  /** From now on what no attached feed needs is dropped. Before it nothing is: feeds may not have attached yet. */
  trimFromNow(): void;
  /** Items from `fromSeq` on, in order, at most `limit`; empty when there are none. May read the store. */
  read(log: JournalLog, fromSeq: number, limit: number): Promise<readonly JournalItem[]>;
  /** The sequence number that the next item will get; `head - fromSeq` is the backlog. 1 when there is no journal. */
  head(source: SourceId, list: JournalList): number;
  /** Nothing of that log was read since its first feed began: what its next window shows is posted by nobody. */
  awaitsBaseline(source: SourceId, list: JournalList): boolean;
  /** Called after items were written, never inside `take`'s caller. Returns how to stop. */
  onItems(listener: (source: SourceId, list: JournalList) => void): () => void;
  /**
   * The key of a server was replaced. The feeds then detach from the old source and attach to
   * the new one: `attach(feed, {new, list}, itsSeq)` after moved/same, `attachAtHead` after other/none. Call it
   * before anything demands the new source; at start, call it for every feed whose stored source is not its
   * binding's: a crash may have come between the link and the move. Old journals stay while feeds are attached.
   */
  move(oldSource: SourceId, newSource: SourceId, list: JournalList): Promise<MoveResult>;
  /** How many journals feeds read from. */
  journals(): Promise<number>;
}

/** One answer, as those who follow the journal get it. */
export interface Told {
  /** The answer itself: it is not stored, and an earlier one is never shown again. */
  readonly look: Snapshot;
  /** Resolves when what it brought is written. Rejects where the store failed: the next answer brings it again. */
  readonly written: Promise<void>;
}

/** Hears of each answer. Where it rejects, the server is read again soon. */
export interface LookFollower {
  take(told: Told): Promise<void>;
}

/** What a follower has not dealt with of one log. */
export interface Unread {
  readonly log: JournalLog;
  /** Numbers of one lineage never mean two things. */
  readonly lineage: string;
  /** All that the look shows may be new to it: it has read nothing of this log, or is to read it anew. */
  readonly isFirst: boolean;
  /** In order; none where it reads the whole window. The same may come again after a crash. */
  readonly items: readonly JournalItem[];
  /** All of it is dealt with, and written as far as it has to be. */
  done(): void;
  /** It could not be dealt with. An event on which this follower alone fails again and again is set aside. */
  failed(error: unknown): void;
  /** The same as `done` for an effect that people would see twice: it does not come again after a crash. Rejects with the store. */
  doneForGood(): Promise<void>;
}

/**
 * Where a follower begins in a log: with what comes after it was first looked at, or with all that its first window
 * shows.
 */
export type FollowerStart = "head" | "window";

/** Up to where a log is written. */
export interface LogPlace {
  readonly log: JournalLog;
  readonly lineage: string;
  /** The number of what comes next. */
  readonly nextSeq: number;
}

export interface JournalReader {
  /** What is unread of the logs that this answer shows, once it is written. May read the store. */
  unread(look: Snapshot): Promise<readonly Unread[]>;
  /** Of each log that this answer shows: for a follower that keeps marks of its own with its effect. */
  places(look: Snapshot): readonly LogPlace[];
  /** Nothing of this answer's logs is needed, nor of those before it. */
  pass(look: Snapshot): void;
  /** The next answer is read as a whole: a guild linked the server. */
  readAnew(source: SourceId): void;
}

export type StatesWanted = (server: SourceId) => readonly StateList[];

/** What a follower reads. Of what it does not read nothing is kept for it. */
export interface FollowerWants {
  /** @default all logs */
  readonly logs?: readonly LogList[];
  /** The changes that it reads of a server. @default none */
  readonly states?: StatesWanted;
}

export interface JournalLooks {
  /** Every later answer is told to it. */
  follow(follower: LookFollower): void;
  /** For a follower that reads what is new. Its name is stored with its marks. */
  reader(name: string, start: FollowerStart, wants?: FollowerWants): JournalReader;
  /**
   * Whom the list of players of the latest answer shows and the list before it did not, whatever the log says. Not stored:
   * nobody in the first list of a process.
   */
  arrived(look: Snapshot): readonly Required<PlayerRef>[];
}
