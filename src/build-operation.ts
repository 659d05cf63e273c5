import type { createServiceClient } from "./api/client.ts";
import type { createDiscord } from "./discord/create-discord.ts";
import { readinessWords, serviceWords } from "./discord/render/service-notices.ts";
import type { Bindings } from "./domain/ports/bindings.ts";
import type { Clock } from "./domain/ports/clock.ts";
import type { Notifier } from "./domain/ports/notifier.ts";
import type { FeedsWing } from "./feeds/feeds.ts";
import type { JournalWing } from "./journal/create-journal.ts";
import type { Log } from "./log.ts";
import { registerGauges } from "./ops/gauges.ts";
import { watchHeldKeys } from "./ops/held-keys-watch.ts";
import { createHostHealth } from "./ops/host-health.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import type { OpsSources } from "./ops/ops-server.ts";
import { collectFacts } from "./ops/readiness-facts.ts";
import { createReadinessNotices } from "./ops/readiness-notices.ts";
import { ReadinessWatch } from "./ops/readiness-watch.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import type { Runs } from "./runs/runs.ts";
import type { StoreIdentity } from "./store/document-forms.ts";
import { lastBackupMs } from "./store/sqlite/backup-mark.ts";
import type { Watch } from "./watch/watch.ts";

export interface OperationParts {
  readonly storeUrl: string;
  readonly store: { checkWritable(): Promise<void> };
  readonly discord: ReturnType<typeof createDiscord>;
  readonly notifier: Notifier;
  readonly service: ReturnType<typeof createServiceClient>;
  readonly bindings: Bindings;
  readonly watch: Watch;
  readonly journal: Pick<JournalWing, "state">;
  readonly feeds: FeedsWing;
  readonly runs: Runs;
  readonly outbox: Pick<Outbox, "state" | "waitingOf">;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly log: Log;
}

/** Builds what tells the operator, and guilds, how the bot itself does. Only the watch of held keys runs at once. */
export function buildOperation(parts: OperationParts) {
  const { discord, notifier, service, bindings, watch, journal, feeds, runs, outbox } = parts;
  const { clock, metrics, log } = parts;
  const readiness = new ReadinessWatch({
    clock,
    log,
    metrics,
    facts: () => collectFacts(parts),
    ...createReadinessNotices({
      bindings,
      notifier,
      clock,
      log,
      shardOf: (guildId) => discord.shardOf(guildId),
      words: readinessWords,
    }),
  });
  const heldKeys = watchHeldKeys({ clock, log, bindings, notifier, service, words: serviceWords });
  const host = createHostHealth({
    isPresent: (code) => readiness.isPresent(code),
    waitingPosts: (guildId) => outbox.waitingOf(guildId),
  });
  const nowMs = () => clock.nowMs();
  registerGauges(metrics, { discord, service, watch, journal, feeds, runs, outbox, readiness, nowMs });
  return { readiness, heldKeys, host, backups: showBackups(parts) };
}

/** The clock of this machine is corrected by little now and then. */
const CLOCK_SLACK_MS = 60_000;

/** Only of a store that `npm run store` backs up: a Redis has its own means. */
function showBackups({ storeUrl, clock, metrics }: OperationParts): { onStore(store: StoreIdentity): void } {
  const store = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (store === undefined) return { onStore: () => undefined };
  let withoutSinceMs = clock.nowMs();
  const ageS = () => {
    const [nowMs, madeMs] = [clock.nowMs(), lastBackupMs(store)];
    // What was noted by a clock that was ahead says nothing.
    const isKnown = madeMs !== undefined && madeMs <= nowMs + CLOCK_SLACK_MS;
    return Math.max(0, nowMs - (isKnown ? madeMs : withoutSinceMs)) / 1_000;
  };
  const help = "Age of the last backup by npm run store, or of the store where none is known of.";
  metrics.gauge("marshal_backup_age_seconds", help, ageS);
  return {
    // A bot that is restarted each night would never be two days without a backup, if that counted from its start.
    onStore({ madeAtMs }) {
      withoutSinceMs = Math.min(withoutSinceMs, madeAtMs);
    },
  };
}

/** What /state shows of each part; of one that is not there, that it is off. */
export function statesOf(
  parts: Readonly<Record<string, { state(): unknown } | undefined>>,
): OpsSources["state"] {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, () => part?.state() ?? "off"]),
  );
}
