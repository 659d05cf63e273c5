import { parseGuildAlerts } from "./alerts/alert-rules.ts";
import { parseServerState } from "./alerts/server-state.ts";
import * as keyRecords from "./api/stored-records.ts";
import { parseAppeal } from "./appeals/appeal-record.ts";
import { parseRegistered } from "./discord/interactions/registration.ts";
import type { Change, Documents, Rows, RowsChange, WriteTogether } from "./domain/ports/documents.ts";
import { parseCard } from "./feeds/cards/card-records.ts";
import { parsePanel } from "./feeds/panels/panel-records.ts";
import { parseOffset } from "./feeds/positions/offsets.ts";
import { parseUnstoredCase } from "./history/cases/unstored-case.ts";
import { parseWeekly } from "./history/weekly/weekly-record.ts";
import { parseJournalChunk, parseJournalHead, parseJournalRow } from "./journal/journal-records.ts";
import { parseOwedNotice } from "./outbox/owed-notice.ts";
import { parseRankKeeping, parseServerRanks } from "./rules/ranks/rank-records.ts";
import { parseGuildRules, parseServerRules } from "./rules/rule-records.ts";
import { parseGuildAccounts } from "./runs/accounts/account-record.ts";
import { parseAskedBan } from "./runs/bans/asked-ban-record.ts";
import { parseBanEnd } from "./runs/bans/ban-end-record.ts";
import { parseDeferredRun } from "./runs/queue/deferred-run-record.ts";
import { parseSchedule } from "./runs/schedules/schedule-record.ts";
import { parseSession, parseSessionPage } from "./sessions/session-records.ts";
import { parseCleanEnd } from "./store/clean-stop.ts";
import * as schemas from "./store/document-schemas.ts";
import type { Durability, Store, Turn, Writers } from "./store/keyv-documents.ts";
import { parseAllowedMention } from "./store/mentions.ts";
import { parseDiskMark } from "./store/on-disk.ts";
import { parseSentToPlayer } from "./store/player-messages.ts";

interface Kind<T> {
  readonly parse: (value: unknown) => T;
  readonly durability: Durability;
  readonly writers: Writers;
  readonly turn: Turn;
  /** The guild that a document belongs to. Absent: it is no guild's, or nothing ever reads all of them. */
  readonly guildOf?: ((key: string, value: T) => string) | undefined;
}

function kind<T>(
  parse: (value: unknown) => T,
  durability: Durability,
  more: Partial<Pick<Kind<T>, "writers" | "turn" | "guildOf">> = {},
): Kind<T> {
  return { parse, durability, writers: "holder", turn: "in-turn", ...more };
}

const byKey = { guildOf: (key: string) => key };
const byField = { guildOf: (_: string, value: { readonly guildId: string }) => value.guildId };
const raised = { writers: "anyone-raises" } as const;
/** A request that is about to leave waits for it. */
const ahead = { turn: "ahead" } as const;
/** Nothing waits for it, and the next process must know of it. */
const atOnce = { turn: "at-once" } as const;

