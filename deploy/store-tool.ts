import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/clock.ts";
import { type Config, ConfigError, type Environment, readStoreConfig } from "../src/config.ts";
import { DOCUMENT_KINDS, documentsOf, ROW_KINDS } from "../src/document-table.ts";
import { StoreError } from "../src/domain/failure.ts";
import { withoutPassword } from "../src/shown-value.ts";
import { checkStore } from "../src/store/check-store.ts";
import { DOCUMENT_FORM, readableForm } from "../src/store/document-forms.ts";
import type { Store } from "../src/store/keyv-documents.ts";
import { openStore } from "../src/store/open-store.ts";
import { openVault } from "../src/store/rotation.ts";
import { findSecret, secretPath } from "../src/store/secret-file.ts";
import { backUpSqlite, requireReadable, requireStore } from "../src/store/sqlite/backup-sqlite.ts";
import {
  exportStore,
  importStore,
  type ProvenFile,
  proveFile,
  type TransferParts,
} from "../src/store/transfer.ts";
import { fingerprintOf } from "../src/store/vault.ts";
import { backUpAll, sqlitePath } from "./backups.ts";
import { proveSecret } from "./prove-secret.ts";
import { restore } from "./restore.ts";
import { rewindStore } from "./rewind-store.ts";

const USAGE = `npm run store -- check                       reads everything in the store, as Marshal would
npm run store -- backup FILE                 copies a sqlite store while Marshal runs
npm run store -- backups FOLDER [--keep 14]  the same with its secret and its history, into a folder named by the time; with --keep it
                                             removes all but the newest of that number
npm run store -- restore BACKUP              puts a backup in the place of what is there, while Marshal is stopped
npm run store -- export FILE                 copies the store to a file and compares both
npm run store -- import FILE [--replace]     fills the store from such a file and compares both
npm run store -- rewind READER TIME          lets a reader of the game's logs (history, cases, alerts, proof,
                                             ban-ends, watches) read again what came since TIME, such as
                                             2026-01-31T18:00Z, as far as it is kept

The store is the one in STORE_URL. Server keys stay sealed. backup and export leave the secret out (SECRET_KEY, or
the secret.key beside the store): copy it yourself.`;

const kinds: ReadonlyMap<string, (typeof DOCUMENT_KINDS)[keyof typeof DOCUMENT_KINDS]> = new Map(
  Object.entries(DOCUMENT_KINDS),
);

const rowKinds: ReadonlyMap<string, (typeof ROW_KINDS)[keyof typeof ROW_KINDS]> = new Map(
  Object.entries(ROW_KINDS),
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
  const { values, positionals } = parsed(args);
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const [task = "", place = "", time = ""] = positionals;
  // Without a number the option is `true`, which is no 1.
  const keep = values.keep === undefined ? undefined : Number.parseInt(String(values.keep), 10);
  const why = wrongWords(positionals, values.unknown, keep);
  if (why !== undefined) {
    complain(`${why}. What there is:\n${USAGE}`);
    return 2;
  }

  const config = readStoreConfig(environment);
  const path = /^sqlite:(.+)$/.exec(config.storeUrl)?.[1];
  say(`store: ${path === undefined ? withoutPassword(config.storeUrl) : resolve(path)}`);
  const nowMs = systemClock.nowMs();
  switch (task) {
    case "backup": {
      const from = sqlitePath(config.storeUrl, task);
      backUpSqlite(from, place);
      say(`backup: ${place} holds what ${from} held; ${secretToKeep(config)}, and the history apart`);
      return 0;
    }
    case "backups":
      for (const line of await backUpAll(config, { folder: place, keep, nowMs })) say(line);
      return 0;
    case "restore":
      for (const line of await restore(config, place, nowMs)) say(line);
      return 0;
    default:
      return await onStore({ task, place, time, replace: values.replace, config, path, say });
  }
}

/** What an owner has to keep beside a backup of the store alone. */
function secretToKeep({ storeUrl, secretKey }: Config): string {
  const path = secretPath(storeUrl);
  return secretKey === undefined && path !== undefined && existsSync(path)
    ? `put ${path} beside it`
    : "keep SECRET_KEY with it";
}

/** How many words each has, itself included. */
const TASKS: ReadonlyMap<string, number> = new Map([
  ["check", 1],
  ...["export", "import", "backup", "backups", "restore"].map((task) => [task, 2] as const),
  ["rewind", 3],
]);

