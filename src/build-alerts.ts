import { type AlertsParts, type AlertsWing, createAlerts } from "./alerts/create-alerts.ts";
import { alertRenderer } from "./discord/render/alert-cards.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { FeedsWing } from "./feeds/feeds.ts";
import type { Runs } from "./runs/runs.ts";
import type { Watch } from "./watch/watch.ts";

export interface AlertsBuildParts
  extends Pick<
    AlertsParts,
    | "rules"
    | "states"
    | "audit"
    | "bindings"
    | "settings"
    | "demands"
    | "posts"
    | "notifier"
    | "whoToPing"
    | "tracked"
    | "clock"
    | "random"
    | "isOurs"
    | "report"
  > {
  readonly feeds: Pick<FeedsWing, "callEndOf" | "modCalls">;
  readonly runs: Pick<Runs, "accounts" | "catalogue" | "listen" | "listenOutside">;
  readonly journal: JournalLooks;
  readonly watch: Pick<Watch, "snapshots">;
}

/** Builds the alerts and lets them follow the journal and hear of runs. Starts nothing. */
export function buildAlerts({ feeds, runs, journal, watch, ...parts }: AlertsBuildParts): AlertsWing {
  const alerts = createAlerts({
    ...parts,
    journal,
    accounts: runs.accounts,
    snapshots: watch.snapshots,
    renderer: alertRenderer,
    read: runs.catalogue.readLogged,
    callEndOf: (bindingId, call) => feeds.callEndOf(bindingId, call),
    callCardsOf: (bindingId) => feeds.modCalls.openCards(bindingId),
  });
  journal.follow(alerts.follower);
  runs.listen((record) => alerts.onRun(record));
  runs.listenOutside((binding, rows) => alerts.onOutside(binding, rows));
  return alerts;
}
