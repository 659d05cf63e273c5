import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { textOf } from "../../deploy/deploy-files.ts";
import { programOf } from "./sandbox.ts";
import type { Walk } from "./walk.ts";

const ENV_OF = "'{{range .Config.Env}}{{println .}}{{end}}'";
const OF_THE_BOT = "BAD_KEY|DISCORD|DOCS|LOG_LEVEL|MAP|PUBLIC|SECRET|SERVERS|SERVICE|SHARDS";
const OF_ALL =
  "BAD_KEY|DISCORD|DOCS|GRAFANA_PASSWORD|LOG_LEVEL|MAP|POSTGRES_PASSWORD|PUBLIC|SECRET|SERVERS|SERVICE|SHARDS";
const SYSTEMD =
  'sudo sh -c \'umask 077; kept=$(tr "\\0" "\\n" < /proc/$(systemctl show -P MainPID marshal)/environ | grep -E "^(BAD_KEY|DISCORD|DOCS|HISTORY|LOG_LEVEL|MAP|OPS|PUBLIC|SECRET|SERVERS|SERVICE|SHARDS|STORE)[A-Z_]*=.") && echo "$kept" > /etc/marshal/marshal.env\'';

/** The lines that read a lost file back. */
export const READ_BACK = {
  compose: `kept=$(docker inspect -f ${ENV_OF} marshal-marshal-1) && kept=$(echo "$kept" | grep -E '^(${OF_THE_BOT})[A-Z_]*=.') && (umask 077; echo "$kept" > .env)`,
  cluster: `kept=$(docker inspect -f ${ENV_OF} marshal-cluster-marshal-1 marshal-cluster-postgres-1 marshal-cluster-grafana-1) && kept=$(echo "$kept" | sed 's/^GF_SECURITY_ADMIN_PASSWORD=/GRAFANA_PASSWORD=/' | grep -E '^(${OF_ALL})[A-Z_]*=.') && (umask 077; echo "$kept" > .env)`,
  systemd: SYSTEMD,
  kubernetes:
    "kept=$(kubectl -n marshal get secret marshal -o go-template='{{range $name, $value := .data}}{{printf \"  %s: %q\\n\" $name ($value | base64decode)}}{{end}}') && (umask 077; (sed '/^stringData:/q' deploy/k8s/secret.example.yaml; echo \"$kept\") > deploy/k8s/secret.yaml)",
} as const;

const SECRETS = { DISCORD_TOKEN: "a.token", SECRET_KEY: "a+b/c=" };
const CONTAINERS: Readonly<Record<string, Record<string, string>>> = {
  "marshal-marshal-1": { ...SECRETS, SECRET_KEY_OLD: "", NODE_VERSION: "26", STORE_URL: "sqlite:data/x" },
  "marshal-cluster-marshal-1": { ...SECRETS, SHARDS: "auto", LOG_LEVEL: "", HISTORY_URL: "postgres://x" },
  "marshal-cluster-postgres-1": { POSTGRES_USER: "marshal", POSTGRES_PASSWORD: "ab12", PG_MAJOR: "17" },
  "marshal-cluster-grafana-1": { GF_SECURITY_ADMIN_PASSWORD: "cd34", GF_PATHS_DATA: "/var/lib/grafana" },
};
const IN_CLUSTER = { ...SECRETS, HISTORY_URL: 'postgres://m:"x"@host/m?a=1&b=|' };

/** What the clients of an engine and of a cluster ask of them, as far as these lines go. */
const ANSWERS = new Map<RegExp, (...parts: string[]) => unknown>([
  [/\/_ping$/, () => "OK"],
  [/\/containers\/([^/]+)\/json$/, (name = "") => container(name)],
  [/^\/api$/, () => ({ kind: "APIVersions", versions: ["v1"] })],
  [/^\/apis$/, () => ({ kind: "APIGroupList", apiVersion: "v1", groups: [] })],
  [/^\/api\/v1$/, () => ({ kind: "APIResourceList", groupVersion: "v1", resources: [SECRET_KIND] })],
  [/^\/api\/v1\/namespaces\/marshal\/secrets\/marshal$/, () => secret()],
]);
const SECRET_KIND = {
  name: "secrets",
  singularName: "secret",
  namespaced: true,
  kind: "Secret",
  verbs: ["get"],
};

