import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parse } from "yaml";
import { textOf } from "../../deploy/deploy-files.ts";
import { programOf } from "./sandbox.ts";
import type { Walk } from "./walk.ts";

/** The lines that read a lost file back. */
const FIND = "bash deploy/secrets.sh find";

const SECRETS = { DISCORD_TOKEN: "a.token", SECRET_KEY: "a+b/c=" };
const CONTAINERS: Readonly<Record<string, Record<string, string>>> = {
  "marshal-marshal-1": {
    ...SECRETS,
    SECRET_KEY_OLD: "",
    NODE_VERSION: "26",
    STORE_URL: "sqlite:data/marshal.sqlite",
  },
  "marshal-cluster-marshal-1": {
    ...SECRETS,
    SHARDS: "auto",
    LOG_LEVEL: "",
    HISTORY_URL: "postgres://marshal:ab12@postgres/marshal",
  },
  "marshal-cluster-postgres-1": { POSTGRES_USER: "marshal", POSTGRES_PASSWORD: "ab12", PG_MAJOR: "17" },
  "marshal-cluster-grafana-1": { GF_SECURITY_ADMIN_PASSWORD: "cd34", GF_PATHS_DATA: "/var/lib/grafana" },
};
const IN_CLUSTER = { ...SECRETS, HISTORY_URL: 'postgres://m:"x"@host/m?a=1&b=|' };

/** What the clients of an engine and of a cluster ask of them, as far as these lines go. */
const ANSWERS = new Map<RegExp, (...parts: string[]) => unknown>([
  [/\/_ping$/, () => "OK"],
  [/\/containers\/json\?.*filters=([^&]*)/, (filters = "") => containersOf(decodeURIComponent(filters))],
  [/\/containers\/([^/]+)\/json$/, (id = "") => container(id)],
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

/** Those of a project, by the label that the engine was asked for. */
function containersOf(filters: string): unknown {
  if (!/project\.working_dir=\/.*\/lost-file\/deploy"/.test(filters)) return [];
  const project = /compose\.project=([\w-]+)"/.exec(filters)?.[1];
  return Object.keys(CONTAINERS).flatMap((name, id) =>
    name.replace(/-[a-z]+-1$/, "") === project ? [{ Id: `${id}`, Names: [`/${name}`], Created: 0 }] : [],
  );
}

function container(id: string): unknown {
  const env = Object.values(CONTAINERS)[Number(id)];
  return env && { Id: id, Config: { Env: Object.entries(env).map(([one, value]) => `${one}=${value}`) } };
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
    const asked = path.endsWith("/containers/json") ? url : path;
    const [pattern, answer] = [...ANSWERS].find(([one]) => one.test(asked)) ?? [];
    const body = answer?.(...(pattern?.exec(asked)?.slice(1) ?? []));
    const head = { "content-type": "application/json", "api-version": "1.44", ostype: "linux" };
    response.writeHead(body === undefined ? 404 : 200, head);
    response.end(typeof body === "string" ? body : JSON.stringify(body ?? { message: "No such container" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = join(host.folder, "lost-file");
  mkdirSync(join(folder, "deploy/k8s"), { recursive: true });
  for (const name of [".env.example", "deploy/secrets.sh", "deploy/k8s/secret.example.yaml"])
    writeFileSync(join(folder, name), textOf(name));
  writeFileSync(join(folder, "kubeconfig"), kubeconfig(address));
  for (const path of ["", "deploy", "deploy/k8s"]) host.own(join(folder, path));
  const env = { DOCKER_HOST: `tcp://${address}`, KUBECONFIG: join(folder, "kubeconfig") };
  // Not in one go: what answers is in this process.
  const read = async (way: string, path: string) => {
    console.log(`  ${FIND} ${way}`);
    const line = documented.take(`${FIND} compose`).replace("compose", way);
    const running = host.start(line, folder, env);
    const code = await running.ended;
    if (code !== 0) throw new Error(running.said);
    const found = statSync(join(folder, path));
    note(`${path} is for its owner only`, (found.mode & 0o77) === 0);
    return readFileSync(join(folder, path), "utf8");
  };
  try {
    if (programOf("docker") === undefined) console.log("not run here: docker inspect");
    else {
      const kept = Object.entries(SECRETS).map((pair) => `${pair.join("=")}\n`);
      const single = await read("compose", ".env");
      note("the container's variables are the lost .env", single === kept.join(""));
      const mine = "DISCORD_TOKEN=newer\nSECRET_KEY=\n";
      writeFileSync(join(folder, ".env"), mine);
      const filled = await read("compose", ".env");
      note("one that is there gets what it lacks", filled === `${mine}SECRET_KEY=${SECRETS.SECRET_KEY}\n`);
      note("and nothing a second time", (await read("compose", ".env")) === filled);
      rmSync(join(folder, ".env"));
      const cluster = await read("cluster", ".env");
      const all = [...kept, "SHARDS=auto\n", "POSTGRES_PASSWORD=ab12\n", "GRAFANA_PASSWORD=cd34\n"];
      note("those of several processes have both passwords", cluster === all.join(""));
      const others = host.start(`${FIND} cluster`, folder, { ...env, COMPOSE_PROJECT_NAME: "another-bot" });
      const isRefused = (await others.ended) !== 0 && others.said.includes("no container of another-bot");
      note(
        "where no container is, nothing is written",
        isRefused && readFileSync(join(folder, ".env"), "utf8") === cluster,
      );
    }
    if (programOf("kubectl") === undefined) console.log("not run here: kubectl get secret");
    else {
      const found = parse(await read("kubernetes", "deploy/k8s/secret.yaml")).stringData;
      const isWhole = Object.entries(IN_CLUSTER).every(([name, value]) => found[name] === value);
      note("the cluster's secret is the lost secret.yaml", isWhole);
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
