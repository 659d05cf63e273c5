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
  /** The guild that a document belongs to. Absent: it is no guild's, or nothing ever reads all of them. */
  readonly guildOf?: ((key: string, value: T) => string) | undefined;
}

function kind<T>(
  parse: (value: unknown) => T,
  durability: Durability,
  more: Partial<Pick<Kind<T>, "writers" | "guildOf">> = {},
): Kind<T> {
  return { parse, durability, writers: "holder", ...more };
}

const byKey = { guildOf: (key: string) => key };
const byField = { guildOf: (_: string, value: { readonly guildId: string }) => value.guildId };
const raised = { writers: "anyone-raises" } as const;

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
  "audit-days": kind(schemas.parseDayList, "normal"),
  "audit-index": kind(schemas.parseDayIndex, "normal"),
  "departed-guilds": kind(schemas.parseRemovedGuild, "full", byKey),
  // Places of answers are of use for minutes: what a power cut takes is then said in a message.
  "run-answers": kind(schemas.parseSealedAnswer, "normal", byField),
  // A process that lost its lease with a request under way still tells the others what it was answered.
  halts: kind(keyRecords.parseHalt, "full", raised),
  "rejected-keys": kind(keyRecords.parseRejected, "full", raised),
  "key-budget": kind(keyRecords.parseKeyBudget, "full"),
  // Written at every poll, so it does not wait for the disk: it is there for the process that is killed.
  "key-flights": kind(keyRecords.parseOpenRequests, "normal"),
  "taken-keys": kind(keyRecords.parseTakenKey, "normal"),
  // Written a few times a day for a server; one that is lost is asked once more and announced again.
  "refused-reads": kind(keyRecords.parseRefusedRead, "normal"),
  "registered-commands": kind(parseRegistered, "normal"),
  "journal-heads": kind(parseJournalHead, "normal"),
  "journal-chunks": kind(parseJournalChunk, "normal"),
  "feed-offsets": kind(parseOffset, "normal"),
  cards: kind(parseCard, "normal", byField),
  panels: kind(parsePanel, "full", byField),
  "weekly-summaries": kind(parseWeekly, "full", byKey),
  "clean-stop": kind(parseCleanEnd, "full"),
  "disk-marks": kind(parseDiskMark, "full"),
  "deferred-runs": kind(parseDeferredRun, "full", {
    guildOf: (_, { request }) => request.actor.guildId,
  }),
  schedules: kind(parseSchedule, "full", byField),
  "game-accounts": kind(parseGuildAccounts, "full"),
  "seen-rows": kind(parseSeenRows, "normal"),
  "alert-rules": kind(parseGuildAlerts, "full", byKey),
  // Written with each answer that brings something to count; what a power cut takes is counted again, and a message is
  // looked for in its channel before it is posted a second time.
  "alert-states": kind(parseServerState, "normal"),
  "sealed-root": kind(schemas.parseSealedRoot, "full"),
  "stored-form": kind(schemas.parseFormMark, "full"),
} as const;

export type Namespace = keyof typeof DOCUMENT_KINDS;

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
  const { parse, durability, writers, ...kind } = DOCUMENT_KINDS[namespace];
  const guildOf = kind.guildOf as ((key: string, value: ValueOf<N>) => string) | undefined;
  const all = store.documents(namespace, parse as (value: unknown) => ValueOf<N>, durability, writers);
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
