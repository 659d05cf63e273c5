import type { Config } from "./config.ts";
import { documentsOf, type Namespace, rowsOf, writeTogetherOn } from "./document-table.ts";
import { StoreError } from "./domain/failure.ts";
import type { CleanStop } from "./domain/ports/clean-stop.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Documents } from "./domain/ports/documents.ts";
import type { RootLog } from "./log.ts";
import { createAuditLog } from "./store/audit/audit-log.ts";
import { createBindings } from "./store/bindings.ts";
import { createCleanStop, readCopyMark, withoutTrust } from "./store/clean-stop.ts";
import {
  bringDocumentsToForm,
  DOCUMENT_FORM,
  identify,
  knownIdentity,
  readableForm,
  type StoreIdentity,
} from "./store/document-forms.ts";
import type { GuildBindings } from "./store/document-schemas.ts";
import { createFeedStore } from "./store/feed-store.ts";
import type { Store } from "./store/keyv-documents.ts";
import { createMentions } from "./store/mentions.ts";
import { createDiskWait } from "./store/on-disk.ts";
import { createPlayerMessages } from "./store/player-messages.ts";
import { openVault } from "./store/rotation.ts";
import { createRunAnswers } from "./store/run-answers.ts";
import { loadSecret, moveToFile } from "./store/secret-file.ts";
import { createSettings } from "./store/settings.ts";
import { createVault, type Vault } from "./store/vault.ts";

/** Reading 25 rows takes about half a millisecond: a scan of the audit takes a tenth of the process at most. */
const SCAN_PAUSE_MS = 5;

interface DocumentParts {
  readonly log: Pick<RootLog, "hide" | "info" | "warn">;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this process serves a guild. @default it serves all */
  readonly isOurs?: ((guildId: string) => boolean) | undefined;
}

/**
 * The ports on what lies in the store. Only reads until `begin`, which a process that stands by has not called. Rejects
 * with a StoreError in words where a newer Marshal wrote it, or the secret that sealed the server keys is missing.
 */