/** Every namespace of the store: what stands in it, what it survives, who may write it. */
export const DOCUMENT_KINDS = {
  bindings: kind(schemas.parseGuildBindings, "full", byKey),
  settings: kind(schemas.parseSettings, "full", byKey),
  feeds: kind(schemas.parseFeed, "full", byField),
  "audit-runs": kind(schemas.parseRun, "full"),
  "audit-events": kind(schemas.parseEvent, "full"),
  // Written before the row, in the same log: the row's wait for the disk makes these last as well, at a quarter of the
  // time that four waits would block everything else.
  "audit-lists": kind(schemas.parseDayList, "normal"),
  "audit-pages": kind(schemas.parseListPage, "normal"),
  "audit-open": kind(schemas.parseOpenMark, "normal", byField),
  "departed-guilds": kind(schemas.parseRemovedGuild, "full", byKey),
  // Places of answers are of use for minutes: what a power cut takes is then said in a message.
  "run-answers": kind(schemas.parseSealedAnswer, "normal", { ...byField, ...atOnce }),
  // A process that lost its lease with a request under way still tells the others what it was answered.
  halts: kind(keyRecords.parseHalt, "full", { ...raised, ...atOnce }),
  "rejected-keys": kind(keyRecords.parseRejected, "full", raised),
  "key-budget": kind(keyRecords.parseKeyBudget, "full", ahead),
  // Written at every poll, so it does not wait for the disk: it is there for the process that is killed.
  "key-flights": kind(keyRecords.parseOpenRequests, "normal", ahead),
  "taken-keys": kind(keyRecords.parseTakenKey, "normal"),
  // Written a few times a day for a server; one that is lost is asked once more and announced again.
  "refused-reads": kind(keyRecords.parseRefusedRead, "normal"),
  // One that is lost costs a refusal more, or the sign in /setup start until the next command.
  "command-permissions": kind(keyRecords.parseCommandPermission, "normal"),
  "registered-commands": kind(parseRegistered, "normal"),
  "journal-heads": kind(parseJournalHead, "normal"),
  "journal-chunks": kind(parseJournalChunk, "normal"),
  "feed-offsets": kind(parseOffset, "normal"),
  cards: kind(parseCard, "normal", byField),
  // Written before it is posted, for the process that is killed meanwhile.
  notices: kind(parseOwedNotice, "normal", byField),
  panels: kind(parsePanel, "full", byField),
  // A vote, or a start, waits for it before it is posted.
  sessions: kind(parseSession, "full", byField),
  "session-pages": kind(parseSessionPage, "full", byField),
  rules: kind(parseGuildRules, "full", byField),
  // A step is written there before it is sent.
  "rule-states": kind(parseServerRules, "full", byField),
  // Whom Marshal raises stands there before anything is sent.
  ranks: kind(parseServerRanks, "full", byField),
  // By server, of all guilds: the one that keeps its ranks.
  "rank-keepings": kind(parseRankKeeping, "full"),
  // By player, of all guilds.
  "player-messages": kind(parseSentToPlayer, "full"),
  "weekly-summaries": kind(parseWeekly, "full", byKey),
  "unstored-cases": kind(parseUnstoredCase, "normal", byField),
  "clean-stop": kind(parseCleanEnd, "full"),
  "disk-marks": kind(parseDiskMark, "full"),
  "deferred-runs": kind(parseDeferredRun, "full", {
    guildOf: (_, { request }) => request.actor.guildId,
  }),
  schedules: kind(parseSchedule, "full", byField),
  "asked-bans": kind(parseAskedBan, "full", byField),
  appeals: kind(parseAppeal, "full", byField),
  "ban-ends": kind(parseBanEnd, "full", byField),
  "game-accounts": kind(parseGuildAccounts, "full"),
  "allowed-mentions": kind(parseAllowedMention, "full", byField),
  "alert-rules": kind(parseGuildAlerts, "full", byKey),
  // Written with each answer that brings something to count; what a power cut takes is counted again, and a message is
  // looked for in its channel before it is posted a second time.
  "alert-states": kind(parseServerState, "normal"),
  "sealed-root": kind(schemas.parseSealedRoot, "full"),
  "stored-form": kind(schemas.parseFormMark, "full"),
} as const;

export type Namespace = keyof typeof DOCUMENT_KINDS;

/** Every table of the store. */
export const ROW_KINDS = {
  "journal-rows": { parse: parseJournalRow },
} as const;

export type Table = keyof typeof ROW_KINDS;
type RowOf<T extends Table> = ReturnType<(typeof ROW_KINDS)[T]["parse"]>;

/** The rows of one table. */
export function rowsOf<T extends Table>(store: Store, table: T): Rows<RowOf<T>> {
  return store.rows(table, ROW_KINDS[table].parse as (value: unknown) => RowOf<T>);
}

type ValueOf<N extends Namespace> = ReturnType<(typeof DOCUMENT_KINDS)[N]["parse"]>;

/**
 * The documents of one namespace, as the table says. `isOurs`: only documents of these guilds are found when all are read,
 * because the others are another process's. @default all are
 */
export function documentsOf<N extends Namespace>(
  store: Store,
  namespace: N,
  isOurs?: (guildId: string) => boolean,
): Documents<ValueOf<N>> {
  const { parse, durability, writers, turn, ...kind } = DOCUMENT_KINDS[namespace];
  const guildOf = kind.guildOf as ((key: string, value: ValueOf<N>) => string) | undefined;
  const all = store.documents(namespace, parse as (value: unknown) => ValueOf<N>, durability, {
    writers,
    turn,
  });
  if (isOurs === undefined || guildOf === undefined) return all;
  return {
    get: (key) => all.get(key),
    set: (key, value) => all.set(key, value),
    delete: (key) => all.delete(key),
    async *entries() {
      for await (const [key, value] of all.entries()) if (isOurs(guildOf(key, value))) yield [key, value];
    },
  };
}

/** A change of a document or a row that has a line in one of the tables above. */
export type DocumentChange =
  | { [N in Namespace]: Change<N, ValueOf<N>> }[Namespace]
  | { [T in Table]: RowsChange<T, RowOf<T>> }[Table];

/** Writes documents and rows of any namespaces, all or none of them. A namespace that anyone raises or that goes ahead is a TypeError. */
export function writeTogetherOn(store: Store): WriteTogether<DocumentChange> {
  return (changes) => store.write(changes);
}
