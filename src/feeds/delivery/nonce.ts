import { createHmac } from "node:crypto";

/** 25 characters that only this host can make, the same for the same parts: a repeat is recognised by Discord. */
export function nonceOf(nonceKey: Uint8Array | string, ...parts: readonly (string | number)[]): string {
  return createHmac("sha256", nonceKey).update(JSON.stringify(parts)).digest("base64url").slice(0, 25);
}
