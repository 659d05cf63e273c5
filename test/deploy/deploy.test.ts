import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { z } from "zod";
import { readConfig } from "../../src/config.ts";
import { GAUGES, LABELLED_GAUGES } from "../../src/ops/gauges.ts";
import { createMetrics, METRIC_DEFINITIONS } from "../../src/ops/metrics.ts";
import { tempFolder } from "../support/temp-folder.ts";
import {
  alerts,
  composeOf,
  knownVariables,
  opsPortOf,
  prometheus,
  root,
  SECRETS,
  STOP_S,
  textOf,
  workload,
  yamlOf,
} from "./deploy-files.ts";

/** They stand beside the table: a process that stands by has the first ones too, the others only exist with a history, or on sqlite. */
const MORE_GAUGES = ["src/build-cluster.ts", "src/build-history.ts", "src/build-operation.ts"].flatMap(
  (path) =>
    [...textOf(path).matchAll(/\b(marshal_[a-z_]+)(?=: \[|", (?:"|help))/g)].map(([, name = ""]) => name),
);

const cluster = composeOf("deploy/compose.cluster.yaml");
const [deployment] = yamlOf("deploy/k8s/deployment.yaml", workload);
if (deployment === undefined) throw new Error("deployment.yaml is empty");
const unit = textOf("deploy/systemd/marshal.service");

