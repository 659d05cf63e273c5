import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createMetrics } from "../../src/ops/metrics.ts";
import { alerts, root, textOf, yamlOf } from "./deploy-files.ts";
import { promtool, wrongAlerts } from "./promtool.ts";
import { metricsIn, type Recording } from "./recorded-series.ts";

/** What fires in each recording of `npm run soak -- series`, and nothing else. */
const FIRES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  "all-gone": ["MarshalAllGone"],
  "backups-fail": ["MarshalBackupOld"],
  "block-unserved": ["MarshalNoStandby", "MarshalShardsUnserved"],
  "cpu-stolen": ["MarshalEventLoopSlow", "MarshalStoreSlow"],
  "crash-loop": ["MarshalCrashLoop"],
  "discord-away": [
    "MarshalBacklogGrows",
    "MarshalDiscordFails",
    "MarshalEntriesLate",
    "MarshalEntriesWait",
    "MarshalNotReady",
    "MarshalShardAway",
  ],
  "discord-comes-and-goes": [
    "MarshalDiscordFails",
    "MarshalEntriesLate",
    "MarshalEntriesWait",
    "MarshalFeedsSlow",
    "MarshalNotReady",
  ],
  "discord-few-messages": [
    "MarshalBacklogGrows",
    "MarshalEntriesLate",
    "MarshalEntriesWait",
    "MarshalFeedsSlow",
    "MarshalNotReady",
  ],
  "discord-refuses": ["MarshalDiscordRefuses"],
  "discord-slow": ["MarshalAnswersSlow"],
  "discord-takes-nothing": [
    "MarshalDiscordFails",
    "MarshalEntriesLate",
    "MarshalEntriesWait",
    "MarshalNotReady",
  ],
  "disk-full": ["MarshalNotReady", "MarshalServersUnread"],
  "keys-refused": ["MarshalBadKeysNearlySpent"],
  "memory-nearly-full": ["MarshalMemory"],
  "postgres-gone": ["MarshalHistoryAway", "MarshalHistoryDropped"],
  "postgres-slow": ["MarshalHistoryAway", "MarshalHistoryDropped"],
  "redis-gone": ["MarshalNobodyServes"],
  "redis-slow": ["MarshalStoreSlow"],
  "service-429-for-an-hour": ["MarshalHalted", "MarshalNotReady", "MarshalServersUnread"],
  "service-429-now-and-then": ["MarshalLimited"],
  "service-away": ["MarshalNotReady", "MarshalServersUnread"],
  "service-block-page": ["MarshalBlocked", "MarshalHalted", "MarshalNotReady", "MarshalServersUnread"],
  "standby-gone": ["MarshalNoStandby"],
};
/** A defect of Marshal, which no fault of its surroundings makes. */
const NEVER_RECORDED = ["MarshalMeasuresUnknown"];
/** The longest wait of a rule, with what it looks back, is an hour; a recording has 24 minutes. */
const TIMES = 2;

const recordings = readdirSync(join(root, "test/deploy/series")).map(
  (name): Recording => JSON.parse(textOf(`test/deploy/series/${name}`)),
);
const rules = yamlOf("deploy/grafana/alerts.yml", alerts).flatMap(({ groups }) =>
  groups.flatMap((group) => group.rules),
);

describe("the rules of alerts", () => {
  test("each fires on what real processes showed under a fault, and there are no others", () => {
    assert.deepEqual(recordings.map(({ fault }) => fault).sort(), Object.keys(FIRES).sort());
    const fired = new Set([...Object.values(FIRES).flat(), ...NEVER_RECORDED]);
    assert.deepEqual([...fired].sort(), rules.map(({ alert }) => alert).sort());
  });

  test("none depends on what a Prometheus calls its job", () => {
    for (const { alert, expr } of rules) {
      assert.doesNotMatch(expr, /job=|instance=|\bup\b/, alert);
      assert.ok(metricsIn([expr]).size > 0, alert);
    }
  });

  test("what asks for the growth of one series finds it at 0 in a process to which nothing has happened yet", async () => {
    const text = await createMetrics().text();
    const asked = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/increase\((\w+\{[^}]+\})\[/g)].map(([, series = ""]) => series),
    );
    assert.ok(asked.length >= 3);
    for (const series of asked) assert.ok(text.includes(`\n${series} 0\n`), series);
  });

  const tool = promtool();
  const skip = tool === undefined ? "promtool is not on this machine (Debian: prometheus)" : false;
  test("under each recorded fault those fire that should, and no others", { skip }, async () => {
    const cases = recordings.map((recording) => ({
      recording,
      times: TIMES,
      fires: FIRES[recording.fault] ?? [],
    }));
    // Two at once take half the time of one after the other.
    const halves = [cases.filter((_, at) => at % 2 === 0), cases.filter((_, at) => at % 2 === 1)];
    const wrong = await Promise.all(halves.map((half) => wrongAlerts(tool ?? "", half)));
    assert.equal(wrong.join(""), "");
  });
});
