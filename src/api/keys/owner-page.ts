import type { OwnerPage } from "../../domain/ports/command-permission.ts";
import type { ServerKey } from "../../domain/server-key.ts";

export interface OwnerPageOptions {
  readonly serviceUrl: string;
  /** The id of the registered public application, if there is one. */
  readonly appId?: string | undefined;
  readonly addresses: readonly string[];
}

/** Two parts; the second is the server's public id and survives a new key. */
const KEY_PARTS = /^[A-Za-z0-9]+-([A-Za-z0-9]+)$/;

/** The page on which the owner of this key's server lets Marshal run commands. Only the public part of the key is in it. */
export function ownerPage(key: ServerKey, { serviceUrl, appId, addresses }: OwnerPageOptions): OwnerPage {
  const url = `${serviceUrl}/server-owners`;
  const publicId = KEY_PARTS.exec(key.reveal())?.[1];
  if (appId === undefined || publicId === undefined) return { kind: "addresses", url, addresses };
  return { kind: "authorise", url: `${url}/server/${publicId}/authorize/${encodeURIComponent(appId)}` };
}
