import { execFile } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runStoreTool } from "../../deploy/store-tool.ts";
import { documentsOf } from "../../src/document-table.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createBindings } from "../../src/store/bindings.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createVault } from "../../src/store/vault.ts";
import { seededRandom, VirtualClock } from "./clock.ts";
import { serverStatus } from "./server-status.ts";
import { tempFolder } from "./temp-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tool = join(root, "deploy/store.ts");
export const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
export const base64 = (secret: Uint8Array) => Buffer.from(secret).toString("base64");
export const SECRET = base64(secretOf(1));
export const KEY = "a-server-key-of-the-test";

interface Ran {
  readonly code: number;
  readonly said: string;
}

/** `npm run store -- ...` with that store, in this process. */
export async function runStore(
  environment: Record<string, string>,
  ...args: readonly string[]
): Promise<Ran> {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const parts = { args, environment: { SECRET_KEY: SECRET, ...environment }, say, complain: say };
  return { code: await runStoreTool(parts), said: said.join("\n") };
}

/** The same as a process of its own, of which every start costs a second. */
export async function spawnStore(env: Record<string, string>, ...args: readonly string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [tool, ...args], {
      cwd: tmp(env),
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        SECRET_KEY: SECRET,
        ...env,
      },
    });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

/** A folder without an .env file. */
function tmp({ STORE_URL = "" }: Record<string, string>): string {
  return STORE_URL.startsWith("sqlite:") ? join(STORE_URL.slice("sqlite:".length), "..") : root;
}

export function folderOf(t: TestContext): string {
  const folder = tempFolder();
  t.after(() => folder.remove());
  return folder.path;
}

function bindingsOn(store: Awaited<ReturnType<typeof openStore>>, secret = secretOf(1)) {
  return createBindings({
    documents: documentsOf(store, "bindings"),
    vault: createVault({ secret }),
    clock: new VirtualClock(),
    random: seededRandom(1),
    serversPerGuild: 10,
    hideSecret: () => undefined,
  });
}

const status = (name: string) => serverStatus({ name, ownerId: 1, joinKey: `join-${name}` });

/** A store with two linked servers, a halt, a hundred rows of the audit, and the mark of a clean stop. */
export async function fillStore(url: string): Promise<void> {
  const store = await openStore(url, { runsIn: "caller" });
  const { bindings } = bindingsOn(store);
  for (const guildId of ["10", "11"])
    await bindings.link({
      guildId,
      key: new ServerKey(KEY + guildId),
      status: status("Ü 'town'"),
      byUserId: "1",
    });
  await documentsOf(store, "halts").set("address", {
    leftMs: 60_000,
    why: "blocked",
    message: "Zu viel 🚓",
    strikes: 1,
  });
  const events = documentsOf(store, "audit-events");
  for (let index = 0; index < 100; index++) {
    const id = `e${index}`;
    await events.set(id, {
      id,
      guildId: "10",
      atMs: index,
      actorId: "1",
      actorName: "A",
      action: "x",
      text: '\n"',
    });
  }
  await documentsOf(store, "clean-stop").set("end", { unsettled: [], endedAtMs: 0 });
  await store.close();
}

export async function keyIn(url: string, guildId = "10"): Promise<string | undefined> {
  const store = await openStore(url, { runsIn: "caller" });
  try {
    const { bindings, keys } = bindingsOn(store);
    await bindings.load();
    const [binding] = await bindings.list(guildId);
    return binding === undefined ? undefined : (await keys.keyOf(binding.source))?.reveal();
  } finally {
    await store.close();
  }
}
