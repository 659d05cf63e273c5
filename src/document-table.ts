import { parseGuildAlerts } from "./alerts/alert-rules.ts";
import { parseServerState } from "./alerts/server-state.ts";
import * as keyRecords from "./api/stored-records.ts";
import { parseRegistered } from "./discord/interactions/registration.ts";
import type { Documents } from "./domain/ports/documents.ts";
import { parseCard } from "./feeds/cards/card-records.ts";
import { parseJournalChunk, parseJournalHead } from "./feeds/journal/journal-records.ts";
import { parseOffset } from "./feeds/journal/offsets.ts";
import { parsePanel } from "./feeds/panels/panel-records.ts";
import { parseWeekly } from "./history/weekly/weekly-record.ts";
import { parseGuildAccounts } from "./runs/accounts/linked-accounts.ts";
import { parseSeenRows } from "./runs/proof/seen-rows.ts";
import { parseDeferredRun } from "./runs/queue/deferred-run-record.ts";
import { parseSchedule } from "./runs/schedules/schedule-record.ts";
import { parseCleanEnd } from "./store/clean-stop.ts";
import * as schemas from "./store/document-schemas.ts";
import type { Durability, Store, Writers } from "./store/keyv-documents.ts";
import { parseDiskMark } from "./store/on-disk.ts";

interface Kind<T> {
  readonly parse: (value: unknown) => T;
  readonly durability: Durability;
  readonly writers: Writers;
}

function kind<T>(parse: (value: unknown) => T, durability: Durability, writers: Writers = "holder"): Kind<T> {
  return { parse, durability, writers };
}

/** Every namespace of the store: what stands in it, what it survives, who may write it. */
export const DOCUMENT_KINDS = {
  bindings: kind(schemas.parseGuildBindings, "full"),
  settings: kind(schemas.parseSettings, "full"),
  feeds: kind(schemas.parseFeed, "full"),
  "audit-runs": kind(schemas.parseRun, "full"),
  "audit-events": kind(schemas.parseEvent, "full"),
  // Written before the row, in the same log: the row's wait for the disk makes these last as well, at a quarter of the
  // time that four waits would block everything else.
  "audit-lists": kind(schemas.parseDayList, "normal"),
  "audit-pages": kind(schemas.parseListPage, "normal"),
  "audit-open": kind(schemas.parseOpenMark, "normal"),
  "audit-days": kind(schemas.parseDayList, "normal"),
  "audit-index": kind(schemas.parseDayIndex, "normal"),
  "departed-guilds": kind(schemas.parseRemovedGuild, "full"),
  // Places of answers are of use for minutes: what a power cut takes is then told by message.
  "run-answers": kind(schemas.parseSealedAnswer, "normal"),
  // A process that lost its lease with a request under way still tells the others what it was answered.
  halts: kind(keyRecords.parseHalt, "full", "anyone-raises"),
  "rejected-keys": kind(keyRecords.parseRejected, "full", "anyone-raises"),
  "key-budget": kind(keyRecords.parseKeyBudget, "full"),
  // Written at every poll, so it does not wait for the disk: it is there for the process that is killed.
  "key-flights": kind(keyRecords.parseOpenRequests, "normal"),
  "taken-keys": kind(keyRecords.parseTakenKey, "normal"),
  // Written a few times a day for a server; one that is lost is asked once more and told again.
  "refused-reads": kind(keyRecords.parseRefusedRead, "normal"),
  "registered-commands": kind(parseRegistered, "normal"),
  "journal-heads": kind(parseJournalHead, "normal"),
  "journal-chunks": kind(parseJournalChunk, "normal"),
  "feed-offsets": kind(parseOffset, "normal"),
  cards: kind(parseCard, "normal"),
  panels: kind(parsePanel, "full"),
  "weekly-summaries": kind(parseWeekly, "full"),
  "clean-stop": kind(parseCleanEnd, "full"),
  "disk-marks": kind(parseDiskMark, "full"),
  "deferred-runs": kind(parseDeferredRun, "full"),
  schedules: kind(parseSchedule, "full"),
  "game-accounts": kind(parseGuildAccounts, "full"),
  "seen-rows": kind(parseSeenRows, "normal"),
  "alert-rules": kind(parseGuildAlerts, "full"),
  // Written with each answer that brings something to count; what a power cut takes is counted again, and a message is
  // looked for in its channel before it is posted a second time.
  "alert-states": kind(parseServerState, "normal"),
  "sealed-root": kind(schemas.parseSealedRoot, "full"),
  "stored-form": kind(schemas.parseFormMark, "full"),
} as const;

export type Namespace = keyof typeof DOCUMENT_KINDS;

type ValueOf<N extends Namespace> = ReturnType<(typeof DOCUMENT_KINDS)[N]["parse"]>;

/** The documents of one namespace, as the table says. */
export function documentsOf<N extends Namespace>(store: Store, namespace: N): Documents<ValueOf<N>> {
  const { parse, durability, writers } = DOCUMENT_KINDS[namespace];
  return store.documents(namespace, parse as (value: unknown) => ValueOf<N>, durability, writers);
}
