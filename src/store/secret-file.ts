import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { StoreError } from "../domain/failure.ts";
import { explainStoreError } from "./sqlite/sqlite-errors.ts";
import { SECRET_BYTES } from "./vault.ts";

export interface SecretSource {
  readonly storeUrl: string;
  /** SECRET_KEY, where it was set. */
  readonly given?: Uint8Array | undefined;
  /** Whether the store holds sealed keys, which a new secret could not open. */
  hasSealed(): Promise<boolean>;
  /** Called with the path where the file stood there already. */
  onFound?(path: string): void;
}

export interface SecretChange {
  /** SECRET_KEY_OLD. */
  readonly old: Uint8Array;
  /** SECRET_KEY. */
  readonly secret: Uint8Array;
}

/** The secret that was given, or that of the file beside the sqlite file; undefined where there is none. Makes none. */
export function findSecret({ storeUrl, given }: Omit<SecretSource, "hasSealed">): Uint8Array | undefined {
  if (given !== undefined) return given;
  const path = secretPath(storeUrl);
  if (path === undefined || !existsSync(path)) return undefined;
  return readOrMake(path);
}

/** Where the secret is kept without SECRET_KEY. undefined: with Redis there is no such file. */
export function secretPath(storeUrl: string): string | undefined {
  return storeUrl.startsWith(SQLITE) ? join(dirname(storeUrl.slice(SQLITE.length)), "secret.key") : undefined;
}

const SQLITE = "sqlite:";

/**
 * The secret that was given, or that of the file beside the sqlite file, which is made once with mode 0600. A new
 * secret is on the disk before it is used, because a key sealed by a lost secret is lost too. Rejects with a
 * StoreError.
 */
export async function loadSecret({ storeUrl, given, hasSealed, onFound }: SecretSource): Promise<Uint8Array> {
  if (given !== undefined) return given;
  const path = secretPath(storeUrl) ?? "secret.key";
  if (existsSync(path)) onFound?.(path);
  else if (await hasSealed()) {
    throw new StoreError(
      `${path} is missing, but the store has server keys sealed with it. Restore it from a backup, set SECRET_KEY to its content, or start with an empty store and link every server again`,
    );
  }
  try {
    return readOrMake(path);
  } catch (error) {
    throw explainStoreError(error, path);
  }
}

/**
 * After a change of the secret: a file that holds the one before gets the new one, so that it lies in one place and in the
 * backups. Called when nothing is sealed by the old one any more. Returns the path where the file holds the new one. Throws a
 * StoreError.
 */
export function moveToFile(storeUrl: string, { old, secret }: SecretChange): string | undefined {
  const path = secretPath(storeUrl);
  if (path === undefined || !existsSync(path)) return undefined;
  try {
    refuseFolder(path);
    const held = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
    if (held.equals(secret)) return path;
    if (!held.equals(old)) return undefined;
    writeSecret(path, secret);
    return path;
  } catch (error) {
    throw explainStoreError(error, path);
  }
}

function readOrMake(path: string): Uint8Array {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseFolder(path);
  if (existsSync(path)) keepForItself(path);
  else writeSecret(path, randomBytes(SECRET_BYTES));
  const secret = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (secret.length === SECRET_BYTES) return new Uint8Array(secret);
  throw new StoreError(
    `${path} does not hold ${SECRET_BYTES} bytes in base64. Restore it from a backup, or remove it and link every server again`,
  );
}

/** A file restored from a backup may be readable for everyone; one that root has put back belongs to root. */
function keepForItself(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EPERM") throw error;
    throw new StoreError(
      `${path} belongs to another user. Give it to the one that runs Marshal: chown --reference=${dirname(path)} ${path}`,
      { cause: error },
    );
  }
}

/** What the system says of a folder would be told as if it were of the store. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new StoreError(`${path} is a folder, and has to be a file. Move that folder away`);
}

/** Renames the file to its name once it is whole, so that a disk that fills up never leaves half a secret. */
function writeSecret(path: string, secret: Uint8Array): void {
  const making = `${path}.new`;
  refuseFolder(making);
  const file = openSync(making, "w", 0o600);
  try {
    writeSync(file, `${Buffer.from(secret).toString("base64")}\n`);
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(making, { force: true });
    throw error;
  }
  closeSync(file);
  renameSync(making, path);
  // Windows opens no folder.
  if (process.platform === "win32") return;
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