function container(name: string): unknown {
  const env = CONTAINERS[name];
  return env && { Id: name, Config: { Env: Object.entries(env).map(([one, value]) => `${one}=${value}`) } };
}

function secret(): unknown {
  const data = Object.entries(IN_CLUSTER).map(([name, value]) => [
    name,
    Buffer.from(value).toString("base64"),
  ]);
  const metadata = { name: "marshal", namespace: "marshal" };
  return { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) };
}

/** A lost .env or secret.yaml, read back by the real clients from what answers as an engine and a cluster would. */
export async function walkLostFile({ host, documented, note }: Walk): Promise<void> {
  const server = createServer(({ url = "" }, response) => {
    const path = url.split("?")[0] ?? "";
    const [pattern, answer] = [...ANSWERS].find(([one]) => one.test(path)) ?? [];
    const body = answer?.(...(pattern?.exec(path)?.slice(1) ?? []));
    const head = { "content-type": "application/json", "api-version": "1.44", ostype: "linux" };
    response.writeHead(body === undefined ? 404 : 200, head);
    response.end(typeof body === "string" ? body : JSON.stringify(body ?? { message: "No such container" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = join(host.folder, "lost-file");
  mkdirSync(join(folder, "deploy/k8s"), { recursive: true });
  writeFileSync(join(folder, "deploy/k8s/secret.example.yaml"), textOf("deploy/k8s/secret.example.yaml"));
  writeFileSync(join(folder, "kubeconfig"), kubeconfig(address));
  for (const path of ["", "deploy", "deploy/k8s"]) host.own(join(folder, path));
  const env = { DOCKER_HOST: `tcp://${address}`, KUBECONFIG: join(folder, "kubeconfig") };
  // Not in one go: what answers is in this process.
  const read = async (line: string, path: string) => {
    console.log(`  ${line}`);
    const running = host.start(documented.take(line), folder, env);
    const code = await running.ended;
    if (code !== 0) throw new Error(running.said);
    const found = statSync(join(folder, path));
    note(`${path} is for its owner only`, (found.mode & 0o77) === 0);
    return readFileSync(join(folder, path), "utf8");
  };
  try {
    if (programOf("docker") === undefined) documented.notRun(/docker inspect/);
    else {
      const kept = Object.entries(SECRETS).map((pair) => `${pair.join("=")}\n`);
      const single = await read(READ_BACK.compose, ".env");
      note("the container's variables are the lost .env", single === kept.join(""));
      const cluster = await read(READ_BACK.cluster, ".env");
      const all = [...kept, "SHARDS=auto\n", "POSTGRES_PASSWORD=ab12\n", "GRAFANA_PASSWORD=cd34\n"];
      note("and those of several processes, with both passwords", cluster === all.join(""));
      const left = READ_BACK.cluster.replace(" marshal-cluster-grafana-1", "");
      const fewer = host.start(left, folder, env);
      const isRead =
        (await fewer.ended) === 0 && readFileSync(join(folder, ".env"), "utf8") === all.slice(0, -1).join("");
      note("a container that is not there can be left out", isRead);
      const before = readFileSync(join(folder, ".env"), "utf8");
      const gone = host.start(READ_BACK.cluster.replace("marshal-cluster-grafana-1", "gone"), folder, env);
      const isRefused = (await gone.ended) !== 0;
      note(
        "where one is gone nothing is written",
        isRefused && readFileSync(join(folder, ".env"), "utf8") === before,
      );
    }
    if (programOf("kubectl") === undefined) documented.notRun(/kubectl -n marshal get secret/);
    else {
      const yaml = await read(READ_BACK.kubernetes, "deploy/k8s/secret.yaml");
      const lines = Object.entries(IN_CLUSTER).map(
        ([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`,
      );
      note(
        "the cluster's secret is the lost secret.yaml",
        yaml.endsWith(`stringData:\n${lines.sort().join("")}`),
      );
    }
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
}

function kubeconfig(address: string): string {
  const clusters = [{ name: "here", cluster: { server: `http://${address}` } }];
  const contexts = [{ name: "here", context: { cluster: "here", user: "" } }];
  return JSON.stringify({ apiVersion: "v1", kind: "Config", clusters, contexts, "current-context": "here" });
}
