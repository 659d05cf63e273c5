import type { FeedEntry } from "../changes.ts";
import type { FeedKind } from "../feed-kinds.ts";
import type { Feed } from "../guild.ts";
import type { Distance } from "../map.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { EmergencyCall } from "../model.ts";

/** Pure rendering of log entries, implemented in discord/render, used by feeds/. */
export interface FeedRenderer {
  /** As many leading entries as fit one message; `taken` is at least 1. */
  lines(
    feed: Feed,
    entries: readonly FeedEntry[],
    context: LineContext,
  ): { readonly body: MessageBody; readonly taken: number };
  modCall(view: ModCallView): MessageBody;
  emergencyCall(view: EmergencyCallView): MessageBody;
  gap(
    kind: FeedKind,
    gap: { readonly fromS?: number; readonly toS: number; readonly isRestart?: boolean },
  ): MessageBody;
  /** A batch that Discord refused (50035), or a backlog past 2,000: everything is in the attachment. */
  digest(feed: Feed, entries: readonly FeedEntry[], why: "backlog" | "refused"): MessageBody;
  late(kind: FeedKind, sinceMs: number): MessageBody;
  /** A notice or a digest that says whose it is; `serverName` is undefined where a guild has one server. */
  ofServer(body: MessageBody, serverName: string | undefined): MessageBody;
  /** Marks a body as possibly posted before: its channel cannot be read, or a file there may hold its entries. */
  possiblyRepeated(body: MessageBody, why?: "unreadable" | "in-file"): MessageBody;
  /** For the person who configured a feed, when Discord no longer lets us post to its channel. */
  parked(
    kind: FeedKind,
    stop: { readonly channelId: string; readonly why: string; readonly goesOn: "by-itself" | "by-hand" },
  ): MessageBody;
  goesOn(kind: FeedKind, channelId: string): MessageBody;
  /** A reply to a mod-call card that nobody has claimed. */
  escalation(callerName: string, waitedMs: number): MessageBody;
  /** Whether a message of ours is that, however long the caller had waited. */
  isEscalation(callerName: string, posted: Pick<PostedMessage, "content">): boolean;
  test(kind: FeedKind, serverName: string | undefined): MessageBody;
  /** Entries that Discord took neither as lines nor as a file. */
  unpostable(
    kind: FeedKind,
    batch: { readonly count: number; readonly fromS: number; readonly toS: number },
  ): MessageBody;
  /**
   * What one of our messages shows, in every style and in the format of the release before. Several feeds may share a
   * channel: with `of` only what is of that kind counts, and nothing where the message names another server.
   */
  keysOf(
    posted: Pick<PostedMessage, "content" | "cards" | "attachmentNames" | "componentIds">,
    of?: { readonly kind?: FeedKind; readonly serverName?: string; readonly formerNames?: readonly string[] },
  ): ShownEntries;
  /** The keys under which `keysOf` may give an entry: which one depends on what the style shows of it. */
  entryKeys(entry: FeedEntry): readonly string[];
  /** The hash of a digest of these entries, in any order: the sum of the hashes of each, modulo 2^64, in hex. */
  digestHash(entries: readonly FeedEntry[]): string;
  /** The key of a call on a card. */
  callKey(caller: string, atS: number): string;
  /** The card of a moderator call that this message is; undefined: it is none. */
  modCallOf(posted: Pick<PostedMessage, "cards" | "componentIds">): PostedModCall | undefined;
  /** The card of an emergency call that this message is and that says the call goes on; undefined: it is none. */
  openEmergencyOf(posted: Pick<PostedMessage, "cards" | "componentIds">): PostedEmergency | undefined;
  /** That card with the call's end: only the message itself still tells the rest. */
  endedEmergency(posted: Pick<PostedMessage, "cards" | "componentIds">, endedAtMs: number): MessageBody;
  /** The keys of a notice of a gap: of exactly this one, and of all with the same beginning. */
  gapKeys(
    kind: FeedKind,
    fromS: number | undefined,
    toS: number,
  ): readonly [exact: string, beginning: string];
  lateKey(kind: FeedKind): string;
}

