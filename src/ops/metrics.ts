import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../domain/ports/metrics.ts";
import { readVersion } from "../version.ts";
import { addProcessGauges } from "./process-gauges.ts";

type Labels = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, number>>;

interface Definition {
  readonly kind: "counter" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Series that stand at 0 from the start. One that begins with its first event has not grown by it, so that a rule which
   * asks for growth would fire at the second block only.
   */
  readonly atStart?: readonly Labels[];
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
  marshal_feed_gap_notices_total: {
    kind: "counter",
    help: "Notices in a channel that log entries may be missing.",
    labels: ["kind"],
  },
  marshal_turns_total: {
    kind: "counter",
    help: "Requests to Discord that were made unasked, by class: all but answers to people.",
    labels: ["class"],
  },
  marshal_discord_refusals_total: {
    kind: "counter",
    help: "Requests that Discord refused with 429, for the bot as a whole or for one channel.",
    labels: ["kind"],
    atStart: [{ kind: "all-channels" }, { kind: "one-channel" }],
  },
  marshal_first_answer_seconds: {
    kind: "histogram",
    help: "From hearing of a command, a press or a keystroke to the first answer that Discord took.",
    labels: ["kind"],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3],
  },
  marshal_runs_total: {
    kind: "counter",
    help: "In-game commands that ended, by whether they ran: yes, no, unknown.",
    labels: ["outcome"],
  },
  marshal_store_write_seconds: {
    kind: "histogram",
    help: "From asking for a write to knowing that it is stored; full ones wait for the disk.",
    labels: ["kind"],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  marshal_polls_total: {
    kind: "counter",
    help: "Reads of a game server for feeds and other uses, by result.",
    labels: ["outcome"],
  },
  marshal_feed_errors_total: {
    kind: "counter",
    help: "Failed rounds of a feed's delivery; each is tried again.",
    labels: [],
  },
  marshal_not_ready_total: {
    kind: "counter",
    help: "Times that something began to keep Marshal from its work, by cause.",
    labels: ["reason"],
  },
  marshal_service_requests_total: {
    kind: "counter",
    help: "Requests to the game service, by route and result.",
    labels: ["route", "outcome"],
  },
  marshal_service_halts_total: {
    kind: "counter",
    help: "Times that the service made Marshal stop asking.",
    labels: ["why"],
    atStart: [{ why: "blocked" }, { why: "rate-limited" }],
  },
  marshal_service_rows_skipped_total: {
    kind: "counter",
    help: "Rows in the service's lists that could not be read.",
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
  marshal_history_refused_rows_total: {
    kind: "counter",
    help: "Rows that the history database refused; the rest of their answers is stored.",
    labels: [],
  },
  marshal_watches_unreadable_total: {
    kind: "counter",
    help: "Watches of players that could not be read at a start and are left out.",
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

export interface LabelledGauge {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  read(): Values | Promise<Values>;
}

export interface MetricsRegistry extends Metrics {
  /** Adds a value that is read on each request for the metrics, in the place of an earlier one of that name. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The same with one value for each value of a label. */
  gauges(labelled: LabelledGauge): void;
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
  for (const [name, { kind, help, labels, atStart = [], buckets = DEFAULT_BUCKETS_S }] of Object.entries(
    METRIC_DEFINITIONS,
  )) {
    const shared = { name, help, labelNames: [...labels], registers: [registry] };
    if (kind === "counter") {
      const counter = new Counter(shared);
      for (const series of atStart) counter.inc({ ...series }, 0);
      counters.set(name, counter);
    } else histograms.set(name, new Histogram({ ...shared, buckets: [...buckets] }));
  }
  if (options.ofProcess) {
    collectDefaultMetrics({ register: registry });
    addProcessGauges(registry, readVersion());
  }

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
      addGauge({ registry, name, help, set: async (gauge) => gauge.set(await read()) });
    },
    gauges({ name, help, label, read }) {
      gauges.add(name);
      const set = async (gauge: Gauge) => {
        for (const [value, measured] of Object.entries(await read())) gauge.set({ [label]: value }, measured);
      };
      addGauge({ registry, name, help, labels: [label], set });
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
  readonly labels?: readonly string[];
  set(gauge: Gauge): Promise<void>;
}

function addGauge({ registry, name, help, labels = [], set }: GaugeOptions): void {
  // Parts that are built anew take the place of those before.
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      // A gauge that throws must not hide the others.
      try {
        await set(this);
      } catch {
        if (labels.length === 0) this.set(Number.NaN);
        else this.reset();
      }
    },
  });
}