describe("prometheus.yml and grafana/", () => {
  const [scraped] = yamlOf("deploy/prometheus.yml", prometheus);
  const expressions: (readonly [where: string, expr: string])[] = [];
  for (const { groups } of yamlOf("deploy/grafana/alerts.yml", alerts))
    for (const { rules } of groups) for (const { alert, expr } of rules) expressions.push([alert, expr]);
  const dashboard = z
    .object({
      panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
    })
    .parse(JSON.parse(textOf("deploy/grafana/dashboard.json")));
  for (const { title, targets } of dashboard.panels)
    for (const { expr } of targets) expressions.push([title, expr]);

  test("Prometheus asks every bot at its ops port, and reads rules that are mounted", () => {
    const targets = scraped?.scrape_configs.flatMap((one) => one.static_configs.flatMap((at) => at.targets));
    const expected = ["marshal", "standby"].map(
      (name) => `${name}:${opsPortOf({ OPS_ADDRESS: cluster.services[name]?.environment?.OPS_ADDRESS })}`,
    );
    assert.deepEqual(targets, expected);
    for (const file of scraped?.rule_files ?? [])
      assert.ok(
        cluster.services.prometheus?.volumes?.some((volume) => volume.includes(`/etc/prometheus/${file}:ro`)),
        file,
      );
  });

  test("ask only for metrics that the bot has, by labels that these have", async () => {
    const own = await createMetrics({ ofProcess: true }).text();
    const ofProcess = new Set([...own.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
    for (const [where, expr] of expressions) {
      const names = [...expr.matchAll(/\b(?:marshal|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
      assert.ok(names.length > 0 || expr.includes("up{"), where);
      for (const name of names) {
        const base = name.replace(/_(bucket|sum|count)$/, "");
        const known =
          name in GAUGES ||
          name in LABELLED_GAUGES ||
          MORE_GAUGES.includes(name) ||
          name in METRIC_DEFINITIONS ||
          base in METRIC_DEFINITIONS;
        assert.ok(known || ofProcess.has(name), `${where}: ${name}`);
      }
      const labels = [...expr.matchAll(/by \(([^)]*)\)|\{(\w+)="/g)].flatMap(([, by = "", by2 = ""]) =>
        `${by},${by2}`.split(/[,\s]+/).filter((label) => label !== ""),
      );
      const of = names.flatMap((name) => [
        ...(METRIC_DEFINITIONS[name.replace(/_bucket$/, "")]?.labels ?? []),
        ...(LABELLED_GAUGES[name] === undefined ? [] : [LABELLED_GAUGES[name].label]),
      ]);
      for (const label of labels) assert.ok([...of, "le", "job"].includes(label), `${where}: ${label}`);
    }
  });

  test("show every gauge of the bot somewhere", () => {
    const all = expressions.map(([, expr]) => expr).join("\n");
    const ignored = new Set(["marshal_feeds", "marshal_feeds_late"]);
    for (const name of [...Object.keys(GAUGES), ...Object.keys(LABELLED_GAUGES), ...MORE_GAUGES])
      assert.ok(ignored.has(name) || all.includes(name), name);
  });

  test("the gauges that stand apart are of the lease, the history and backups", () => {
    assert.deepEqual(MORE_GAUGES, [
      "marshal_lease_held",
      "marshal_shards_held",
      "marshal_shards",
      "marshal_history_working",
      "marshal_history_queued",
      "marshal_backup_age_seconds",
    ]);
  });

  test("what processes count of their own communities is added up, not the most of one", () => {
    const ofAll = ["marshal_guilds", "marshal_sources", "marshal_runs_waiting", "marshal_feed_undelivered"];
    for (const name of ofAll)
      assert.ok(
        expressions.some(([, expr]) => expr === `sum(${name})`),
        name,
      );
  });

  test("outcomes that rules look for are ones that the code counts", () => {
    const poller = textOf("src/watch/poller.ts") + textOf("src/watch/source-reader.ts");
    assert.match(poller, /"ok"/);
    assert.match(textOf("src/api/limits/announced-halt.ts"), /"rate-limited"/);
    assert.match(textOf("src/api/limits/halt.ts"), /"blocked"/);
  });
});

describe("k8s/", () => {
  const { spec } = deployment;
  const [container] = spec.template.spec.containers;
  const environment = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));

  test("gives variables that the bot knows and takes, and secrets that the example has", () => {
    for (const name of Object.keys(environment)) assert.ok(knownVariables().has(name), name);
    const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
    assert.equal(readConfig({ ...SECRETS, ...given }).shards, "auto");
    const secretShape = z.object({
      metadata: z.object({ name: z.string() }),
      stringData: z.record(z.string(), z.string()),
    });
    const [secret] = yamlOf("deploy/k8s/secret.example.yaml", secretShape);
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom === undefined) continue;
      assert.equal(valueFrom.secretKeyRef.name, secret?.metadata.name);
      assert.ok(valueFrom.secretKeyRef.key in (secret?.stringData ?? {}), valueFrom.secretKeyRef.key);
    }
  });

  test("probes paths that the bot answers, at the port that it listens on", () => {
    const port = container.ports[0];
    assert.equal(port?.containerPort, opsPortOf(environment));
    assert.equal(spec.template.metadata.annotations?.["prometheus.io/port"], String(port?.containerPort));
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      assert.equal(probe?.httpGet?.port, port?.name);
      assert.ok(textOf("src/ops/ops-server.ts").includes(`case "${probe?.httpGet?.path}"`));
    }
    assert.match(textOf("deploy/k8s/network-policy.yaml"), new RegExp(`port: ${port?.containerPort}, `));
  });

  test("has one process more than blocks, stops none before a new one fits, and leaves time for a stop", () => {
    assert.equal(spec.replicas, 2);
    assert.deepEqual(spec.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
    assert.ok((spec.minReadySeconds ?? 0) >= 30);
    assert.equal(container.readinessProbe.httpGet?.path, "/startz");
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
    assert.match(textOf("deploy/k8s/disruption-budget.yaml"), /maxUnavailable: 1/);
    assert.ok(spec.template.spec.terminationGracePeriodSeconds > STOP_S);
  });

  test("kustomization.yaml names every file but the secret and what only an operator takes, and each is of the shape that it should be", () => {
    const shape = z.object({ resources: z.array(z.string()) });
    const named = yamlOf("deploy/k8s/kustomization.yaml", shape).flatMap(({ resources }) => resources);
    const files = readdirSync(join(root, "deploy/k8s")).filter(
      (name) => !/^(kustomization|secret|pod-monitor)/.test(name),
    );
    assert.deepEqual([...named].sort(), files.sort());
    const any = z.object({
      apiVersion: z.string(),
      kind: z.string(),
      metadata: z.object({ name: z.string() }),
    });
    for (const file of named) assert.ok(yamlOf(`deploy/k8s/${file}`, any).length > 0, file);
    for (const name of ["valkey", "postgres"]) {
      const [, found] = yamlOf(`deploy/k8s/${name}.yaml`, z.unknown());
      assert.equal(workload.parse(found).spec.replicas, 1);
      assert.match(textOf("deploy/k8s/network-policy.yaml"), new RegExp(`app: ${name} `));
    }
    assert.match(
      textOf("deploy/k8s/network-policy.yaml"),
      /# FILL IN where your own Redis and PostgreSQL are/,
    );
  });
});

describe("k8s/pod-monitor.yaml", () => {
  test("finds the processes for the Prometheus operator as the annotations do for others", () => {
    const shape = z.object({
      kind: z.literal("PodMonitor"),
      metadata: z.object({ namespace: z.string(), labels: z.object({ release: z.string() }) }),
      spec: z.object({
        selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
        podMetricsEndpoints: z.tuple([z.object({ port: z.string(), path: z.string() })]),
      }),
    });
    const [monitor] = yamlOf("deploy/k8s/pod-monitor.yaml", shape);
    const { metadata, spec } = deployment.spec.template;
    assert.equal(monitor?.metadata.namespace, "marshal");
    assert.deepEqual(monitor.spec.selector.matchLabels, metadata.labels);
    const [endpoint] = monitor.spec.podMetricsEndpoints;
    assert.equal(endpoint.port, spec.containers[0].ports[0]?.name);
    assert.equal(endpoint.path, metadata.annotations?.["prometheus.io/path"]);
  });
});

describe("systemd/marshal.service", () => {
  test("gives variables that the bot knows and takes, and starts what npm start starts", () => {
    const given = Object.fromEntries(
      [...unit.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    for (const name of Object.keys(given)) assert.ok(name === "NODE_ENV" || knownVariables().has(name), name);
    assert.match(readConfig({ ...SECRETS, ...given }).storeUrl, /^sqlite:\/var\/lib\/marshal\//);
    const start = z
      .object({ scripts: z.object({ start: z.string() }) })
      .parse(JSON.parse(textOf("package.json")));
    // Half of what the unit may have is for the main heap, also where its host changes MemoryMax.
    const bounded = start.scripts.start.replace("node ", "node --max-old-space-size-percentage=50 ");
    assert.match(unit, /^MemoryMax=\d+G$/m);
    assert.ok(unit.includes(`/node_modules/.bin/${bounded}\n`));
    assert.ok(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]) > STOP_S);
  });

  test("has a backup of the same store by the same user, each night", () => {
    const backup = textOf("deploy/systemd/marshal-backup.service");
    for (const line of [
      "User=marshal",
      "DynamicUser=yes",
      "StateDirectory=marshal",
      "WorkingDirectory=/opt/marshal",
    ])
      for (const text of [unit, backup]) assert.ok(text.includes(`\n${line}\n`), line);
    const tool = textOf("deploy/systemd/store.sh");
    for (const [line] of unit.matchAll(/^Environment(?:File)?=.*$/gm)) {
      assert.ok(backup.includes(`\n${line}\n`), line);
      assert.ok(/NODE_ENV/.test(line) || tool.includes(line.replace("Environment=", "-E ")), line);
    }
    for (const line of [
      "User=marshal",
      "DynamicUser=yes",
      "StateDirectory=marshal",
      "WorkingDirectory=/opt/marshal",
    ])
      assert.ok(tool.includes(`-p ${line} `), line);
    assert.match(
      backup,
      /ExecStart=\/opt\/marshal\/node_modules\/\.bin\/node deploy\/store\.ts backups \/var\/lib\/marshal\//,
    );
    assert.match(textOf("deploy/systemd/marshal-backup.timer"), /^OnCalendar=daily$/m);
  });

  const analyze = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find(existsSync);
  test("is a unit that systemd takes, and is shut in", { skip: analyze === undefined }, (t) => {
    const folder = tempFolder();
    t.after(() => folder.remove());
    const env = { ...process.env, SYSTEMD_LOG_LEVEL: "warning" };
    const run = (...args: string[]) => execFileSync(analyze ?? "", args, { env, stdio: "pipe" });
    const paths = ["marshal.service", "marshal-backup.service", "marshal-backup.timer"].map((name) => {
      const path = join(folder.path, name);
      // verify looks for what it starts.
      writeFileSync(
        path,
        textOf(`deploy/systemd/${name}`).replaceAll("/opt/marshal", root.replace(/\/$/, "")),
      );
      return path;
    });
    run("verify", ...paths);
    // Exposure in tenths of a point: an unhardened service has 96.
    for (const path of paths.slice(0, 2)) run("security", "--offline=true", "--threshold=20", path);
  });
});

/** MAP_IMAGE may name one; there need be none. */
const HOSTS_MAP = "map.*";

describe("Dockerfile", () => {
  const file = textOf("Dockerfile");
  /** What is copied from this folder into the image, and what is taken out again. */
  const copied = [...file.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, from = ""]) =>
    from.split(" "),
  );
  const removed = [...file.matchAll(/rm -rf (\S+)/g)].map(([, path = ""]) => path);

  test("is of the release of Node that is pinned, with its latest mends, and copies what is there", () => {
    const pinned = z
      .object({ version: z.string() })
      .parse(JSON.parse(textOf("deploy/node-runtime/package.json")));
    for (const [, image] of file.matchAll(/^FROM (\S+)/gm))
      assert.equal(image, `node:${pinned.version.split(".")[0]}-slim`);
    for (const path of copied) assert.ok(path === HOSTS_MAP || existsSync(join(root, path)), path);
  });

  test("takes a host's picture of the map along, beside a file that is always there, which COPY needs", () => {
    assert.match(file, /^COPY package\.json map\.\* \.\/$/m);
  });

  test("copies every file that the bot and its tools import, and no emulator", () => {
    const seen = new Set<string>();
    const walk = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, to = ""] of textOf(path).matchAll(
        /(?:from|import\(|new URL\(|import) ?"(\.[^"]+\.(?:ts|mjs))"/g,
      ))
        walk(join(dirname(path), to));
    };
    for (const entry of ["src/main.ts", "deploy/register.ts", "deploy/store.ts", "deploy/preflight.mjs"])
      walk(entry);
    assert.ok(seen.size > 200);
    for (const path of seen) {
      assert.ok(
        copied.some((one) => path === one || path.startsWith(`${one}/`)),
        `${path} is not copied`,
      );
      assert.ok(!removed.some((one) => path.startsWith(one)), `${path} is taken out`);
    }
  });

  test("ends as another user than root, with the health check at the bot's own port", () => {
    assert.ok(file.lastIndexOf("USER node") > file.lastIndexOf("RUN "));
    assert.ok(textOf("deploy/health.sh").includes(`127.0.0.1:${opsPortOf({})}`));
    assert.match(textOf("deploy/health.sh"), /GET \/%s .*\$\{1:-healthz\}/);
    assert.match(file, /HEALTHCHECK .* CMD \["bash", "deploy\/health\.sh"\]/);
    assert.ok(file.includes(`EXPOSE ${opsPortOf({})}`));
  });
});
