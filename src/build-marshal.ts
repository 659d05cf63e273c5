import { commands } from "../commands/index.ts";
import { buildAlerts } from "./build-alerts.ts";
import { buildAppeals } from "./build-appeals.ts";
import { buildDuty, whoToPing } from "./build-duty.ts";
import { buildHistory, buildHistoryWing, knownToHistory } from "./build-history.ts";
import { buildJournal } from "./build-journal.ts";
import { buildOperation, statesOf } from "./build-operation.ts";
import { buildOutbox } from "./build-outbox.ts";
import { buildRules } from "./build-rules.ts";
import { buildService } from "./build-service.ts";
import { buildSessions } from "./build-sessions.ts";
import type { Config } from "./config.ts";
import { createDiscord } from "./discord/create-discord.ts";
import { feedRenderer } from "./discord/render/feed.ts";
import { runRenderer } from "./discord/render/run-renderer.ts";
import { panelRenderer } from "./discord/render/server/panel.ts";
import { DutyRoster } from "./domain/duty-roster.ts";
import { createFeeds } from "./feeds/feeds.ts";
import { PanelBoard } from "./feeds/panels/panel-board.ts";
import { createGuildLifecycle, knownGuilds } from "./guild-lifecycle.ts";
import { dropAll, servedBy } from "./leased-parts.ts";
import type { Marshal, Runtime } from "./marshal.ts";
import { openDocuments } from "./open-documents.ts";
import { createMetrics } from "./ops/metrics.ts";
import { startInOrder } from "./ops/start-order.ts";
import { Starting } from "./ops/starting.ts";
import { stopOrder } from "./ops/stop-order.ts";
import { LinkedAccounts } from "./runs/accounts/linked-accounts.ts";
import { createRuns } from "./runs/runs.ts";
import { servicesOfWings } from "./services-of-wings.ts";
import { GuildRetention } from "./store/guild-retention.ts";
import { openStore } from "./store/open-store.ts";
import { createWatch } from "./watch/watch.ts";