export async function openDocuments(store: Store, config: Config, parts: DocumentParts) {
  const { log, clock, random, isOurs } = parts;
  const on = <N extends Namespace>(namespace: N) => documentsOf(store, namespace, isOurs);
  const sealed = documentsOf(store, "bindings");
  const ours = on("bindings");
  const registered = on("registered-commands");
  const marks = on("stored-form");
  // First of all: what a newer Marshal wrote would be read as something else, or as damaged.
  await readableForm(marks);
  const { storeUrl, secretKey: given, secretKeyOld: old } = config;
  let found: string | undefined;
  const secret = await loadSecret({
    storeUrl,
    given,
    hasSealed: () => holdsBindings(sealed),
    onFound: (path) => {
      found = path;
    },
  });
  if (found !== undefined && (await isEmpty(registered))) {
    const what = "the database is new, but its secret is not";
    log.warn(
      { secret: found },
      `${what}: if servers were linked before, STORE_URL points to another file now`,
    );
  }
  const { vault, sealAnew } = await openVault({
    roots: on("sealed-root"),
    bindings: sealed,
    secret,
    old,
    // What another process serves it seals itself: two would undo each other's changes.
    sealed: ours,
  });
  const { bindings, keys } = createBindings({
    documents: ours,
    vault,
    clock,
    random,
    serversPerGuild: config.serversPerGuild,
    hideSecret: log.hide,
  });
  const secretMark = secretMarkOf(vault);
  // Of several processes another may have posted since the mark was left.
  const trusted = (end: CleanStop) => (isOurs === undefined ? end : withoutTrust(end));
  const feedStore = createFeedStore(on("feeds"));
  const alertRules = on("alert-rules");
  const audit = createAuditLog({
    runs: on("audit-runs"),
    events: on("audit-events"),
    lists: on("audit-lists"),
    pages: on("audit-pages"),
    open: on("audit-open"),
    pause: () => clock.sleep(SCAN_PAUSE_MS),
  });
  const ofGuilds = {
    banEnds: on("ban-ends"),
    askedBans: on("asked-bans"),
    appeals: on("appeals"),
    allowedMentions: on("allowed-mentions"),
    sessionPages: on("session-pages"),
    rules: on("rules"),
    ruleStates: on("rule-states"),
    ranks: on("ranks"),
    rankKeepings: on("rank-keepings"),
  };
  return {
    ...ofGuilds,
    ...(await readCopyMark(on("clean-stop"), clock)),
    /**
     * Reads what a holder would read first, and writes nothing. Resolves with the identity of the store, where it has one.
     * Rejects with a StoreError where this process could not serve it.
     */
    async prove(): Promise<StoreIdentity | undefined> {
      await bindings.load();
      const known = await knownIdentity(marks);
      const own = [secretMark, ...(old === undefined ? [] : [secretMarkOf(createVault({ secret: old }))])];
      // Nothing is sealed yet, so nothing failed to open; but whoever serves the store now seals by another secret.
      if (known?.secret !== undefined && !own.includes(known.secret) && (await store.isHeld()))
        throw new StoreError("SECRET_KEY differs from that of the process that serves this store");
      return known;
    },
    /** Before anything else is written: today's form, and the present secret. Resolves with the store's identity. */
    async begin(): Promise<StoreIdentity> {
      const found = await bringDocumentsToForm({ marks, bindings: sealed });
      if (found < DOCUMENT_FORM)
        log.info({ from: found, to: DOCUMENT_FORM }, "the store was updated to this version's format");
      const count = await sealAnew();
      if (old !== undefined) {
        const path = moveToFile(storeUrl, { old, secret });
        const what =
          path === undefined ? "SECRET_KEY_OLD" : `SECRET_KEY_OLD and SECRET_KEY: ${path} holds the new one`;
        log.info({ keys: count }, `all server keys are sealed with SECRET_KEY; you can remove ${what}`);
      }
      const newId = () => random.id();
      return await identify({ marks, secret: secretMark, newId, nowMs: () => clock.nowMs() });
    },
    /** Several documents and rows of any of these kinds, all or none. */
    write: writeTogetherOn(store),
    bindings,
    /** Opens keys: for api/ alone. */
    keys,
    nonceKey: vault.derive("nonce"),
    historyKey: vault.derive("history"),
    /** Names of limits are hashed with it, in the same way by all processes of this store. */
    limitSalt: Buffer.from(vault.derive("limits")).toString("base64"),
    settings: createSettings(on("settings")),
    feedStore,
    audit,
    /** What is kept of a guild that removed the bot, and then forgotten. */
    retained: {
      documents: on("departed-guilds"),
      feedStore,
      audit,
      alertRules,
      several: Object.values(ofGuilds),
    },
    runAnswers: createRunAnswers({
      documents: on("run-answers"),
      vault,
      clock,
    }),
    halts: on("halts"),
    rejected: on("rejected-keys"),
    keyBudget: on("key-budget"),
    openRequests: on("key-flights"),
    takenKeys: on("taken-keys"),
    refusedReads: on("refused-reads"),
    commandPermissions: on("command-permissions"),
    registered,
    journals: {
      heads: on("journal-heads"),
      chunks: on("journal-chunks"),
      rows: rowsOf(store, "journal-rows"),
      write: writeTogetherOn(store),
    },
    offsets: on("feed-offsets"),
    cards: on("cards"),
    notices: on("notices"),
    panels: on("panels"),
    sessions: on("sessions"),
    playerMessages: createPlayerMessages(on("player-messages"), clock),
    weekly: on("weekly-summaries"),
    unstoredCases: on("unstored-cases"),
    cleanStop: trusted(createCleanStop(store, { documents: on("clean-stop"), key: "end" }, clock)),
    postsEnd: trusted(createCleanStop(store, { documents: on("clean-stop"), key: "posts" }, clock)),
    onDisk: createDiskWait(store, on("disk-marks"), clock),
    deferred: on("deferred-runs"),
    schedules: on("schedules"),
    accounts: on("game-accounts"),
    mentions: createMentions(on("allowed-mentions")),
    alertRules,
    alertStates: on("alert-states"),
  };
}

/** What tells the secret of a store, without showing any of it; the same after a change of the secret. */
function secretMarkOf(vault: Pick<Vault, "derive">): string {
  return Buffer.from(vault.derive("store-mark")).toString("hex").slice(0, 32);
}

/** Each start that reached Discord has written there. */
async function isEmpty(documents: Documents<unknown>): Promise<boolean> {
  for await (const _ of documents.entries()) return false;
  return true;
}

async function holdsBindings(sealed: Documents<GuildBindings>): Promise<boolean> {
  for await (const [, { bindings }] of sealed.entries()) if (bindings.length > 0) return true;
  return false;
}
