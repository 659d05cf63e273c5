import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig } from "../../src/config.ts";
import { tempFolder } from "../support/temp-folder.ts";
import {
  composeOf,
  knownVariables,
  opsPortOf,
  root,
  SECRETS,
  STOP_S,
  textOf,
  yamlOf,
} from "./deploy-files.ts";

const single = composeOf("deploy/compose.yaml");
const cluster = composeOf("deploy/compose.cluster.yaml");

describe("compose.yaml", () => {
  const { marshal, backup } = single.services;

  test("is the bot on sqlite with its history, and its backup, of one image and one volume", () => {
    assert.deepEqual(Object.keys(single.services), ["marshal", "backup"]);
    const given = marshal?.environment ?? {};
    assert.deepEqual(
      Object.keys(given),
      ["OPS_ADDRESS"],
      "all else is what .env says, an empty HISTORY_URL too",
    );
    const config = readConfig({ ...SECRETS, ...given });
    assert.deepEqual(
      [config.storeUrl, config.historyUrl, opsPortOf(given)],
      ["sqlite:data/marshal.sqlite", "sqlite:data/history.sqlite", opsPortOf({})],
    );
    assert.deepEqual([marshal?.env_file, backup?.env_file], ["../.env", "../.env"], "both see SECRET_KEY");
    assert.equal(backup?.network_mode, "none", "the token, which is in it too, can go nowhere");
    for (const one of [marshal, backup]) assert.ok(one?.volumes?.includes("data:/app/data"));
    assert.match(backup?.command?.join(" ") ?? "", /node deploy\/store\.ts backups backups --keep 14/);
    for (const folder of ["data", "backups"])
      assert.match(textOf("Dockerfile"), new RegExp(`mkdir .*${folder}.* && chown node:node .*${folder}`));
    assert.ok(Number.parseInt(marshal?.stop_grace_period ?? "0", 10) > STOP_S);
  });
});

describe("a Prometheus of one's own beside compose.yaml", () => {
  test("gets a port of this machine by one line, which every later start keeps", () => {
    assert.equal(single.services.marshal?.ports, undefined, "without it no port is open");
    const opened = parse(textOf("deploy/compose.yaml").replace("# ports: ", "ports: "), { merge: true });
    assert.deepEqual(opened.services.marshal.ports, ["127.0.0.1:9464:9464"]);
  });
});

describe("the backup's container", () => {
  const [program = "", flag = "", script = ""] = single.services.backup?.command ?? [];

  test("makes one at its start, unless one of the last 20 hours is whole: many starts would push out those of before", (t) => {
    const { path: folder, remove } = tempFolder();
    t.after(remove);
    const bin = join(folder, "bin");
    mkdirSync(bin);
    mkdirSync(join(folder, "data"));
    // The loop ends where nobody sleeps.
    const programs = { node: 'echo "$@" >>said\ntouch data/last-backup', sleep: "exit 1" };
    for (const [name, body] of Object.entries(programs))
      writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const starts = () => {
      const env = { PATH: `${bin}:${process.env.PATH}` };
      spawnSync(program, [flag, script], { cwd: folder, env });
      return readFileSync(join(folder, "said"), "utf8").trim().split("\n").length;
    };
    assert.equal(starts(), 1);
    assert.equal(starts(), 1, "none beside it");
    const longAgoS = Date.now() / 1_000 - 21 * 3_600;
    utimesSync(join(folder, "data/last-backup"), longAgoS, longAgoS);
    assert.equal(starts(), 2);
  });
});

