import type { AskedBan } from "../domain/asked-ban.ts";
import type { BanEnd } from "../domain/ban-end.ts";
import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { HistoryPlayers } from "../domain/ports/history.ts";
import type { JournalLooks } from "../domain/ports/journal.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Notifier, OwedMessages } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { LateAnswers, RunAnswers } from "../domain/ports/run-answers.ts";
import type { RunRenderer } from "../domain/ports/run-renderer.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { DeferredRun } from "../domain/run.ts";
import type { Schedule } from "../domain/schedule.ts";
import type { LinkedAccounts } from "./accounts/linked-accounts.ts";
import type { LateOutcomesPorts } from "./audit/late-outcomes.ts";
import type { CheckLiftPorts } from "./bans/check-lift.ts";

/** What the wing of in-game commands gets. */
export interface RunsPorts {
  readonly client: Pick<ServiceClient, "command">;
  readonly health: ServiceHealth;
  readonly snapshots: Snapshots;
  readonly demands: Demands;
  readonly bindings: Bindings;
  readonly settings: Settings;
  /** Every guild of which anything is kept; some may come twice. */
  readonly guilds: () => AsyncIterable<string>;
  readonly audit: AuditLog;
  /** Names of people who are not in a server. */
  readonly history: Pick<HistoryPlayers, "findAll">;
  readonly members: Members;
  readonly posts: Posts;
  readonly owed: OwedMessages;
  readonly notifier: Notifier;
  readonly renderer: RunRenderer;
  readonly answers: RunAnswers;
  readonly lateAnswers: LateAnswers;
  /** With `parseDeferredRun`; durable. */
  readonly deferred: Documents<DeferredRun>;
  /** With `parseSchedule`; durable. */
  readonly schedules: Documents<Schedule>;
  /** With `parseBanEnd`; durable. */
  readonly banEnds: Documents<BanEnd>;
  /** With `parseAskedBan`; durable. */
  readonly askedBans: Documents<AskedBan>;
  readonly isBannedAgain: CheckLiftPorts["isBannedAgain"];
  readonly standingBan: CheckLiftPorts["standingBan"];
  readonly caseOf: LateOutcomesPorts["caseOf"];
  readonly accounts: LinkedAccounts;
  readonly journal: JournalLooks;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, "count">;
  /** Defects, for the log: what was being done, and the error. */
  report(what: string, error: unknown): void;
  /** Whether this process serves the guild (its shards); absent: all. */
  readonly owns?: (guildId: string) => boolean;
  /** The store may be set back by seconds, so that what it calls waiting may have been sent. @default false */
  readonly isStoreInDoubt?: boolean | undefined;
  /** It was put back from an older copy: more than seconds may be missing. @default false */
  readonly isOlderCopy?: boolean | undefined;
  /** Of the time before, runs may be missing in the audit: the store was put back from a copy then. Epoch milliseconds. */
  readonly wholeSinceMs?: number | undefined;
}
