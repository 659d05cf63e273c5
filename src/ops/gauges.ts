import type { BadKeys } from "../domain/ports/service-health.ts";
import type { MetricsRegistry } from "./metrics.ts";

/**
 * What the gauges read, anew for every answer of /metrics. What is counted over all communities gives a promise: several gauges
 * that ask for it get one count.
 */
export interface GaugeSources {
  readonly discord: {
    state(): {
      readonly guilds: number;
      readonly shards: readonly { readonly awayForMs: number }[];
      readonly sending: { readonly failing: boolean };
      readonly interactionsUnderWay: number;
    };
  };
  readonly service: {
    halt(): unknown;
    state(): {
      readonly buckets: readonly {
        readonly limit: number | undefined;
        readonly remaining: number;
        readonly resetAtMs: number | undefined;
      }[];
      readonly parkedKeys: number;
    };
    badKeys(): Pick<BadKeys, "refusedLastHour" | "most" | "waitingKeys" | "waitShare">;
  };
  readonly watch: { progress(): Promise<{ readonly sources: number; readonly due: number }> };
  readonly feeds: { counts(): Promise<FeedGauges> };
  readonly runs: { gauges(): { readonly waiting: number; readonly running: number } };
  readonly outbox: {
    state(): {
      readonly waiting: Readonly<Record<string, number>>;
      readonly oldestWaitMs: number;
      readonly posts: number;
    };
  };
  readonly journal: {
    state(): Promise<{
      readonly unread: Readonly<Record<string, number>>;
      readonly setAside: Readonly<Record<string, number>>;
    }>;
  };
  readonly readiness: { reasons(): readonly string[] };
  nowMs(): number;
}

interface FeedGauges {
  readonly live: number;
  readonly undelivered: number;
  readonly late: number;
  readonly oldestWaitMs: number;
  readonly cards: { readonly unshown: number };
}

type Values = Readonly<Record<string, number>>;

interface Gauge {
  readonly help: string;
  read(sources: GaugeSources): number | Promise<number>;
}

interface LabelledGauge {
  readonly help: string;
  readonly label: string;
  read(sources: GaugeSources): Values | Promise<Values>;
}

/** Every gauge by its name; the dashboard and the alert rules in deploy/grafana are checked against this table. */
export const GAUGES: Readonly<Record<string, Gauge>> = {
  marshal_ready: {
    help: "1 while Marshal can do its work.",
    read: ({ readiness }) => Number(readiness.reasons().length === 0),
  },
  marshal_guilds: {
    help: "Discord servers that Marshal is in.",
    read: ({ discord }) => discord.state().guilds,
  },
  marshal_shards_away: {
    help: "Shards that are cut off from Discord right now.",
    read: ({ discord }) => discord.state().shards.filter(({ awayForMs }) => awayForMs > 0).length,
  },
  marshal_discord_failing: {
    help: "1 while Discord takes no messages.",
    read: ({ discord }) => Number(discord.state().sending.failing),
  },
  marshal_interactions_under_way: {
    help: "Commands and presses that are being worked on.",
    read: ({ discord }) => discord.state().interactionsUnderWay,
  },
  marshal_halted: {
    help: "1 while Marshal may not ask the service.",
    read: ({ service }) => Number(service.halt() !== undefined),
  },
  marshal_service_limit_left_ratio: {
    help: "Share left of the widest limit that the service has named; 1 before it names any.",
    read: ({ service, nowMs }) => widestLeft(service.state().buckets, nowMs()),
  },
  marshal_bad_keys: {
    help: "Requests of the last hour whose server key was refused.",
    read: ({ service }) => service.badKeys().refusedLastHour,
  },
  marshal_bad_key_budget: {
    help: "Requests with refused keys that Marshal risks in an hour (BAD_KEY_BUDGET).",
    read: ({ service }) => service.badKeys().most,
  },
  marshal_keys_parked: {
    help: "Server keys that are paused because the service refused them.",
    read: ({ service }) => service.state().parkedKeys,
  },
  marshal_keys_waiting: {
    help: "Server keys that wait because other keys were refused.",
    read: ({ service }) => service.badKeys().waitingKeys,
  },
  marshal_bad_key_budget_wait_ratio: {
    help: "Share of the last minute in which requests waited for BAD_KEY_BUDGET and not for the service's limit.",
    read: ({ service }) => service.badKeys().waitShare,
  },
  marshal_sources: {
    help: "Game servers that are polled.",
    read: async ({ watch }) => (await watch.progress()).sources,
  },
  marshal_sources_due: {
    help: "Game servers that are due to be read and may be.",
    read: async ({ watch }) => (await watch.progress()).due,
  },
  marshal_feeds: {
    help: "Log feeds that run.",
    read: async ({ feeds }) => (await feeds.counts()).live,
  },
  marshal_feeds_late: {
    help: "Log feeds whose server was not read lately.",
    read: async ({ feeds }) => (await feeds.counts()).late,
  },
  marshal_feed_undelivered: {
    help: "Log entries that wait to be posted.",
    read: async ({ feeds }) => (await feeds.counts()).undelivered,
  },
  marshal_feed_oldest_waiting_seconds: {
    help: "Age of the oldest waiting log entry since it was read; 0 if none waits.",
    read: async ({ feeds }) => (await feeds.counts()).oldestWaitMs / 1_000,
  },
  marshal_cards_unshown: {
    help: "Call cards that are out of date.",
    read: async ({ feeds }) => (await feeds.counts()).cards.unshown,
  },
  marshal_turns_oldest_wait_seconds: {
    help: "How long the request to Discord that waits longest for its turn has waited; 0 where none waits.",
    read: ({ outbox }) => outbox.state().oldestWaitMs / 1_000,
  },
  marshal_posts_waiting: {
    help: "Messages of their own (receipts, alerts, notices, summaries) that are not yet where they are wanted.",
    read: ({ outbox }) => outbox.state().posts,
  },
  marshal_runs_waiting: {
    help: "In-game commands that wait for their turn.",
    read: ({ runs }) => runs.gauges().waiting,
  },
  marshal_runs_running: {
    help: "In-game commands that are being sent.",
    read: ({ runs }) => runs.gauges().running,
  },
};

