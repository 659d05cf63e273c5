import {
  parseHalt,
  parseKeyBudget,
  parseKeyFlights,
  parseRejected,
  parseTakenKey,
} from "./api/stored-records.ts";
import type { Config } from "./config.ts";
import { parseRegistered } from "./discord/interactions/registration.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Documents } from "./domain/ports/documents.ts";
import { parseCard } from "./feeds/cards/card-records.ts";
import { parseJournalChunk, parseJournalHead } from "./feeds/journal/journal-records.ts";
import { parseOffset } from "./feeds/journal/offsets.ts";
import { parsePanel } from "./feeds/panels/panel-records.ts";
import type { RootLog } from "./log.ts";
import { parseGuildAccounts } from "./runs/accounts/linked-accounts.ts";
import { parseSeenRows } from "./runs/proof/seen-rows.ts";
import { parseDeferredRun } from "./runs/queue/deferred-runs.ts";
import { createAuditLog } from "./store/audit/audit-log.ts";
import { createBindings } from "./store/bindings.ts";
import { createCleanStop, parseCleanEnd } from "./store/clean-stop.ts";
import * as documentSchemas from "./store/document-schemas.ts";
import { createFeedStore } from "./store/feed-store.ts";
import type { Store } from "./store/keyv-documents.ts";
import { createRunAnswers } from "./store/run-answers.ts";
import { loadSecret } from "./store/secret-file.ts";
import { createSettings } from "./store/settings.ts";
import { createVault } from "./store/vault.ts";

/** Reading 25 rows takes about half a millisecond: a scan of the audit takes a tenth of the process at most. */
const SCAN_PAUSE_MS = 5;

interface DocumentParts {
  readonly log: Pick<RootLog, "hide">;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * What lies in the store, namespace by namespace. Bindings and audit survive a power cut, journals a crash. Rejects
 * with a StoreError in words where the secret that sealed the server keys is missing.
 */
export async function openDocuments(store: Store, config: Config, { log, clock, random }: DocumentParts) {
  const sealed = store.documents("bindings", documentSchemas.parseGuildBindings, "full");
  const { storeUrl, secretKey: given } = config;
  const vault = createVault(await loadSecret({ storeUrl, given, hasSealed: () => holdsBindings(sealed) }));
  const { bindings, keys } = createBindings({
    documents: sealed,
    vault,
    clock,
    random,
    serversPerGuild: config.serversPerGuild,
    hideSecret: log.hide,
  });
  return {
    bindings,
    /** Opens keys: for api/ alone. */
    keys,
    nonceKey: vault.derive("nonce"),
    settings: createSettings(store.documents("settings", documentSchemas.parseSettings, "full")),
    feedStore: createFeedStore(store.documents("feeds", documentSchemas.parseFeed, "full")),
    audit: createAuditLog({
      runs: store.documents("audit-runs", documentSchemas.parseRun, "full"),
      events: store.documents("audit-events", documentSchemas.parseEvent, "full"),
      // Written before the row, in the same log: the row's wait for the disk makes these last as well, at a quarter
      // of the time that four waits would block everything else.
      lists: store.documents("audit-lists", documentSchemas.parseDayList, "normal"),
      pages: store.documents("audit-pages", documentSchemas.parseListPage, "normal"),
      open: store.documents("audit-open", documentSchemas.parseOpenMark, "normal"),
      oldDays: store.documents("audit-days", documentSchemas.parseDayList, "normal"),
      oldIndex: store.documents("audit-index", documentSchemas.parseDayIndex, "normal"),
      pause: () => clock.sleep(SCAN_PAUSE_MS),
    }),
    removedGuilds: store.documents("departed-guilds", documentSchemas.parseRemovedGuild, "full"),
    // Places of answers are of use for minutes: what a power cut takes is then told by message.
    runAnswers: createRunAnswers({
      documents: store.documents("run-answers", documentSchemas.parseSealedAnswer, "normal"),
      vault,
      clock,
    }),
    // A process that lost its lease with a request under way still tells the others what it was answered.
    halts: store.documents("halts", parseHalt, "full", "anyone-raises"),
    rejected: store.documents("rejected-keys", parseRejected, "full", "anyone-raises"),
    keyBudget: store.documents("key-budget", parseKeyBudget, "full"),
    // Written at every poll, so it does not wait for the disk: it is there for the process that is killed.
    keyFlights: store.documents("key-flights", parseKeyFlights, "normal"),
    takenKeys: store.documents("taken-keys", parseTakenKey, "normal"),
    registered: store.documents("registered-commands", parseRegistered, "normal"),
    heads: store.documents("journal-heads", parseJournalHead, "normal"),
    chunks: store.documents("journal-chunks", parseJournalChunk, "normal"),
    offsets: store.documents("feed-offsets", parseOffset, "normal"),
    cards: store.documents("cards", parseCard, "normal"),
    panels: store.documents("panels", parsePanel, "full"),
    cleanStop: createCleanStop(store, store.documents("clean-stop", parseCleanEnd, "full")),
    deferred: store.documents("deferred-runs", parseDeferredRun, "full"),
    accounts: store.documents("game-accounts", parseGuildAccounts, "full"),
    seenRows: store.documents("seen-rows", parseSeenRows, "normal"),
  };
}

async function holdsBindings(sealed: Documents<documentSchemas.GuildBindings>): Promise<boolean> {
  for await (const [, { bindings }] of sealed.entries()) if (bindings.length > 0) return true;
  return false;
}
