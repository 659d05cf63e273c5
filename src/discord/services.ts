import type { DutyRoster } from "../domain/duty-roster.ts";
import type { Binding } from "../domain/guild.ts";
import type { MapCorners } from "../domain/map.ts";
import type { SourceId } from "../domain/model.ts";
import type { Alerts } from "../domain/ports/alerts.ts";
import type { Appeals } from "../domain/ports/appeals.ts";
import type { AskedBans } from "../domain/ports/asked-bans.ts";
import type { AuditLog, Refusals } from "../domain/ports/audit-log.ts";
import type { BanEnds } from "../domain/ports/ban-ends.ts";
import type { Bindings, Linked } from "../domain/ports/bindings.ts";
import type { Cases } from "../domain/ports/cases.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { CommandCatalogue } from "../domain/ports/command-catalogue.ts";
import type { CommandPermission } from "../domain/ports/command-permission.ts";
import type { Duty } from "../domain/ports/duty.ts";
import type { Feeds } from "../domain/ports/feeds.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { History } from "../domain/ports/history.ts";
import type { HostHealth } from "../domain/ports/host-health.ts";
import type { GrantableRoles } from "../domain/ports/member-roles.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Mentions } from "../domain/ports/mentions.ts";
import type { ModCalls } from "../domain/ports/mod-calls.ts";
import type { Panels } from "../domain/ports/panels.ts";
import type { PendingLinks } from "../domain/ports/pending-links.ts";
import type { Permissions } from "../domain/ports/permissions.ts";
import type { PlayerMessages } from "../domain/ports/player-messages.ts";
import type { Ranks } from "../domain/ports/ranks.ts";
import type { Rules } from "../domain/ports/rules.ts";
import type { RunAnswers, ShownAnswers } from "../domain/ports/run-answers.ts";
import type { RunAuthors } from "../domain/ports/run-authors.ts";
import type { RunQueue } from "../domain/ports/run-queue.ts";
import type { Runner } from "../domain/ports/runner.ts";
import type { Schedules } from "../domain/ports/schedules.ts";
import type { KeyVerifier } from "../domain/ports/service-client.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { Sessions } from "../domain/ports/sessions.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { Staffing } from "../domain/ports/staffing.ts";
import type { Watches } from "../domain/ports/watches.ts";
import type { WeeklySummaries } from "../domain/ports/weekly.ts";
import type { ServerKey } from "../domain/server-key.ts";

/** The ports that commands use; `src/build-marshal.ts` builds them. */
export interface Services {
  readonly bindings: Bindings;
  readonly keyVerifier: KeyVerifier;
  readonly commandPermission: CommandPermission;
  readonly settings: Settings;
  readonly snapshots: Snapshots;
  readonly health: ServiceHealth;
  readonly permissions: Permissions;
  readonly playerMessages: PlayerMessages;
  readonly members: Members;
  readonly mentions: Mentions;
  readonly roster: Pick<DutyRoster, "here">;
  readonly grantableRoles: GrantableRoles;
  readonly guilds: Guilds;
  readonly host: HostHealth;
  readonly runner: Runner;
  readonly runAuthors: RunAuthors;
  readonly runAnswers: Pick<RunAnswers, "remember" | "forget">;
  readonly shownAnswers: ShownAnswers;
  readonly queue: RunQueue;
  readonly catalogue: CommandCatalogue;
  readonly feeds: Feeds;
  readonly modCalls: ModCalls;
  readonly panels: Panels;
  readonly accounts: GameAccounts;
  readonly history: History;
  readonly schedules: Schedules;
  readonly banEnds: BanEnds;
  readonly askedBans: AskedBans;
  readonly appeals: Appeals;
  readonly audit: AuditLog;
  readonly cases: Cases;
  readonly watches: Watches;
  readonly weekly: WeeklySummaries;
  readonly alerts: Alerts;
  readonly duty: Duty;
  readonly staffing: Staffing;
  readonly sessions: Sessions;
  readonly rules: Rules;
  readonly ranks: Ranks;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly random: Random;
  readonly pendingLinks: PendingLinks;
  /** Discord's id of a registered command by its name, so that a mention of it can be pressed; undefined: not known. */
  readonly commandId: (name: string) => string | undefined;
  /** Of the operator's picture of the map, where there is one. */
  readonly mapCorners: MapCorners | undefined;
  /** The address of the documentation, where the operator gives one. */
  readonly docsUrl: string | undefined;
  /** HMAC of a typed key, which shows whether the key is linked already. */
  sourceOf(key: ServerKey): SourceId;
  /**
   * Called with a typed key before anything is done with it: no output shows it until the function that this returns is
   * called. What cannot be a key is not hidden.
   */
  hideTyped(text: string): () => void;
  /**
   * A key was linked, for the first time or again: a parked source is no longer parked, and feeds that the guild had
   * on this server before it removed the bot begin anew. Where it replaced another key, journal and offsets follow it.
   */
  onLinked(linked: Linked): Promise<{ readonly feedsBack: number }>;
  /** A server was unlinked: its feeds and waiting runs end. */
  onUnlinked(binding: Binding): Promise<void>;
}
