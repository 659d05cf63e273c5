// Over 200 lines: builds the whole bot by hand; each part is named once, in the order in which it is needed.
import { commands } from "../commands/index.ts";
import { buildAlerts } from "./build-alerts.ts";
import { buildHistory } from "./build-history.ts";
import { buildOperation, statesOf } from "./build-operation.ts";
import { buildService } from "./build-service.ts";
import type { Config } from "./config.ts";
import { createDiscord } from "./discord/create-discord.ts";
import { feedRenderer } from "./discord/render/feed.ts";
import { runRenderer } from "./discord/render/run-renderer.ts";
import { panelRenderer } from "./discord/render/server/panel.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import { createFeeds } from "./feeds/feeds.ts";
import { PanelBoard } from "./feeds/panels/panel-board.ts";
import { createGuildLifecycle, knownGuilds } from "./guild-lifecycle.ts";
import { dropAll, type LeasedParts, servedBy } from "./leased-parts.ts";
import type { RootLog } from "./log.ts";
import { openDocuments } from "./open-documents.ts";
import { createMetrics } from "./ops/metrics.ts";
import type { OpsSources } from "./ops/ops-server.ts";
import type { Step } from "./ops/shutdown.ts";
import { stopOrder } from "./ops/stop-order.ts";
import { createRuns } from "./runs/runs.ts";
import { withoutTrust } from "./store/clean-stop.ts";
import { GuildRetention } from "./store/guild-retention.ts";
import { openStore } from "./store/open-store.ts";
import { createWatch } from "./watch/watch.ts";

export interface Runtime {
  readonly log: RootLog;
  readonly clock: Clock;
  readonly random: Random;
  /** Where several processes share a store; absent: this one is alone on it. */
  readonly leased?: LeasedParts | undefined;
}

/** Everything that was built, not yet started. */
export interface Marshal {
  /** Reads the store, logs in to Discord and begins to poll. */
  start(): Promise<void>;
  /** The steps of a stop, in their order. */
  readonly steps: readonly Step[];
  /** Ends without order, when what it holds is another's by now: nothing more is written or posted. */
  drop(): Promise<void>;
  readonly ops: OpsSources;
  /** Resolves with the reason, in words, when the bot can do nothing more until its operator acts. */
  readonly ended: Promise<string>;
}

