import { parseArgs } from "node:util";
import { systemClock, systemRandom } from "../src/clock.ts";
import { type Config, ConfigError, type Environment, readStoreConfig } from "../src/config.ts";
import { DOCUMENT_KINDS, documentsOf } from "../src/document-table.ts";
import { StoreError } from "../src/domain/failure.ts";
import { createBindings } from "../src/store/bindings.ts";
import { checkStore } from "../src/store/check-store.ts";
import { DOCUMENT_FORM } from "../src/store/document-forms.ts";
import type { Store } from "../src/store/keyv-documents.ts";
import { openStore } from "../src/store/open-store.ts";
import { openVault } from "../src/store/rotation.ts";
import { findSecret } from "../src/store/secret-file.ts";
import { backUpSqlite } from "../src/store/sqlite/backup-sqlite.ts";
import { exportStore, importStore, type TransferParts } from "../src/store/transfer.ts";
import { fingerprintOf } from "../src/store/vault.ts";

const USAGE = `npm run store -- check                     reads everything in the store, as Marshal would
npm run store -- export FILE               copies the store to a file and compares both
npm run store -- import FILE [--replace]   fills the store from such a file and compares both
npm run store -- backup FILE               copies a sqlite store while Marshal runs

The store is the one in STORE_URL. Server keys stay sealed. Copy the secret (SECRET_KEY or data/secret.key) yourself.`;

const kinds: ReadonlyMap<string, (typeof DOCUMENT_KINDS)[keyof typeof DOCUMENT_KINDS]> = new Map(
  Object.entries(DOCUMENT_KINDS),
);

interface StoreToolParts {
  /** What stands behind `npm run store --`. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly say: (line: string) => void;
  /** For errors and for what there is to type. */
  readonly complain: (line: string) => void;
}

/** `npm run store`: exit code 0 when what was asked for is done and proven, 1 when not, 2 where the words are wrong. */
export async function runStoreTool(parts: StoreToolParts): Promise<number> {
  try {
    return await run(parts);
  } catch (error) {
    const isExpected = error instanceof StoreError || error instanceof ConfigError;
    const why = error instanceof Error ? error.message : String(error);
    parts.complain(isExpected ? why : String(error instanceof Error ? error.stack : error));
    return 1;
  }
}

async function run({ args, environment, say, complain }: StoreToolParts): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { replace: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [task = "", file] = positionals;
  const needsFile = task !== "check";
  if (!TASKS.has(task) || positionals.length !== (needsFile ? 2 : 1)) {
    complain(USAGE);
    return 2;
  }

  const config = readStoreConfig(environment);
  if (task === "backup") {
    say(backUp(config, file ?? ""));
    return 0;
  }
  const store = await openStore(config.storeUrl, { runsIn: "caller" });
  try {
    if (task === "check") return await check(store, config, say);
    const parts = await partsFor(store, config, task);
    const { documents, namespaces } =
      task === "export"
        ? await exportStore(parts, file ?? "")
        : await importStore(parts, file ?? "", { replace: values.replace });
    say(`${task}: ${documents} documents of ${namespaces} kinds, read back and equal`);
    if (task === "export") say("the secret that opens its server keys is not in it. Keep it with the file");
    return 0;
  } finally {
    await store.close();
  }
}

const TASKS: ReadonlySet<string> = new Set(["check", "export", "import", "backup"]);

/** Answers what was done. */
function backUp({ storeUrl }: Config, file: string): string {
  const path = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (path === undefined) {
    throw new StoreError(
      "backup is for sqlite. Back up Redis with its own tools, or use export while Marshal is stopped",
    );
  }
  backUpSqlite(path, file);
  return `backup: ${file} holds what ${path} held; put data/secret.key beside it, and the history apart`;
}

async function partsFor(store: Store, config: Config, task: string): Promise<TransferParts> {
  const secret = findSecret({ storeUrl: config.storeUrl, given: config.secretKey });
  const own = [secret, config.secretKeyOld].filter((one) => one !== undefined);
  if (task === "export") await proveSecret(store, config, secret);
  return {
    store,
    writersOf: (namespace) => kinds.get(namespace)?.writers ?? "holder",
    fingerprints: own.map(fingerprintOf),
    form: DOCUMENT_FORM,
  };
}

/** An export names the secret of its server keys, so it has to be the right one. */
async function proveSecret(store: Store, config: Config, secret: Uint8Array | undefined): Promise<void> {
  const bindings = documentsOf(store, "bindings");
  if (secret === undefined) {
    for await (const _ of bindings.entries()) {
      throw new StoreError("the store has server keys, but there is no SECRET_KEY and no data/secret.key");
    }
    return;
  }
  const roots = documentsOf(store, "sealed-root");
  const { vault } = await openVault({ roots, bindings, secret, old: config.secretKeyOld });
  const parts = { documents: bindings, vault, clock: systemClock, random: systemRandom };
  await createBindings({ ...parts, serversPerGuild: 1, hideSecret: () => undefined }).bindings.load();
}

async function check(store: Store, config: Config, say: StoreToolParts["say"]): Promise<number> {
  const secret = findSecret({ storeUrl: config.storeUrl, given: config.secretKey });
  if (secret === undefined) throw new StoreError("there is no SECRET_KEY and no data/secret.key");
  const bindings = documentsOf(store, "bindings");
  const roots = documentsOf(store, "sealed-root");
  const { vault } = await openVault({ roots, bindings, secret, old: config.secretKeyOld });
  const parserOf = (namespace: string) => kinds.get(namespace)?.parse;
  const { counts, keys, faults } = await checkStore({ store, parserOf, bindings, vault });
  for (const [namespace, documents] of counts) say(`${namespace.padEnd(22)} ${documents}`);
  for (const fault of faults) say(fault);
  say(faults.length === 0 ? `everything can be read; ${keys} server keys open` : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
