import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SourceId } from "../domain/model.ts";
import { ServerKey } from "../domain/secret.ts";
import { StoreError } from "./documents.ts";

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

/**
 * The secret given, or the one beside the sqlite file: made once, mode 0600 (design 2, SECRET_KEY).
 * It is on the disk before it is used: a key sealed by a lost secret is lost too.
 */
export function loadSecret(storeUrl: string, given?: Uint8Array): Uint8Array {
  if (given !== undefined) return given;
  const path = join(dirname(storeUrl.slice("sqlite:".length)), "secret.key");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, `${randomBytes(secretBytes).toString("base64")}\n`);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // Restored from a backup it may have come back readable for everyone.
    chmodSync(path, 0o600);
  }
  const secret = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (secret.length !== secretBytes) {
    throw new StoreError(
      `${path} does not hold ${secretBytes} bytes in base64; restore it from a backup, or remove it and link every server again`,
    );
  }
  return new Uint8Array(secret);
}