/** Builds every part by hand and starts nothing. A part that is not named here does not run. */
export async function buildMarshal(config: Config, runtime: Runtime): Promise<Marshal> {
  const { log, clock, random, leased } = runtime;
  const metrics = leased?.metrics ?? createMetrics({ ofProcess: true });
  const store = await openStore(config.storeUrl, { log, fence: leased?.fence });
  const kept = await openDocuments(store, config, { ...runtime, isOurs: leased && servedBy(leased.shards) });
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
    log,
  });
  const { sink, notifier, members } = discord;
  const retention = new GuildRetention({
    documents: kept.removedGuilds,
    bindings,
    settings,
    accounts: kept.accounts,
    alertRules: kept.alertRules,
    feedStore: kept.feedStore,
    audit: kept.audit,
    clock,
    isHere: (guildId) => discord.isHere(guildId),
    report,
  });

  const { service, serviceEvents } = buildService({
    config,
    kept,
    notifier,
    leased,
    clock,
    random,
    metrics,
    log,
  });

  const watch = createWatch({
    client: service,
    health: service,
    clock,
    random,
    metrics,
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    onDefect: (err) => report("a poll failed in a way that was not expected", err),
  });
  const { snapshots, demands } = watch;
  service.shareBy(() => watch.appetite());

  // Each document is handed over by name, so that no wing receives the keys.
  const feeds = createFeeds({
    bindings,
    feedStore: kept.feedStore,
    heads: kept.heads,
    chunks: kept.chunks,
    offsets: kept.offsets,
    cards: kept.cards,
    journalOwner: leased === undefined ? "server" : "guild",
    onDisk: kept.onDisk,
    // Another process may have posted since that mark was left.
    cleanStop: leased === undefined ? kept.cleanStop : withoutTrust(kept.cleanStop),
    clock,
    random,
    sink,
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
    panels: kept.panels,
    bindings,
    snapshots,
    demands,
    health: service,
    sink,
    modCalls: feeds.modCalls,
    renderer: panelRenderer,
    notifier,
    clock,
    random,
    warn,
  });

  const runs = createRuns({
    owns: (guildId) => discord.isOurs(guildId),
    bindings,
    settings,
    guilds: () => knownGuilds({ bindings, settings }),
    audit: kept.audit,
    isStoreInDoubt: leased?.isStoreInDoubt,
    answers: kept.runAnswers,
    lateAnswers: discord.lateAnswers,
    deferred: kept.deferred,
    schedules: kept.schedules,
    seenRows: kept.seenRows,
    accounts: kept.accounts,
    client: service,
    health: service,
    snapshots,
    demands,
    members,
    sink,
    notifier,
    renderer: runRenderer,
    clock,
    random,
    report,
  });
  watch.listen(feeds.listener);
  watch.listen(runs.listener);
  const history = buildHistory({
    url: config.historyUrl,
    markKey: kept.historyKey,
    weekly: kept.weekly,
    bindings,
    demands,
    settings,
    sink,
    notifier,
    isOurs: (guildId) => discord.isOurs(guildId),
    runs,
    watch,
    clock,
    recordingClock: leased?.clock ?? clock,
    random,
    metrics,
    log,
  });
  const alerts = buildAlerts({
    rules: kept.alertRules,
    states: kept.alertStates,
    audit: kept.audit,
    bindings,
    settings,
    demands,
    sink,
    notifier,
    feeds,
    runs,
    watch,
    clock,
    random,
    report: warn,
    isOurs: (guildId) => discord.isOurs(guildId),
  });
  const lifecycle = createGuildLifecycle({
    bindings,
    retention,
    service,
    feeds,
    panels,
    runs,
    history: history.wing,
    cases: history.cases,
    weekly: history.weekly,
    alerts,
  });
  discord.listen(lifecycle.listener);
  serviceEvents.onKeyParked((source) => runs.onKeyParked(source));

  const { readiness, heldKeys, host } = buildOperation({
    store,
    discord,
    service,
    bindings,
    watch,
    feeds,
    runs,
    clock,
    metrics,
    log,
  });

  async function start(): Promise<void> {
    await kept.begin();
    await bindings.load();
    await service.restore();
    await feeds.start();
    await panels.start();
    await runs.start();
    await alerts.start();
    await leased?.settle();
    await history.start();
    await discord.start(commands, {
      keyVerifier: service,
      snapshots,
      health: service,
      host,
      permissions: runs.permissions,
      catalogue: runs.catalogue,
      accounts: runs.accounts,
      schedules: runs.schedules,
      runner: runs.runner,
      runAuthors: runs.authors,
      runAnswers: kept.runAnswers,
      queue: runs.queue,
      feeds: feeds.feeds,
      modCalls: feeds.modCalls,
      panels,
      ...history.services,
      alerts: alerts.alerts,
      audit: runs.audit,
      refusals: runs.refusals,
      sourceOf: kept.keys.sourceOf,
      hideSecret: log.hide,
      ...lifecycle.onLink,
    });
    watch.start();
    runs.beginSchedules();
    retention.start();
    await readiness.start();
  }

  const parts = { discord, readiness, heldKeys, retention, watch, runs, feeds, panels };
  const stoppable = { ...parts, alerts, history, service, store };
  return {
    start,
    drop: () => dropAll(stoppable),
    ended: discord.ended,
    steps: stopOrder(stoppable),
    ops: {
      metrics,
      conceal: log.conceal,
      notReady: async () => readiness.reasons(),
      state: statesOf({ service, watch, feeds, runs, discord, alerts, history: history.wing }),
    },
  };
}
