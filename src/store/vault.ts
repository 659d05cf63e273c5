import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { StoreError } from "../domain/failure.ts";
import type { SourceId } from "../domain/model.ts";
import { ServerKey } from "../domain/server-key.ts";

/** Bytes of the secret that seals all keys. */
export const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEAL_VERSION = "v1";
const FINGERPRINT_CHARACTERS = 32;

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
  /** What was sealed by the secret before, sealed by the present one; undefined where it is already. Throws like `open`. */
  sealAnew(sealed: string, place: string): string | undefined;
  /** Tells two secrets apart without showing any of either. */
  readonly fingerprint: string;
}

export interface VaultSecrets {
  /** What things are sealed with. */
  readonly secret: Uint8Array;
  /** The secret before: what it sealed opens too. */
  readonly old?: Uint8Array | undefined;
  /**
   * The first secret of a store, which sources, nonces and the like are derived from: with a new one of each, every
   * journal, run and refused key would belong to nobody. @default `secret`
   */
  readonly root?: Uint8Array | undefined;
}

/** A key for one purpose; the keys of two purposes tell nothing of each other. */
function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "marshal", purpose, SECRET_BYTES));
}

/** Throws a TypeError when a secret has another length than `SECRET_BYTES`. */
export function createVault({ secret, old, root = secret }: VaultSecrets): Vault {
  const present = sealer(secret);
  const before = old === undefined ? undefined : sealer(old);
  const sourceKey = derive(root, "source");

  function opened(sealed: string, place: string): { readonly key: ServerKey; readonly isOld: boolean } {
    try {
      return { key: present.open(sealed, place), isOld: false };
    } catch (error) {
      if (before === undefined) throw error;
      return { key: before.open(sealed, place), isOld: true };
    }
  }

  return {
    seal: (key, place) => present.seal(key, place),
    open: (sealed, place) => opened(sealed, place).key,
    sealAnew(sealed, place) {
      const { key, isOld } = opened(sealed, place);
      return isOld ? present.seal(key, place) : undefined;
    },
    fingerprint: fingerprintOf(secret),
    sourceOf: (key) => createHmac("sha256", sourceKey).update(key.reveal()).digest("hex") as SourceId,
    derive: (purpose) => derive(root, purpose),
  };
}

/** See Vault. */
export function fingerprintOf(secret: Uint8Array): string {
  return Buffer.from(derive(secret, "fingerprint")).toString("hex").slice(0, FINGERPRINT_CHARACTERS);
}

function sealer(secret: Uint8Array): Pick<Vault, "seal" | "open"> {
  if (secret.length !== SECRET_BYTES)
    throw new TypeError(`the secret has ${secret.length} bytes, not ${SECRET_BYTES}`);
  const sealKey = derive(secret, "seal");
  return {
    seal(key, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealKey, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(key.reveal(), "utf8"), cipher.final()]);
      return `${SEAL_VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url")}`;
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.slice(SEAL_VERSION.length + 1), "base64url");
      // Buffer skips characters that are not base64, so the text is compared with its own encoding.
      if (
        sealed !== `${SEAL_VERSION}.${bytes.toString("base64url")}` ||
        bytes.length < NONCE_BYTES + TAG_BYTES
      ) {
        throw new StoreError("a sealed key has an unknown form");
      }
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", sealKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        decipher.final();
      } catch (error) {
        throw new StoreError("a sealed key does not open: another secret, another place, or changed", {
          cause: error,
        });
      }
      return new ServerKey(text.toString("utf8"));
    },
  };
}
