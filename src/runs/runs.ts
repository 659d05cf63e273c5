import type { Binding } from "../domain/guild.ts";
import type { SourceId } from "../domain/model.ts";
import type { AskedBans } from "../domain/ports/asked-bans.ts";
import type { AuditLog, Refusals } from "../domain/ports/audit-log.ts";
import type { BanEnds } from "../domain/ports/ban-ends.ts";
import type { CommandCatalogue } from "../domain/ports/command-catalogue.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { Permissions } from "../domain/ports/permissions.ts";
import type { RunAuthors } from "../domain/ports/run-authors.ts";
import type { RunQueue } from "../domain/ports/run-queue.ts";
import type { Runner } from "../domain/ports/runner.ts";
import type { Schedules } from "../domain/ports/schedules.ts";
import type { RunRecord } from "../domain/run.ts";
import { createGameAccounts } from "./accounts/game-accounts.ts";
import { AuditChannelMirror } from "./audit/channel-mirror.ts";
import { LateOutcomes } from "./audit/late-outcomes.ts";
import { recoverRuns } from "./audit/recover-runs.ts";
import { RefusalCount } from "./audit/refusal-count.ts";
import { startRetention } from "./audit/retention.ts";
import { createBans, createBanWatch } from "./bans/create-bans.ts";
import { createCommandCatalogue } from "./catalogue/suggestions.ts";
import { createPermissions } from "./permission/permissions.ts";
import type { FreshRow } from "./proof/outside-runs.ts";
import { Proof } from "./proof/proof.ts";
import { createRunAuthors } from "./proof/run-authors.ts";
import { DeferredRuns } from "./queue/deferred-runs.ts";
import { CommandRunner } from "./queue/runner.ts";
import { WaitingRuns } from "./queue/waiting-runs.ts";
import type { RunsPorts } from "./runs-ports.ts";
import { ScheduleBook } from "./schedules/schedule-book.ts";

export interface Runs {
  readonly runner: Runner;
  readonly queue: RunQueue;
  readonly permissions: Permissions;
  readonly catalogue: CommandCatalogue;
  readonly accounts: GameAccounts;
  readonly schedules: Schedules;
  readonly banEnds: BanEnds;
  readonly askedBans: AskedBans;
  /** The audit that everyone else writes to: it mirrors into the guild's audit channel. */
  readonly audit: AuditLog;
  readonly refusals: Refusals;
  readonly authors: RunAuthors;
  /** Concludes what a crash left behind. To be called when the store is open. */
  start(): Promise<void>;
  /** From now on schedules run and bans end. To be called when Discord is there, which is asked for their owners' roles. */
  beginSchedules(): void;
  /** Ends waiting runs and says so, then waits for those being sent, at most `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
  /** The same for a process that may not write any more: only who asked reads of it. */
  drop(closed: Promise<unknown>): Promise<void>;
  /** For /state; no texts, no names. */
  state(): object;
  /** For /metrics. */
  gauges(): { readonly waiting: number; readonly running: number };
  onKeyParked(source: SourceId): void;
  /** Hears of each change of a run, after it was written into the audit. */
  listen(listener: (record: RunRecord) => void): void;
  /** Hears of each game account that was linked or unlinked, after it was stored. */
  listenAccounts(listener: (guildId: string) => void): void;
  /**
   * Hears of new rows of a linked server that no run accounts for; the same may come again after a crash. Where it
   * rejects they come again with the next answer.
   */
  listenOutside(listener: OutsideListener): void;
  /** A server has a new key. */
  onReplaced(from: SourceId, to: SourceId): void;
  onUnlinked(binding: Binding): Promise<void>;
  /** The guild has removed the bot. */
  onGuildRemoved(guildId: string): Promise<void>;
}

type OutsideListener = (binding: Pick<Binding, "guildId" | "id">, rows: readonly FreshRow[]) => Promise<void>;

/** The part of a stop's time that is kept for the last writes and for mirroring. */
const LAST_WRITES_MS = 1_000;