/** Gauges that have one value for each value of a label. */
export const LABELLED_GAUGES: Readonly<Record<string, LabelledGauge>> = {
  marshal_turns_waiting: {
    help: "Requests to Discord that wait for their turn, by class.",
    label: "class",
    read: ({ outbox }) => outbox.state().waiting,
  },
  marshal_journal_unread: {
    help: "Events of the game's logs that are recorded and not dealt with yet, by who reads them.",
    label: "follower",
    read: async ({ journal }) => (await journal.state()).unread,
  },
  marshal_journal_set_aside: {
    help: "Events since the start that were left out because dealing with them failed again and again, by who reads them.",
    label: "follower",
    read: async ({ journal }) => (await journal.state()).setAside,
  },
};

/** Adds all of them to a registry. */
export function registerGauges(metrics: MetricsRegistry, given: GaugeSources): void {
  const { outbox } = given;
  const sources: GaugeSources = { ...given, outbox: { state: onceATick(() => outbox.state()) } };
  for (const [name, { help, label, read }] of Object.entries(LABELLED_GAUGES))
    metrics.gauges({ name, help, label, read: () => read(sources) });
  for (const [name, { help, read }] of Object.entries(GAUGES)) metrics.gauge(name, help, () => read(sources));
}

/** All gauges of an answer are read in one tick: what several read is worked out once. */
function onceATick<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    if (made === undefined) queueMicrotask(() => (made = undefined));
    made ??= make();
    return made;
  };
}

/** Limits of single servers are used up all the time, as they should be: only the widest tells whether it is near. */
function widestLeft(buckets: ReturnType<GaugeSources["service"]["state"]>["buckets"], nowMs: number): number {
  const told = buckets.flatMap(({ limit, remaining, resetAtMs }) =>
    limit === undefined || resetAtMs === undefined || limit <= 0 ? [] : [{ limit, remaining, resetAtMs }],
  );
  const widest = told.reduce<(typeof told)[number] | undefined>(
    (best, one) => (best === undefined || one.limit > best.limit ? one : best),
    undefined,
  );
  if (widest === undefined || widest.resetAtMs <= nowMs) return 1;
  return Math.max(0, widest.remaining) / widest.limit;
}
