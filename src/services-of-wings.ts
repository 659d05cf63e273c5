import type { AlertsWing } from "./alerts/create-alerts.ts";
import type { AppealsWing } from "./appeals/create-appeals.ts";
import type { BuiltDuty } from "./build-duty.ts";
import type { BuiltHistory } from "./build-history.ts";
import type { BuiltRules } from "./build-rules.ts";
import type { Services } from "./discord/services.ts";
import type { FeedsWing } from "./feeds/feeds.ts";
import type { Runs } from "./runs/runs.ts";
import type { SessionsWing } from "./sessions/create-sessions.ts";

interface BuiltWings {
  readonly runs: Runs;
  readonly feeds: Pick<FeedsWing, "feeds" | "modCalls">;
  readonly history: Pick<BuiltHistory, "services">;
  readonly alerts: Pick<AlertsWing, "alerts">;
  readonly duty: Pick<BuiltDuty, "duty" | "staffing">;
  readonly sessions: Pick<SessionsWing, "sessions">;
  readonly rules: Pick<BuiltRules, "rules" | "ranks">;
  readonly appeals: Pick<AppealsWing, "appeals">;
}

/** What commands may ask of the wings. */
export function servicesOfWings({
  runs,
  feeds,
  history,
  alerts,
  duty,
  sessions,
  rules,
  appeals,
}: BuiltWings) {
  return {
    permissions: runs.permissions,
    catalogue: runs.catalogue,
    accounts: runs.accounts,
    schedules: runs.schedules,
    banEnds: runs.banEnds,
    askedBans: runs.askedBans,
    runner: runs.runner,
    runAuthors: runs.authors,
    queue: runs.queue,
    audit: runs.audit,
    refusals: runs.refusals,
    feeds: feeds.feeds,
    modCalls: feeds.modCalls,
    alerts: alerts.alerts,
    duty: duty.duty,
    staffing: duty.staffing,
    sessions: sessions.sessions,
    rules: rules.rules,
    ranks: rules.ranks,
    appeals: appeals.appeals,
    ...history.services,
  } satisfies Partial<Services>;
}