describe("compose.cluster.yaml", () => {
  const { services } = cluster;
  const bots = ["marshal", "standby"].map((name) => services[name]);
  const filledOnce = (text: string) =>
    text.replace(/\$\{[A-Z_]+(?::?-([^${}]*)|:\?[^${}]*)\}/g, (_, or = "filled") => or);
  // A value that stands in for another may have one in it.
  const filled = (text: string) => filledOnce(filledOnce(text));

  test("runs the bot and one that stands by, with variables that the bot knows and takes", () => {
    for (const bot of bots) {
      const given = Object.entries(bot?.environment ?? {});
      assert.deepEqual([...new Set(given.map(([name]) => name))].sort(), [...knownVariables()].sort());
      const environment = Object.fromEntries(given.map(([name, value]) => [name, filled(value)]));
      const config = readConfig({ ...environment, ...SECRETS });
      assert.match(config.storeUrl, /^redis:\/\/valkey:6379/);
      assert.equal(config.historyUrl, "postgres://marshal:filled@postgres/marshal");
      assert.equal(config.shards, "auto");
    }
    assert.match(bots[0]?.environment?.HISTORY_URL ?? "", /^\$\{HISTORY_URL-/, "an empty one turns it off");
    const [{ build, ...first } = {}, { pull_policy, ...second } = {}] = bots;
    assert.deepEqual(first, second);
    for (const bot of bots) assert.ok(Number.parseInt(bot?.stop_grace_period ?? "0", 10) > STOP_S);
  });

  test("gives each container its own variables only, and none a file of them", () => {
    for (const [name, { env_file, environment = {} }] of Object.entries(services)) {
      assert.equal(env_file, undefined, name);
      const asked = [
        ...Object.values(environment)
          .join(" ")
          .matchAll(/\$\{([A-Z_]+)/g),
      ].map(([, one]) => one);
      const secrets = asked.filter((one) => /TOKEN|SECRET_KEY$|PASSWORD/.test(one ?? "")).sort();
      const own: Readonly<Record<string, readonly string[]>> = {
        marshal: ["DISCORD_TOKEN", "POSTGRES_PASSWORD", "SECRET_KEY"],
        standby: ["DISCORD_TOKEN", "POSTGRES_PASSWORD", "SECRET_KEY"],
        postgres: ["POSTGRES_PASSWORD"],
        grafana: ["GRAFANA_PASSWORD"],
      };
      assert.deepEqual(secrets, own[name] ?? [], name);
    }
  });

  test("keeps what Valkey is given: an append-only file, nothing evicted", () => {
    const command = services.valkey?.command?.join(" ") ?? "";
    assert.match(command, /--appendonly yes .*--maxmemory-policy noeviction/);
    const inCluster = textOf("deploy/k8s/valkey.yaml");
    assert.match(inCluster, /--appendonly\n\s+- "yes".*--maxmemory-policy\n\s+- noeviction/s);
  });

  test("Alertmanager has a receiver to fill in, and Prometheus sends to it", () => {
    const receiver = z.object({ discord_configs: z.tuple([z.object({ webhook_url: z.string() })]) });
    const shape = z.object({ route: z.object({ receiver: z.string() }), receivers: z.tuple([receiver]) });
    const [config] = yamlOf("deploy/alertmanager.yml", shape);
    assert.match(config?.receivers[0].discord_configs[0].webhook_url ?? "", /FILL-IN/);
    assert.match(textOf("deploy/prometheus.yml"), /targets: \[alertmanager:9093\]/);
  });
});

describe("compose.alerts.yaml", () => {
  const [overlay] = yamlOf(
    "deploy/compose.alerts.yaml",
    z.object({
      services: z.record(z.string(), z.record(z.string(), z.unknown())),
      volumes: z.record(z.string(), z.unknown()),
    }),
  );
  const [whole] = yamlOf(
    "deploy/compose.cluster.yaml",
    z.object({ services: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  );

  test("adds the Prometheus and the Alertmanager of the cluster, and changes nothing of the bot: a start without it is the same", () => {
    const others = overlay?.services ?? {};
    assert.deepEqual(Object.keys(others), ["prometheus", "alertmanager"]);
    for (const [name, one] of Object.entries(others)) {
      const { networks, ...same } = whole?.services[name] ?? {};
      assert.ok(Array.isArray(networks), "there, one network is closed");
      assert.deepEqual(one, same, name);
    }
    assert.deepEqual(Object.keys(overlay?.volumes ?? {}), ["prometheus", "alertmanager"]);
  });

  test("finds the ops address, which the container's own would not answer elsewhere", () => {
    assert.equal(single.services.marshal?.environment?.OPS_ADDRESS, "0.0.0.0:9464");
    assert.match(textOf("deploy/prometheus.yml"), /targets: \[marshal:9464, standby:9464\]/);
  });
});

describe("both compose files", () => {
  test("give the image the name of the project: two bots of one machine may be of two versions; one builds it", () => {
    for (const { services } of [single, cluster]) {
      const ours = Object.values(services).filter(
        ({ image }) => image === `\${COMPOSE_PROJECT_NAME:-marshal}`,
      );
      const how = ours.map(({ build, pull_policy }) => build?.context ?? pull_policy);
      // Both at once may find that the other has taken the name; and nobody's registry has it.
      assert.deepEqual(how, ["..", "never"]);
    }
  });

  test("let nothing run as root, write outside its volumes or grow without a limit", () => {
    for (const [name, one] of [...Object.entries(single.services), ...Object.entries(cluster.services)]) {
      assert.ok(one.read_only, name);
      assert.deepEqual([one.cap_drop, one.security_opt], [["ALL"], ["no-new-privileges:true"]], name);
      assert.ok(!["root", "0"].includes(one.user), name);
      assert.ok(one.pids_limit > 0 && one.mem_limit !== "" && one.restart === "unless-stopped", name);
      assert.ok(one.healthcheck !== undefined || one.image.startsWith("$"), `${name} has a health check`);
      if (one.build !== undefined)
        assert.ok(existsSync(join(root, "deploy", one.build.context, "Dockerfile")));
    }
  });

  test("mount files that are there, and open ports on the loopback only", () => {
    for (const composed of [single, cluster])
      for (const [name, { volumes = [], ports = [] }] of Object.entries(composed.services)) {
        for (const volume of volumes) {
          const [from = ""] = volume.split(":");
          const isThere: boolean = from.startsWith(".")
            ? existsSync(join(root, "deploy", from))
            : from in composed.volumes;
          assert.ok(isThere, `${name}: ${volume}`);
        }
        for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
      }
  });
});