/** What was typed wrong; undefined: nothing. */
function wrongWords(
  [task, ...places]: readonly string[],
  unknown: string | undefined,
  keep: number | undefined,
): string | undefined {
  if (task === undefined) return "say what to do";
  const words = TASKS.get(task);
  if (words === undefined) return `there is no "${task}"`;
  if (unknown !== undefined) return `there is no "--${unknown}"`;
  if (places.length !== words - 1)
    return `${task} takes ${words - 1} ${words === 2 ? "word" : "words"} and got ${places.length}`;
  return keep === undefined || keep >= 1 ? undefined : "--keep takes a number of 1 or more";
}

function parsed(args: readonly string[]) {
  const options = {
    replace: { type: "boolean", default: false },
    keep: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.flatMap((token) =>
    token.kind === "option" && !Object.hasOwn(options, token.name) ? [token.name] : [],
  )[0];
  return {
    values: { replace: values.replace === true, keep: values.keep, help: values.help === true, unknown },
    positionals,
  };
}

interface OnStore {
  /** Of a rewind. */
  readonly time: string;
  readonly task: string;
  readonly place: string;
  readonly replace: boolean;
  readonly config: Config;
  /** Of sqlite. */
  readonly path: string | undefined;
  readonly say: StoreToolParts["say"];
}

/** What opens the store: to look through it, to copy all of it, or to fill it. */
async function onStore({ task, place, time, replace, config, path, say }: OnStore): Promise<number> {
  // Opening it would make it, and an empty copy looks like any other.
  if (task !== "import" && path !== undefined) requireStore(path);
  const file = task === "import" ? await provenExport(place, config) : undefined;
  const store = await openStore(config.storeUrl, { runsIn: "caller" });
  try {
    if (task === "check") return await check(store, config, say);
    if (task === "rewind") {
      say(await rewindStore(store, place, time));
      return 0;
    }
    if (task === "export" && (await store.namespaces()).length === 0)
      throw new StoreError("this store is empty. Is it the one that your Marshal uses (STORE_URL)?");
    const parts = await partsFor(store, config, task);
    const { documents, namespaces } =
      file === undefined ? await exportStore(parts, place) : await importStore(parts, file, { replace });
    say(`${task}: ${documents} documents of ${namespaces} kinds, read back and equal`);
    if (task === "export") say("the secret that opens its server keys is not in it. Keep it with the file");
    return 0;
  } finally {
    await store.close();
  }
}

async function provenExport(place: string, config: Config): Promise<ProvenFile> {
  requireReadable(place);
  if (statSync(place).isDirectory()) throw new StoreError(`${place} is a folder, and no file of an export`);
  return await proveFile(place, { fingerprints: fingerprintsOf(config), form: DOCUMENT_FORM });
}

/** Of the secrets that this Marshal has, its present one first. */
function fingerprintsOf({ storeUrl, secretKey, secretKeyOld }: Config): readonly string[] {
  const secret = findSecret({ storeUrl, given: secretKey });
  return [secret, secretKeyOld].filter((one) => one !== undefined).map(fingerprintOf);
}

async function partsFor(store: Store, config: Config, task: string): Promise<TransferParts> {
  // An export names the secret of its server keys, so it has to be the right one.
  if (task === "export") {
    const secret = findSecret({ storeUrl: config.storeUrl, given: config.secretKey });
    await proveSecret(store, secret, config.secretKeyOld);
  }
  return {
    store,
    writersOf: (namespace) => kinds.get(namespace)?.writers ?? "holder",
    fingerprints: fingerprintsOf(config),
    form: DOCUMENT_FORM,
  };
}

async function check(store: Store, config: Config, say: StoreToolParts["say"]): Promise<number> {
  const secret = findSecret({ storeUrl: config.storeUrl, given: config.secretKey });
  if (secret === undefined)
    throw new StoreError(`there is no SECRET_KEY and no ${secretPath(config.storeUrl)}`);
  // Marshal would not start on a newer one either.
  await readableForm(documentsOf(store, "stored-form"));
  const bindings = documentsOf(store, "bindings");
  const roots = documentsOf(store, "sealed-root");
  const { vault } = await openVault({ roots, bindings, secret, old: config.secretKeyOld });
  const parserOf = (namespace: string) => kinds.get(namespace)?.parse;
  const rowParserOf = (table: string) => rowKinds.get(table)?.parse;
  const { counts, keys, faults } = await checkStore({ store, parserOf, rowParserOf, bindings, vault });
  for (const [namespace, documents] of counts) say(`${namespace.padEnd(22)} ${documents}`);
  for (const fault of faults) say(fault);
  say(faults.length === 0 ? `everything can be read; ${keys} server keys open` : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
