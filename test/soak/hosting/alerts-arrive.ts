import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse as parseYaml, stringify } from "yaml";
import { freePort } from "../../../src/sandbox/free-port.ts";
import { root, textOf } from "../../deploy/deploy-files.ts";
import { programOf } from "./sandbox.ts";
import { until, type Walk } from "./walk.ts";

/** The arguments that docs/hosting.md gives to Debian's services. */
const LOOPBACK = {
  prometheus: "--web.listen-address=127.0.0.1:9090",
  "prometheus-alertmanager": "--web.listen-address=127.0.0.1:9093 --cluster.listen-address=",
  "prometheus-node-exporter": "--web.listen-address=127.0.0.1:9100",
};

/** What somebody's own Prometheus is given, by its own check. */
function ownPrometheus({ host, documented, note }: Pick<Walk, "host" | "documented" | "note">): void {
  const folder = join(host.folder, "own-prometheus");
  mkdirSync(folder);
  host.own(folder);
  const here = (command: string) =>
    documented
      .take(command)
      .replace("sudo ", "")
      .replace("deploy/", `${root}deploy/`)
      .replace(/\/etc\/(?:prometheus|default)/, folder);
  for (const [name, args] of Object.entries(LOOPBACK)) {
    // As Debian's packages bring it.
    writeFileSync(join(folder, name), 'ARGS=""\n');
    host.own(join(folder, name));
    const line = `sudo sed -i 's/^ARGS=""/ARGS="${args}"/' /etc/default/${name}`;
    for (let time = 0; time < 2; time++) host.run(here(line));
    note(
      `${name} listens on this machine only`,
      readFileSync(join(folder, name), "utf8") === `ARGS="${args}"\n`,
    );
  }
  host.run(here("sudo cp deploy/alertmanager.yml /etc/prometheus/alertmanager.yml"));
  host.run(here("sudo cp deploy/grafana/alerts.yml /etc/prometheus/marshal.yml"));
  const block = /^```yaml\n(rule_files:\n.*?)^```$/ms.exec(textOf("docs/hosting.md"))?.[1] ?? "";
  writeFileSync(join(folder, "prometheus.yml"), block.replace("/etc/prometheus", folder));
  const check = here("promtool check config /etc/prometheus/prometheus.yml");
  if (programOf("promtool") === undefined) console.log("not run here: promtool check config");
  else
    note(
      "a Prometheus of one's own takes what it is given",
      /SUCCESS: \d+ rules found/.test(host.run(`${check} 2>&1`)),
    );
}

/** The values for kube-prometheus-stack, laid over what that chart has by itself, whose lists they replace. */
function valuesOfChart({ host, note }: Pick<Walk, "host" | "note">, amtool: string): void {
  const block = /^```yaml\n(alertmanager:\n.*?)^```$/ms.exec(textOf("docs/hosting.md"))?.[1] ?? "";
  const { route, receivers } = parseYaml(block).alertmanager.config;
  const file = join(host.folder, "chart.yaml");
  const config = { route: { receiver: "null", group_by: ["namespace"], ...route }, receivers };
  writeFileSync(file, stringify(config).replace("YOUR_WEBHOOK", "https://discord.com/api/webhooks/1/x"));
  const goesTo = (alert: string) =>
    host.run(`${amtool} config routes test --config.file=${file} alertname=${alert}`).trim();
  note("the chart's Alertmanager takes them", host.run(`${amtool} check-config ${file}`).includes("SUCCESS"));
  const ways = ["MarshalAllGone", "MarshalTest", "Watchdog", "NodeDown"].map(goesTo);
  note("Marshal's alerts go to the webhook, and no others", ways.join() === "marshal,marshal,null,null");
}

/** A real Prometheus with the rules, a real Alertmanager with the receiver filled in, and whether a page reaches it. */
export async function alertsArrive({ host, documented, note }: Walk): Promise<void> {
  const line =
    "docker compose --env-file .env -f deploy/compose.cluster.yaml exec alertmanager amtool --alertmanager.url=http://127.0.0.1:9093 alert add Test severity=page --annotation=summary=Test";
  documented.take(line);
  const ownLine = documented.take(line.slice(line.indexOf("amtool")));
  ownPrometheus({ host, documented, note });
  const [manager, amtool, prometheus] = [
    programOf("alertmanager", "prometheus-alertmanager"),
    programOf("amtool"),
    programOf("prometheus"),
  ];
  if (manager === undefined || amtool === undefined || prometheus === undefined)
    return console.log(
      "not run here: whether an alert arrives (Debian: prometheus, prometheus-alertmanager)",
    );
  valuesOfChart({ host, note }, amtool);
  const folder = join(host.folder, "alerts");
  mkdirSync(folder);
  host.own(folder);
  const got: string[] = [];
  const receiver = createServer(async (request, response) => {
    got.push(await text(request));
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const port = typeof address === "object" ? address?.port : 0;
  const [managerPort, prometheusPort] = [await freePort(), await freePort()];
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write(
    "alertmanager.yml",
    textOf("deploy/alertmanager.yml")
      .replace(/webhook_url: \S+/, `webhook_url: http://127.0.0.1:${port}/api/webhooks/1/x`)
      .replace("group_wait: 30s", "group_wait: 1s"),
  );
  // Nobody answers where it asks: the page that nothing else may stand in the way of.
  write(
    "prometheus.yml",
    textOf("deploy/prometheus.yml")
      .replace("alertmanager:9093", `127.0.0.1:${managerPort}`)
      .replace("[marshal:9464, standby:9464]", `["127.0.0.1:${await freePort()}"]`)
      .replaceAll(/: 15s/g, ": 1s"),
  );
  // Prometheus needs five seconds to find Alertmanager, and tells of what fired before a minute later.
  write("alerts.yml", textOf("deploy/grafana/alerts.yml").replaceAll(/for: \d+m/g, "for: 15s"));
  const running = [
    host.start(
      `exec ${manager} --config.file=alertmanager.yml --storage.path=am ${LOOPBACK["prometheus-alertmanager"].replace("9093", `${managerPort}`)}`,
      folder,
    ),
    host.start(
      `exec ${prometheus} --config.file=prometheus.yml --storage.tsdb.path=tsdb ${LOOPBACK.prometheus.replace("9090", `${prometheusPort}`)}`,
      folder,
    ),
  ];
  try {
    const isThere = async () =>
      await fetch(`http://127.0.0.1:${managerPort}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isThere);
    host.run(ownLine.replace("amtool", amtool).replace("9093", `${managerPort}`), folder);
    const arrives = (alert: string) =>
      until(() => got.some((body) => body.includes(alert)), 60_000).then(
        () => true,
        () => false,
      );
    note("the documented test reaches the receiver", await arrives("page: Test"));
    note(
      "a Marshal that is gone pages through Prometheus and Alertmanager",
      await arrives("page: MarshalAllGone"),
    );
    note(
      "and says what to do",
      got.some((body) => body.includes("Look at its last log lines")),
    );
    if (got.length < 2) for (const one of running) console.log(one.said.split("\n").slice(-4).join("\n"));
  } finally {
    for (const one of running) await one.stop("SIGKILL");
    receiver.close();
  }
}
