import type { Config } from "./config.ts";
import { caseRenderer } from "./discord/render/players/watch-cards.ts";
import { weeklyRenderer } from "./discord/render/stats/weekly-card.ts";
import type { Services } from "./discord/services.ts";
import { isBannedAgain, standingBan } from "./domain/case.ts";
import type { AuditLog } from "./domain/ports/audit-log.ts";
import type { Bindings } from "./domain/ports/bindings.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Demands } from "./domain/ports/demands.ts";
import type { Documents } from "./domain/ports/documents.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { Metrics } from "./domain/ports/metrics.ts";
import type { Notifier, OwedMessages } from "./domain/ports/notifier.ts";
import type { Posts } from "./domain/ports/posts.ts";
import type { Settings } from "./domain/ports/settings.ts";
import type { FeedsWing } from "./feeds/feeds.ts";
import { originOfRun } from "./history/cases/case-of-command.ts";
import { type CasesRoom, createCases } from "./history/cases/create-cases.ts";
import { CASES_OFF, WATCHES_OFF } from "./history/cases/no-cases.ts";
import type { UnstoredCase } from "./history/cases/unstored-case.ts";
import { createHistory, type HistoryWing } from "./history/create-history.ts";
import { BEING_OPENED } from "./history/ingest/recording-state.ts";
import { createNoHistory } from "./history/no-history.ts";
import { WEEKLY_OFF } from "./history/weekly/no-weekly.ts";
import { WeeklyBoard, type WeeklyPorts } from "./history/weekly/weekly-board.ts";
import type { WeeklyRecord } from "./history/weekly/weekly-record.ts";
import type { RootLog } from "./log.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import type { LinkedAccounts } from "./runs/accounts/linked-accounts.ts";
import { readLogged } from "./runs/catalogue/read-logged.ts";
import { HARMLESS_NAMES } from "./runs/catalogue/verbs.ts";
import type { Runs } from "./runs/runs.ts";
import type { RunsPorts } from "./runs/runs-ports.ts";

export interface HistoryWingParts {
  readonly config: Pick<Config, "historyUrl" | "mapImage">;
  readonly historyKey: Uint8Array;
  readonly bindings: Bindings;
  readonly accounts: Pick<LinkedAccounts, "ofUser">;
  readonly feeds: Pick<FeedsWing, "callsOnCards">;
  /** Guilds that record where people are: the history keeps it, others read it. */
  readonly tracked: Set<string>;
  /** Its clock goes on when the lease of this process is over: what was read is still recorded. */
  readonly leased: { readonly clock: Clock } | undefined;
  readonly demands: Demands;
  readonly journal: JournalLooks;
  /** Whether this process serves a guild; of others it records nothing. */
  readonly discord: { isOurs(guildId: string): boolean };
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: MetricsRegistry;
  readonly log: RootLog;
}

/** The history alone, before what asks it for names. Undefined: the operator keeps none. */
export function buildHistoryWing(parts: HistoryWingParts): HistoryWing | undefined {
  const {
    config,
    historyKey,
    bindings,
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
  } = parts;
  if (config.historyUrl === undefined) return undefined;
  const wing = createHistory({
    url: config.historyUrl,
    mapImage: config.mapImage,
    markKey: historyKey,
    bindings,
    demands,
    journal,
    tracked,
    isOurs: (guildId) => discord.isOurs(guildId),
    read: readLogged,
    harmless: HARMLESS_NAMES,
    callsOnCards: (bindingId) => feeds.callsOnCards(bindingId),
    accountOf: async (guildId, userId) => (await parts.accounts.ofUser(guildId, userId))?.player,
    clock: leased?.clock ?? clock,
    random,
    metrics,
    log,
  });
  const isWorking = () => (wing.state().trouble === null ? 1 : 0);
  metrics.gauge("marshal_history_working", "1 while the history can be written.", isWorking);
  const queued = () => wing.state().queued;
  metrics.gauge("marshal_history_queued", "Answers that wait to be recorded.", queued);
  return wing;
}

/** What in-game commands ask of the history: nobody is known and nobody was banned again where it is off. */
export function knownToHistory(
  wing: HistoryWing | undefined,
): Pick<RunsPorts, "history" | "isBannedAgain" | "standingBan" | "caseOf"> {
  return {
    history: (wing ?? createNoHistory()).players,
    caseOf: wing && ((guildId, runId) => wing.caseStores.store.byOrigin(guildId, originOfRun(runId))),
    async isBannedAgain({ id, guildId, bindingId, playerId, sentAtMs }) {
      if (wing === undefined) return false;
      const filter = { playerId, kind: "ban", fromMs: sentAtMs, bindingIds: [bindingId], limit: 20 } as const;
      const found = await wing.caseStores.store.search(guildId, filter);
      return isBannedAgain(found, { bindingId, origin: originOfRun(id) });
    },
    async standingBan({ guildId, bindingId, playerId, sentAtMs, endsAtMs }) {
      if (wing === undefined) return undefined;
      const { store } = wing.caseStores;
      const filter = { playerId, toMs: sentAtMs - 1, bindingIds: [bindingId], limit: 20 } as const;
      const kinds = ["ban", "unban"] as const;
      const found = await Promise.all(kinds.map((kind) => store.search(guildId, { ...filter, kind })));
      const page = { playerId, list: "sessions", limit: 1, bindingId } as const;
      const [last] = (await wing.cards.page(guildId, page)).sessions ?? [];
      const joinedS = last?.start.isSure === true ? last.start.atS : last?.start.afterS;
      const joinedMs = joinedS === undefined ? undefined : joinedS * 1_000;
      return standingBan(found.flat(), { bindingId, untilMs: endsAtMs, joinedMs })?.number;
    },
  };
}

