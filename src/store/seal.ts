import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
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
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SourceId } from "../domain/model.ts";
import { ServerKey } from "../domain/secret.ts";
import { StoreError } from "./documents.ts";
import { inWords } from "./sqlite-words.ts";

const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = "v1";

/** Seals server keys and names them without showing them. */
export interface Vault {
  /** AES-256-GCM; the text opens only for the same place (guild and binding). */
  seal(key: ServerKey, place: string): string;
  /** Throws when the text was changed, is another place's, or was sealed by another secret. */
  open(sealed: string, place: string): ServerKey;
  /** HMAC-SHA256 of the key, hex: the same key is the same source, and nobody can try keys against it. */
  sourceOf(key: ServerKey): SourceId;
  /** Bytes for another purpose (nonces), independent of the others. */
  derive(purpose: string): Uint8Array;
}

/** Each purpose has a key of its own, so that none can be used against another. */
function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "marshal", purpose, secretBytes));
}

export function createVault(secret: Uint8Array): Vault {
  if (secret.length !== secretBytes)
    throw new TypeError(`the secret has ${secret.length} bytes, not ${secretBytes}`);
  const sealKey = derive(secret, "seal");
  const sourceKey = derive(secret, "source");
  return {
    seal(key, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", sealKey, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(key.reveal(), "utf8"), cipher.final()]);
      return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url")}`;
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.slice(version.length + 1), "base64url");
      // Buffer skips what is not base64: only the very text that was written is taken.
      if (sealed !== `${version}.${bytes.toString("base64url")}` || bytes.length < nonceBytes + tagBytes) {
        throw new StoreError("a sealed key has an unknown form");
      }
      const nonce = bytes.subarray(0, nonceBytes);
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      const decipher = createDecipheriv("aes-256-gcm", sealKey, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
      const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
      try {
        decipher.final();
      } catch (error) {
        throw new StoreError("a sealed key does not open: another secret, another place, or changed", {
          cause: error,
        });
      }
      return new ServerKey(text.toString("utf8"));
    },
    sourceOf: (key) => createHmac("sha256", sourceKey).update(key.reveal()).digest("hex") as SourceId,
    derive: (purpose) => derive(secret, purpose),
  };
}

export interface SecretSource {
  readonly storeUrl: string;
  /** SECRET_KEY, where it was set. */
  readonly given?: Uint8Array | undefined;
  /** Whether the store holds keys that a secret has sealed: then a new one would open none of them. */
  hasSealed(): Promise<boolean>;
}

/**
 * The secret given, or the one beside the sqlite file: made once, mode 0600. It is on the disk before it is used: a
 * key sealed by a lost secret is lost too. Rejects with a StoreError in words.
 */
export async function loadSecret({ storeUrl, given, hasSealed }: SecretSource): Promise<Uint8Array> {
  if (given !== undefined) return given;
  const path = join(dirname(storeUrl.slice("sqlite:".length)), "secret.key");
  if (!existsSync(path) && (await hasSealed())) {
    throw new StoreError(
      `${path} is missing, and the store holds server keys that were sealed with it; restore it from a backup, set SECRET_KEY to what it held, or start with an empty store and link every server again`,
    );
  }
  try {
    return readOrMake(path);
  } catch (error) {
    throw inWords(error, path);
  }
}

function readOrMake(path: string): Uint8Array {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Restored from a backup it may have come back readable for everyone.
  if (existsSync(path)) chmodSync(path, 0o600);
  else makeSecret(path);
  const secret = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (secret.length === secretBytes) return new Uint8Array(secret);
  throw new StoreError(
    `${path} does not hold ${secretBytes} bytes in base64; restore it from a backup, or remove it and link every server again`,
  );
}

/** Under its name only once it is whole: a disk that fills up meanwhile must not leave half a secret. */
function makeSecret(path: string): void {
  const making = `${path}.new`;
  const file = openSync(making, "w", 0o600);
  try {
    writeSync(file, `${randomBytes(secretBytes).toString("base64")}\n`);
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(making, { force: true });
    throw error;
  }
  closeSync(file);
  renameSync(making, path);
}
