import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { GAUGES, LABELLED_GAUGES, registerGauges } from "../../src/ops/gauges.ts";
import { createMetrics, METRIC_DEFINITIONS } from "../../src/ops/metrics.ts";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Each `metrics.count("name", { label: ... })` of the wings and of what builds them. Gauges are read and not counted. */
function measured(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /^(ops.metrics|sandbox|ops.gauges|ops.process-gauges)/.test(file)) continue;
    const text = readFileSync(join(source, file), "utf8").replaceAll(
      /\.gauge\(\s*"marshal_[a-z_]+"/g,
      ".gauge(",
    );
    for (const [, name = "", labels = ""] of text.matchAll(/"(marshal_[a-z_]+)"(?:,[^{}()]*\{([^}]*)\})?/g)) {
      const known = found.get(name) ?? new Set();
      for (const [, label = ""] of labels.matchAll(/(\w+)\s*[:,]|(\w+)\s*$/g))
        if (label !== "") known.add(label);
      found.set(name, known);
    }
  }
  return found;
}

/** Words from short lists of ours or of discord.js and Node. A guild, a player or a key would make one line each. */
const ALLOWED_LABELS = new Set(["kind", "outcome", "reason", "route", "why", "list", "class"]);

describe("metrics", () => {
  test("no label can name a guild, a player or a key", () => {
    for (const [name, { labels }] of Object.entries(METRIC_DEFINITIONS))
      for (const label of labels) assert.ok(ALLOWED_LABELS.has(label), `${name}{${label}}`);
  });

  test("gauges have names and units by convention, and each is read from what the bot says of itself", async () => {
    const metrics = createMetrics();
    let counted = 0;
    registerGauges(metrics, {
      discord: {
        state: () => ({
          guilds: 7,
          shards: [{ awayForMs: 0 }, { awayForMs: 5 }],
          sending: { failing: true },
          interactionsUnderWay: 3,
        }),
      },
      service: {
        halt: () => undefined,
        state: () => ({
          parkedKeys: 2,
          buckets: [
            { limit: 1, remaining: 0, resetAtMs: 9_000 },
            { limit: 40, remaining: 10, resetAtMs: 9_000 },
            { limit: undefined, remaining: 0, resetAtMs: undefined },
          ],
        }),
        badKeys: () => ({ refusedLastHour: 4, most: 8, waitingKeys: 1, waitShare: 0.5 }),
      },
      watch: { progress: async () => ({ sources: 11, due: 6 }) },
      feeds: {
        counts: async () => ({
          live: 5,
          undelivered: 9,
          late: 1,
          oldestWaitMs: 2_500,
          cards: { unshown: 12 },
        }),
      },
      runs: { gauges: () => ({ waiting: 13, running: 14 }) },
      outbox: {
        state: () => {
          counted += 1;
          return { waiting: { first: 15, batch: 16 }, oldestWaitMs: 17_000, posts: 18 };
        },
      },
      journal: { state: async () => ({ unread: { history: 19 }, setAside: { history: 20 } }) },
      readiness: { reasons: () => [] },
      nowMs: () => 8_000,
    });
    await metrics.text();
    const text = await metrics.text();
    assert.equal(counted, 2, "what waits is gone through once for an answer");
    const values = Object.keys(GAUGES).map((name) => {
      assert.match(name, /^marshal_[a-z_]+$/);
      assert.ok(!/_(ms|total|milliseconds|minutes)$/.test(name), name);
      return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
    });
    assert.deepEqual(
      values,
      [1, 7, 1, 1, 3, 0, 0.25, 4, 8, 2, 1, 0.5, 11, 6, 5, 1, 9, 2.5, 12, 17, 18, 13, 14],
    );
    for (const name of Object.keys(LABELLED_GAUGES)) assert.ok(!(name in GAUGES), name);
    assert.match(text, /^marshal_turns_waiting\{class="first"\} 15$/m);
    assert.match(text, /^marshal_turns_waiting\{class="batch"\} 16$/m);
    assert.match(text, /^marshal_journal_unread\{follower="history"\} 19$/m);
    assert.match(text, /^marshal_journal_set_aside\{follower="history"\} 20$/m);
  });

  test("the table has exactly what the wings count, label by label", () => {
    const used = measured();
    assert.deepEqual([...used.keys()].sort(), Object.keys(METRIC_DEFINITIONS).sort());
    for (const [name, labels] of used) {
      for (const label of labels)
        assert.ok(METRIC_DEFINITIONS[name]?.labels.includes(label), `${name}{${label}}`);
    }
  });

  test("whatever is counted or observed has a name of ours: another one would be dropped as unknown", () => {
    for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(source, file), "utf8");
      for (const [, name = ""] of text.matchAll(/metrics\.(?:count|observe)\(\s*"([^"]*)"/g))
        assert.ok(name in METRIC_DEFINITIONS, `${file} measures "${name}"`);
    }
  });

  test("names are Prometheus's: counters end in _total, and all have help", () => {
    for (const [name, { kind, help }] of Object.entries(METRIC_DEFINITIONS)) {
      assert.match(name, /^marshal_[a-z_]+$/);
      assert.equal(name.endsWith("_total"), kind === "counter", name);
      assert.match(help, /^[A-Z].*\.$/);
    }
  });

  test("counts are in the text, by label", async () => {
    const metrics = createMetrics();
    metrics.count("marshal_feed_entries_total", { kind: "joins" }, 3);
    metrics.count("marshal_feed_entries_total", { kind: "kills" });
    metrics.count("marshal_feed_entries_total", { kind: "joins" });
    const text = await metrics.text();
    assert.match(text, /^marshal_feed_entries_total\{kind="joins"\} 4$/m);
    assert.match(text, /^marshal_feed_entries_total\{kind="kills"\} 1$/m);
    assert.match(metrics.contentType, /^text\/plain/);
  });

  test("an unknown name or label breaks nothing and is counted as such", async () => {
    const metrics = createMetrics();
    metrics.count("marshal_nothing_total");
    metrics.observe("marshal_nothing_seconds", 1);
    metrics.count("marshal_feed_entries_total", { player: "somebody" });
    const text = await metrics.text();
    assert.match(text, /^marshal_unknown_metrics_total 3$/m);
    assert.ok(!text.includes("somebody"));
  });

  test("gauges are read when asked, and one that fails costs nothing but itself", async () => {
    let undelivered = 1;
    const metrics = createMetrics();
    metrics.gauge("marshal_undelivered", "Waiting.", () => undelivered);
    metrics.gauge("marshal_broken", "Broken.", () => {
      throw new Error("no");
    });
    assert.match(await metrics.text(), /^marshal_undelivered 1$/m);
    undelivered = 7;
    const text = await metrics.text();
    assert.match(text, /^marshal_undelivered 7$/m);
    assert.match(text, /^marshal_broken Nan$/im);
  });

  test("two registries count apart", async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.count("marshal_feed_entries_total", { kind: "joins" });
    assert.doesNotMatch(await two.text(), /kind="joins"/);
  });
});