export interface HistoryBuildParts {
  readonly wing: HistoryWing | undefined;
  readonly bindings: Bindings;
  /** Whether this process serves a guild; of others it records nothing, and posts nothing about them. */
  isOurs(guildId: string): boolean;
  readonly settings: Settings;
  /** Where the weekly summaries go, and what was posted of them. */
  readonly weekly: Documents<WeeklyRecord>;
  readonly unstoredCases: Documents<UnstoredCase>;
  readonly audit: Pick<AuditLog, "get">;
  readonly owed: OwedMessages;
  readonly posts: Posts;
  readonly notifier: Notifier;
  readonly runs: Runs;
  readonly journal: JournalLooks;
  /** What the weekly summary says of duty. */
  readonly dutyOf: WeeklyPorts["dutyOf"];
  readonly clock: Clock;
  readonly random: Random;
  readonly wholeSinceMs: number | undefined;
  readonly metrics: Metrics;
  readonly log: RootLog;
}

/** The history and what rests on it, as the rest of the bot sees them. */
export interface BuiltHistory {
  /** For commands; where no history is kept, each question says so. */
  readonly services: Pick<Services, "history" | "cases" | "watches" | "weekly">;
  /** Absent where no history is kept. */
  readonly wing: HistoryWing | undefined;
  readonly cases: CasesRoom | undefined;
  readonly weekly: Pick<WeeklyBoard, "onUnlinked"> | undefined;
  /** What the operator should know of it; none: all is recorded. */
  notes(): readonly string[];
  start(): Promise<void>;
  /** Waits for what is on its way into channels. */
  stopPosts(): Promise<void>;
  /** Waits for the database. */
  stop(): Promise<void>;
  /** The same for a process whose lease is over: it may post nothing more, so no post is waited for. */
  drop(): Promise<void>;
}

/** Up to when the history knows a server, epoch seconds; undefined: nobody has looked. */
export async function lookedUpTo(
  { dutyStore }: Pick<HistoryWing, "dutyStore">,
  { guildId, bindingId }: { readonly guildId: string; readonly bindingId: string },
): Promise<number | undefined> {
  const { servers } = await dutyStore.facts({ guildId, playerIds: [], fromS: 0 });
  return servers.find((server) => server.bindingId === bindingId)?.lookedS;
}

/** Builds the cases and the watchlist, and lets them and the history hear of snapshots and runs. Starts nothing. */
export function buildHistory({ wing, ...parts }: HistoryBuildParts): BuiltHistory {
  if (wing === undefined) {
    return {
      services: { history: createNoHistory(), cases: CASES_OFF, watches: WATCHES_OFF, weekly: WEEKLY_OFF },
      wing: undefined,
      cases: undefined,
      weekly: undefined,
      notes: () => [],
      start: () => Promise.resolve(),
      stopPosts: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      drop: () => Promise.resolve(),
    };
  }
  const { runs, journal, metrics, log } = parts;
  const cases = createCases({
    ...parts,
    ...wing.caseStores,
    there: wing.there,
    unstored: parts.unstoredCases,
    accounts: runs.accounts,
    renderer: caseRenderer,
    read: runs.catalogue.readLogged,
    async findPlayers(guildId, name) {
      const found = await wing.players.find(guildId, name);
      return found.map(({ playerId, name: own }) => ({ name: own, id: playerId }));
    },
    onUnreadable(watches) {
      metrics.count("marshal_watches_unreadable_total", {}, watches);
      log.warn({ watches }, "watches that cannot be read are left out");
    },
    hasReplay: (one) => wing.positions.hasReplay(one),
    keeps: async (guildId) => (await wing.privacy.retention(guildId)) !== "off",
    report: (what, err) => log.warn({ err }, what),
  });
  const weekly = new WeeklyBoard({
    ...parts,
    lookedS: ({ guildId, id }) => lookedUpTo(wing, { guildId, bindingId: id }),
    documents: parts.weekly,
    stats: wing.stats,
    privacy: wing.privacy,
    renderer: weeklyRenderer,
    report: (what, err) => log.warn({ err }, what),
  });
  wing.onGuildErased((guildId) => cases.onErased(guildId));
  journal.follow({
    async take({ look, written }) {
      await written;
      cases.take(look);
    },
  });
  runs.listen((record) => cases.onRun(record));
  return {
    services: { history: wing, cases: cases.cases, watches: cases.watches, weekly },
    wing,
    cases,
    weekly,
    notes() {
      const { trouble } = wing.state();
      if (trouble === null) return [];
      // A second of each start, which needs nobody.
      if (trouble === BEING_OPENED) return ["the history is being opened"];
      return [`the history is not recorded: ${trouble}`];
    },
    async start() {
      await wing.start();
      cases.start();
      await weekly.start();
    },
    async stopPosts() {
      await Promise.all([weekly.stop(), cases.stop()]);
    },
    stop: () => wing.stop(),
    async drop() {
      // What waits for the permit to post waits for ever; these begin nothing more.
      void weekly.stop();
      void cases.stop();
      await wing.stop();
    },
  };
}
