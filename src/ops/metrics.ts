import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../domain/ports/metrics.ts";

type Labels = Readonly<Record<string, string>>;

interface Definition {
  readonly kind: "counter" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, for a histogram. */
  readonly buckets?: readonly number[];
}

const DEFAULT_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Every metric that the wings count or observe; a test compares this table with their code. */
export const METRIC_DEFINITIONS: Readonly<Record<string, Definition>> = {
  marshal_feed_entries_total: {
    kind: "counter",
    help: "Log entries posted into channels.",
    labels: ["kind"],
  },
  marshal_feed_delay_seconds: {
    kind: "histogram",
    help: "From the second that the game's log names to the post, of the oldest entry in each message.",
    labels: ["kind"],
    buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600],
  },
  marshal_polls_total: {
    kind: "counter",
    help: "Reads of a game server for feeds and other demands, by what came of them.",
    labels: ["outcome"],
  },
  marshal_feed_errors_total: {
    kind: "counter",
    help: "Rounds of a feed's delivery that failed and are tried again.",
    labels: [],
  },
  marshal_not_ready_total: {
    kind: "counter",
    help: "Times that something began to keep the bot from its work, by what it was.",
    labels: ["reason"],
  },
  marshal_service_requests_total: {
    kind: "counter",
    help: "Requests to the game service, by route and what came of them.",
    labels: ["route", "outcome"],
  },
  marshal_service_halts_total: {
    kind: "counter",
    help: "Times that the service made us stop asking.",
    labels: ["why"],
  },
  marshal_service_rows_skipped_total: {
    kind: "counter",
    help: "Rows of the service's lists that could not be read.",
    labels: ["list"],
  },
  marshal_service_rows_set_aside_total: {
    kind: "counter",
    help: "Rows of the service's lists that were left out because their time lies in the future.",
    labels: ["list"],
  },
  marshal_history_rows_total: {
    kind: "counter",
    help: "Rows of the game's logs that were recorded.",
    labels: [],
  },
  marshal_history_failures_total: {
    kind: "counter",
    help: "Times that answers could not be recorded; they are tried again.",
    labels: [],
  },
  marshal_history_dropped_total: {
    kind: "counter",
    help: "Answers that were not recorded; what they alone showed is told as missing.",
    labels: [],
  },
  marshal_service_seconds: {
    kind: "histogram",
    help: "From writing a request to reading its answer.",
    labels: ["route"],
  },
};

export interface MetricsRegistry extends Metrics {
  /** Adds a value that is read on each request for the metrics, in the place of an earlier one of that name. */
  gauge(name: string, help: string, read: () => number): void;
  /** Takes out every gauge that was added: what they read from is no more. */
  withdrawGauges(): void;
  /** The text form of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Creates a registry of its own, so that two bots of one test count apart. A name or label that the table lacks is
 * counted as `marshal_unknown_metrics_total` and dropped, because such a slip must not break a wing.
 */
export function createMetrics(options: { readonly ofProcess?: boolean } = {}): MetricsRegistry {
  const registry = new Registry();
  const unknown = new Counter({
    name: "marshal_unknown_metrics_total",
    help: "Measurements under a name or label that ops/metrics.ts does not have.",
    registers: [registry],
  });
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Set<string>();
  for (const [name, { kind, help, labels, buckets = DEFAULT_BUCKETS_S }] of Object.entries(
    METRIC_DEFINITIONS,
  )) {
    const shared = { name, help, labelNames: [...labels], registers: [registry] };
    if (kind === "counter") counters.set(name, new Counter(shared));
    else histograms.set(name, new Histogram({ ...shared, buckets: [...buckets] }));
  }
  if (options.ofProcess) collectDefaultMetrics({ register: registry });

  const known = (name: string, labels: Labels) =>
    Object.keys(labels).every((label) => METRIC_DEFINITIONS[name]?.labels.includes(label));
  return {
    count(name, labels = {}, by = 1) {
      const counter = counters.get(name);
      if (counter === undefined || !known(name, labels)) unknown.inc();
      else counter.inc({ ...labels }, by);
    },
    observe(name, value, labels = {}) {
      const histogram = histograms.get(name);
      if (histogram === undefined || !known(name, labels)) unknown.inc();
      else histogram.observe({ ...labels }, value);
    },
    gauge(name, help, read) {
      gauges.add(name);
      addGauge({ registry, name, help, read });
    },
    withdrawGauges() {
      for (const name of gauges) registry.removeSingleMetric(name);
      gauges.clear();
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

interface GaugeOptions {
  readonly registry: Registry;
  readonly name: string;
  readonly help: string;
  read(): number;
}

function addGauge({ registry, name, help, read }: GaugeOptions): void {
  // Parts that are built anew take the place of those before.
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      // A gauge that throws must not hide the others.
      try {
        this.set(read());
      } catch {
        this.set(Number.NaN);
      }
    },
  });
}