/** What a posted message shows. Keys are opaque and short; equal entries have equal ones. */
export interface ShownEntries {
  /** One for each line that shows an entry. */
  readonly keys: readonly string[];
  /** One for each moderator call on a card. */
  readonly calls: readonly string[];
  /** Notices of gaps and of lateness. */
  readonly notices: readonly string[];
  readonly digests: readonly DigestMark[];
}

/** A file with many entries, whose name says which ones. */
export interface DigestMark {
  readonly kind: FeedKind;
  readonly fromS: number;
  readonly toS: number;
  readonly entries: number;
  readonly hash: string;
}

/** The moderator calls that a posted card shows. */
export interface PostedModCall {
  /** By the ids of its buttons. */
  readonly cardId: string;
  /** The second of each call, in the order of the card. */
  readonly calledAtS: readonly number[];
}

/** A posted card of an emergency call, as far as it tells it. */
export interface PostedEmergency {
  /** By the ids of its buttons. */
  readonly cardId: string;
  readonly bindingId?: string | undefined;
  readonly callNumber: number;
  readonly startedAtS: number;
}

export interface LineContext {
  /** For a leave whose join was seen: how long they stayed, by entry index. */
  readonly stayedS: ReadonlyMap<number, number>;
  /** For a kill that follows others of the same killer: which one it is, by entry index. */
  readonly streaks?: ReadonlyMap<number, KillStreak>;
  readonly serverName?: string;
}

/** `nth` kills of one player within `withinS` seconds, this one included. */
export interface KillStreak {
  readonly nth: number;
  readonly withinS: number;
}

export interface ModCallView {
  readonly cardId: string;
  readonly caller: ModCallPerson;
  /** The calls on this card, the first one first; at least one. */
  readonly calls: readonly CallView[];
  readonly claimedBy?: { readonly userId: string; readonly atMs: number; readonly isOnDuty?: boolean };
  readonly resolved?: { readonly userId: string; readonly atMs: number; readonly note?: string };
  readonly escalated: boolean;
  readonly situation?: CallSituation;
  readonly serverName?: string;
  /** Where people were then is recorded. */
  readonly hasReplay: boolean;
  /** Discord refuses what people wrote on it. */
  readonly isWithoutWords?: boolean | undefined;
}

export interface CallView {
  readonly atS: number;
  /** It came after the ones before it were over. */
  readonly anewAtMs?: number;
  readonly answeredBy?: ModCallPerson;
  /** They were on duty then. */
  readonly isOnDuty?: boolean;
}

export interface ModCallPerson {
  readonly name: string;
  readonly id?: number;
}

/** The situation around a moderator call, as far as the service shows it. */
export interface CallSituation {
  /** The caller as the latest list of players shows them; absent: they are not on it, or there is none. */
  readonly caller?: {
    readonly team: string;
    readonly wantedStars: number;
    readonly postal?: string;
    readonly street?: string;
    /** They have a rank in the game. */
    readonly isStaff?: boolean;
  };
  /** The caller is no longer in the game. */
  readonly left?: boolean;
  /** The nearest staff of the game, nearest first; absent: nobody knows who is in the game. */
  readonly staff?: readonly NearbyStaff[];
  /** Other players beside or near the caller, nearest first; absent: the caller's place is not known. */
  readonly near?: readonly ModCallPerson[];
  /** Since two minutes before the first call, oldest first. */
  readonly kills: readonly CallKill[];
}

export interface NearbyStaff {
  readonly name: string;
  readonly id?: number;
  /** Absent: the place of one of the two is not known. */
  readonly away?: Distance;
}

export interface CallKill {
  readonly atS: number;
  readonly other: ModCallPerson;
  /** "killed": the caller killed the other; "died": the other killed the caller. */
  readonly what: "killed" | "died";
}

export interface EmergencyCallView {
  /** Stands on the card, so that it is known again when it is read back. */
  readonly cardId: string;
  readonly bindingId: string;
  readonly call: EmergencyCall;
  readonly endedAtMs?: number;
  readonly callerName?: string;
  readonly unitNames: readonly string[];
  readonly serverName?: string;
  /** Discord refuses what people wrote on it. */
  readonly isWithoutWords?: boolean | undefined;
}