/** Builds every part by hand and starts nothing. A part that is not named here does not run. */
export async function buildMarshal(config: Config, runtime: Runtime): Promise<Marshal> {
  const { log, clock, random, leased } = runtime;
  const metrics = leased?.metrics ?? runtime.metrics ?? createMetrics({ ofProcess: true });
  const store = await openStore(config.storeUrl, { log, fence: leased?.fence, timedBy: { clock, metrics } });
  const isOurs = leased && servedBy(leased.shards);
  const kept = await openDocuments(store, config, { ...runtime, isOurs }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { bindings, settings } = kept;
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  const report = (message: string, err: unknown) => log.error({ err }, message);
  const discord = createDiscord({
    token: config.discordToken,
    apiUrl: config.discordApiUrl,
    shards: leased?.shards ?? "auto",
    gateway: leased?.gateway,
    permit: leased?.permit,
    docsUrl: config.docsUrl,
    settings,
    bindings,
    registered: kept.registered,
    clock,
    random,
    metrics,
    log,
  });
  const { outbox, notifier } = buildOutbox({
    discord,
    notices: kept.notices,
    cleanStop: kept.postsEnd,
    settings,
    bindings,
    blocks: leased?.blocks,
    clock,
    random,
    metrics,
    report: warn,
  });
  const accounts = new LinkedAccounts(kept.accounts);
  // Each document is handed over by name, so that no wing receives the keys.
  const { retained, banEnds, askedBans, journals: stored } = kept;
  const isStoreInDoubt = leased?.isStoreInDoubt ?? kept.isCopy;
  const isOlderCopy = leased?.isOlderCopy ?? kept.isCopy;
  const wholeSinceMs = isStoreInDoubt ? clock.nowMs() : kept.wholeSinceMs;
  const isHere = (guildId: string) => discord.isHere(guildId);
  const retention = new GuildRetention({ ...retained, bindings, settings, accounts, clock, isHere, report });

  const ofService = buildService({ config, kept, notifier, leased, clock, random, metrics, log });
  const { service, serviceEvents, serviceForCommands } = ofService;
  const watch = createWatch({
    client: service,
    health: service,
    clock,
    random,
    metrics,
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    onDefect: (err) => report("what a poll read could not be worked on; the server is read again", err),
  });
  const { snapshots, demands } = watch;
  watch.listen(retention);
  service.shareBy(() => watch.appetite());
  const journalOwner = leased === undefined ? "server" : "guild";
  const journal = buildJournal({ stored, bindings, journalOwner, discord, watch, clock, random, warn });
  const roster = new DutyRoster(clock);
  // Guilds that record where people are: the history says which.
  const tracked = new Set<string>();
  const onDuty = { roster, whoToPing: whoToPing({ roster, settings, mentions: kept.mentions }) };
  const feeds = createFeeds({
    ...onDuty,
    tracked,
    bindings,
    feedStore: kept.feedStore,
    journal,
    offsets: kept.offsets,
    cards: kept.cards,
    journalOwner,
    onDisk: kept.onDisk,
    cleanStop: kept.cleanStop,
    clock,
    random,
    posts: outbox.posts,
    batches: outbox.batches,
    renderer: feedRenderer,
    guilds: discord.guilds,
    notifier,
    metrics,
    snapshots,
    demands,
    health: service,
    nonceKey: kept.nonceKey,
    warn,
  });
  const panels = new PanelBoard({
    roster,
    panels: kept.panels,
    bindings,
    snapshots,
    demands,
    health: service,
    posts: outbox.posts,
    modCalls: feeds.modCalls,
    renderer: panelRenderer,
    notifier,
    clock,
    random,
    warn,
  });
  const wing = buildHistoryWing({
    config,
    historyKey: kept.historyKey,
    bindings,
    accounts,
    feeds,
    leased,
    tracked,
    demands,
    journal,
    discord,
    clock,
    random,
    metrics,
    log,
  });
  const runs = createRuns({
    ...knownToHistory(wing),
    owns: (guildId) => discord.isOurs(guildId),
    bindings,
    settings,
    guilds: () => knownGuilds({ bindings, settings }),
    audit: kept.audit,
    isStoreInDoubt,
    isOlderCopy,
    wholeSinceMs,
    answers: kept.runAnswers,
    lateAnswers: discord.lateAnswers,
    deferred: kept.deferred,
    schedules: kept.schedules,
    banEnds,
    askedBans,
    journal,
    accounts,
    client: service,
    health: service,
    snapshots,
    demands,
    members: outbox.members(discord.members, "run"),
    posts: outbox.posts,
    owed: notifier,
    notifier,
    renderer: runRenderer,
    clock,
    random,
    metrics,
    report,
  });
  const live = { wing, journal, bindings, snapshots, notifier, outbox, wholeSinceMs, clock, random, warn };
  const { historyUrl } = config;
  const duty = buildDuty({ ...live, runs, settings, roster, discord, isCopy: kept.isCopy, historyUrl });
  const history = buildHistory({
    ...live,
    dutyOf: (guildId, week) => duty.weekOf(guildId, week),
    weekly: kept.weekly,
    unstoredCases: kept.unstoredCases,
    audit: kept.audit,
    settings,
    posts: outbox.posts,
    owed: notifier,
    isOurs: (guildId) => discord.isOurs(guildId),
    runs,
    metrics,
    log,
  });
  const ofSessions = { sessions: kept.sessions, pages: kept.sessionPages, mentions: kept.mentions };
  const sessions = buildSessions({ ...live, ...ofSessions, demands, isOlderCopy });
  const { ranks, rankKeepings, ruleStates: states, playerMessages: messages } = kept;
  const ofRules = { rules: kept.rules, states, messages, ranks, rankKeepings, isStoreInDoubt, isOlderCopy };
  const rules = buildRules({ ...live, ...ofRules, settings, discord, demands, owed: notifier, runs });
  const alerts = buildAlerts({
    ...live,
    rules: kept.alertRules,
    states: kept.alertStates,
    ...onDuty,
    tracked,
    audit: kept.audit,
    settings,
    demands,
    posts: outbox.posts,
    feeds,
    runs,
    watch,
    report: warn,
    isOurs: (guildId) => discord.isOurs(guildId),
  });
  const appeals = buildAppeals({ ...live, documents: kept.appeals, settings, history, runs, discord });
  const lifecycle = createGuildLifecycle({
    bindings,
    settings,
    retention,
    service,
    serviceEvents,
    feeds,
    journal,
    panels,
    runs,
    history,
    alerts,
    sessions,
    rules,
    outbox,
    report,
  });
  discord.listen(lifecycle.listener);
  serviceEvents.onKeyParked((source) => runs.onKeyParked(source));
  const wings = { discord, service, watch, journal, feeds, runs, outbox };
  const operated = { ...wings, storeUrl: config.storeUrl, store, notifier, bindings, clock, metrics, log };
  const { readiness, heldKeys, host, backups } = buildOperation(operated);
  const starting = new Starting();
  const logIn = () =>
    discord.start(commands, {
      ...serviceForCommands,
      mapCorners: config.mapImage,
      playerMessages: kept.playerMessages,
      ...{ snapshots, host, mentions: kept.mentions, roster },
      ...servicesOfWings({ runs, feeds, history, alerts, duty, sessions, rules, appeals }),
      runAnswers: kept.runAnswers,
      panels,
      sourceOf: kept.keys.sourceOf,
      hideTyped: log.hideTyped,
      owed: notifier,
      ...lifecycle.onLink,
    });
  const startable = {
    ...{ starting, bindings, service, lifecycle, discord, logIn, watch, notifier, readiness },
    async begin() {
      const identity = await kept.begin();
      for (const part of [leased?.knownStore, backups]) part?.onStore(identity);
    },
    posting: [outbox, feeds, panels, runs, alerts, sessions, rules],
    settle: () => leased?.settle() ?? kept.lookedThrough(),
    recording: [history, appeals],
    beginByClock() {
      leased?.knownStore.announce({ posts: outbox.posts, random, isOurs: discord.isOurs });
      runs.beginSchedules();
      duty.start();
      retention.start();
    },
  };

  const parts = { discord, readiness, heldKeys, retention, watch, lifecycle, runs, outbox, feeds, panels };
  const stoppable = { starting, ...parts, duty, sessions, rules, appeals, history, service, store };
  return {
    start: () => startInOrder(startable),
    drop: () => dropAll({ ...stoppable, knownStore: leased?.knownStore }),
    ended: Promise.race([discord.ended, store.lost]),
    steps: stopOrder(stoppable),
    ops: {
      metrics,
      conceal: log.conceal,
      notReady: async () => readiness.reasons(),
      notes: () => history.notes(),
      state: statesOf({ ...wings, alerts, history: history.wing }),
    },
  };
}