/** The wing of in-game commands. */
export function createRuns(ports: RunsPorts): Runs {
  const { settings, bindings, clock } = ports;
  const owns = ports.owns ?? (() => true);
  const isStoreInDoubt = ports.isStoreInDoubt ?? false;
  const report = (what: string, error: unknown) => ports.report(what, error);
  const watchOutside = (guildId: string) =>
    proof
      .watchOutside(guildId)
      .catch((error: unknown) => report("a guild's log could not be watched", error));
  async function followLinks(guildId: string): Promise<void> {
    try {
      const linked = await bindings.list(guildId);
      deferred.followLinks(linked);
      codes.followLinks(linked);
    } catch (error) {
      report("a guild's servers could not be read", error);
    }
  }
  const audit = new AuditChannelMirror({
    ...ports,
    report,
    // A key may have been replaced: logs are demanded of the server as it is now, and what waits, waits for it.
    onEvent: (guildId) =>
      void Promise.all([watchOutside(guildId), bans.watchLogs(guildId), followLinks(guildId)]),
  });
  const late = new LateOutcomes({ ...ports, report });
  let onOutside: OutsideListener = () => Promise.resolve();
  const proof = new Proof({
    ...ports,
    wholeSinceMs: ports.wholeSinceMs,
    audit,
    onProof: (record) => late.onProof(record),
    onProvedElsewhere: (record) => {
      audit.heard(record);
      late.onProof(record);
    },
    onOutside: (binding, rows) => onOutside(binding, rows),
  });
  const refusals = new RefusalCount({ ...ports, audit, report });
  const watched = createBanWatch({ ...ports, owns });
  const runner = new CommandRunner({
    ...ports,
    bans: watched.watch,
    audit,
    refusals,
    report,
    onOver: ({ record }) => proof.seek(record),
    onEnded: (record) => bans.onEnded(record),
  });
  const deferred = new DeferredRuns({
    ...ports,
    audit,
    runner,
    late,
    report,
    owns,
    isStoreInDoubt,
    documents: ports.deferred,
  });
  const schedules = new ScheduleBook({ ...ports, audit, runner, report, owns, documents: ports.schedules });
  const banParts = { audit, runner, late, report, owns, isStoreInDoubt, share: runner.share };
  const bans = createBans({ ...ports, ...banParts }, watched);
  audit.listen((record) => bans.onRun(record));
  const { accounts, codes, listen: listenAccounts } = createGameAccounts({ ...ports, audit, report });
  let endRetention: () => void = () => undefined;
  let telling: Promise<void> = Promise.resolve();

  async function start(): Promise<void> {
    const seek = (record: RunRecord) => proof.seek(record);
    const tell = await recoverRuns({ ...ports, audit, late, owns, isStoreInDoubt, seek });
    // Not awaited, because there may be many and Discord may be slow.
    telling = tell().catch((error: unknown) => report("outcomes of an earlier run could not be told", error));
    await deferred.load();
    await schedules.load();
    await bans.load();
    const guilds = new Set<string>();
    for (const { guildId } of bindings.linked()) if (owns(guildId)) guilds.add(guildId);
    for (const guildId of guilds) await Promise.all([watchOutside(guildId), bans.watchLogs(guildId)]);
    const { serviceTime } = watched;
    endRetention = startRetention({ ...ports, audit, serviceTime, report, owns });
  }

  async function stop(deadlineMs: number): Promise<void> {
    endRetention();
    late.stop();
    const limit = new AbortController();
    const tooLate = clock.sleep(deadlineMs, limit.signal).catch(() => undefined);
    const begun = Promise.all([schedules.stop(), bans.stop()]);
    // The rest of the time is for the last writes and for mirroring.
    await runner.stop(Math.max(0, deadlineMs - LAST_WRITES_MS));
    await Promise.race([
      tooLate,
      Promise.all([telling, deferred.stop(), refusals.flush(), begun])
        .then(() => Promise.all([schedules.flushed(), bans.flushed()]))
        .then(() => audit.flushed()),
    ]);
    limit.abort();
    codes.stop();
    proof.stop();
  }

  ports.journal.follow({
    async take({ look, written }) {
      bans.noteTime(look);
      await deferred.take(look);
      await written;
      await bans.take(look);
      await proof.take(look);
      await codes.take(look);
    },
  });
  return {
    runner,
    queue: new WaitingRuns(runner, deferred, settings),
    permissions: createPermissions(ports),
    catalogue: createCommandCatalogue(ports),
    accounts,
    schedules,
    banEnds: bans.ends,
    askedBans: bans.asked,
    audit,
    refusals,
    authors: createRunAuthors({
      ...ports,
      wholeSinceMs: ports.wholeSinceMs,
      audit,
      serviceTime: watched.serviceTime,
    }),
    start,
    beginSchedules() {
      schedules.begin();
      bans.begin();
    },
    stop,
    drop(closed) {
      late.stop();
      return runner.drop(closed);
    },
    gauges: () => runner.lanes.gauges(),
    state: () => ({
      ...runner.state(),
      deferred: deferred.count,
      schedules: schedules.count,
      banEnds: bans.count,
      proofPending: proof.pendingCount,
    }),
    listen: (listener) => audit.listen(listener),
    listenAccounts,
    listenOutside: (listener) => {
      onOutside = listener;
    },
    onKeyParked: (source) => runner.onKeyParked(source),
    onReplaced: (from, to) => proof.onReplaced(from, to),
    onUnlinked: async (binding) => {
      runner.onUnlinked(binding);
      codes.onUnlinked(binding);
      await deferred.onUnlinked(binding);
      await schedules.onUnlinked(binding);
      await bans.onUnlinked(binding);
      await watchOutside(binding.guildId);
    },
    onGuildRemoved: (guildId) => schedules.forgetGuild(guildId),
  };
}
