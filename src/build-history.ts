import { caseRenderer } from "./discord/render/players/watch-cards.ts";
import { weeklyRenderer } from "./discord/render/stats/weekly-card.ts";
import type { Services } from "./discord/services.ts";
import type { Bindings } from "./domain/ports/bindings.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Demands } from "./domain/ports/demands.ts";
import type { Documents } from "./domain/ports/documents.ts";
import type { Notifier } from "./domain/ports/notifier.ts";
import type { Settings } from "./domain/ports/settings.ts";
import type { Sink } from "./domain/ports/sink.ts";
import { type CasesRoom, createCases } from "./history/cases/create-cases.ts";
import { CASES_OFF, WATCHES_OFF } from "./history/cases/no-cases.ts";
import { createHistory, type HistoryWing } from "./history/create-history.ts";
import { createNoHistory } from "./history/no-history.ts";
import { WEEKLY_OFF } from "./history/weekly/no-weekly.ts";
import { WeeklyBoard } from "./history/weekly/weekly-board.ts";
import type { WeeklyRecord } from "./history/weekly/weekly-record.ts";
import type { RootLog } from "./log.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import type { Runs } from "./runs/runs.ts";
import type { Watch } from "./watch/watch.ts";

export interface HistoryBuildParts {
  /** Absent: the operator has turned the history off. */
  readonly url: string | undefined;
  readonly markKey: Uint8Array;
  readonly bindings: Bindings;
  /** Whether this process serves a guild; of others it records nothing, and posts nothing about them. */
  isOurs(guildId: string): boolean;
  readonly demands: Demands;
  readonly settings: Settings;
  /** Where the weekly summaries go, and what was posted of them. */
  readonly weekly: Documents<WeeklyRecord>;
  readonly sink: Sink;
  readonly notifier: Notifier;
  readonly runs: Runs;
  readonly watch: Pick<Watch, "listen">;
  readonly clock: Clock;
  /** Goes on when the lease of this process is over: what was read is still recorded. */
  readonly recordingClock: Clock;
  readonly random: Random;
  readonly metrics: MetricsRegistry;
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
  start(): Promise<void>;
  /** Waits for what is on its way into channels, then for the database. */
  stop(): Promise<void>;
  /** The same for a process whose lease is over: it may post nothing more, so no post is waited for. */
  drop(): Promise<void>;
}

/** Builds the history, the cases and the watchlist, and lets them hear of snapshots and runs. Starts nothing. */
export function buildHistory({ url, ...parts }: HistoryBuildParts): BuiltHistory {
  if (url === undefined) {
    return {
      services: { history: createNoHistory(), cases: CASES_OFF, watches: WATCHES_OFF, weekly: WEEKLY_OFF },
      wing: undefined,
      cases: undefined,
      weekly: undefined,
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      drop: () => Promise.resolve(),
    };
  }
  const { runs, watch, metrics, log } = parts;
  const wing = createHistory({
    ...parts,
    clock: parts.recordingClock,
    url,
    targetsOf: runs.catalogue.targetsOf,
  });
  const isWorking = () => (wing.state().trouble === null ? 1 : 0);
  metrics.gauge("marshal_history_working", "1 while the history can be written.", isWorking);
  const queued = () => wing.state().queued;
  metrics.gauge("marshal_history_queued", "Answers that wait to be recorded.", queued);

  const cases = createCases({
    ...parts,
    ...wing.caseStores,
    accounts: runs.accounts,
    renderer: caseRenderer,
    read: runs.catalogue.readLogged,
    async findPlayers(guildId, name) {
      const found = await wing.players.find(guildId, name);
      return found.map(({ playerId, name: own }) => ({ name: own, playerId }));
    },
    keeps: async (guildId) => (await wing.privacy.retention(guildId)) !== "off",
    report: (what, err) => log.warn({ err }, what),
  });
  const weekly = new WeeklyBoard({
    ...parts,
    documents: parts.weekly,
    stats: wing.stats,
    privacy: wing.privacy,
    renderer: weeklyRenderer,
    report: (what, err) => log.warn({ err }, what),
  });
  wing.onGuildErased((guildId) => cases.onErased(guildId));
  watch.listen(wing.listener);
  watch.listen({ take: async (snapshot) => cases.take(snapshot) });
  runs.listen((record) => cases.onRun(record));
  return {
    services: { history: wing, cases: cases.cases, watches: cases.watches, weekly },
    wing,
    cases,
    weekly,
    async start() {
      await wing.start();
      cases.start();
      await weekly.start();
    },
    async stop() {
      await weekly.stop();
      await cases.stop();
      await wing.stop();
    },
    async drop() {
      // What waits for the permit to post waits for ever; these begin nothing more.
      void weekly.stop();
      void cases.stop();
      await wing.stop();
    },
  };
}
