import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { ServerKey } from "../domain/server-key.ts";
import { placeOfBinding } from "./bindings.ts";
import type { GuildBindings, SealedRoot } from "./document-schemas.ts";
import { createVault, type Vault } from "./vault.ts";

/** Its only document: the first secret, sealed by the present one. Absent until the secret is changed. */
const ROOT = "root";

export interface RotationParts {
  readonly roots: Documents<SealedRoot>;
  readonly bindings: Documents<GuildBindings>;
  /** Those that are sealed anew. @default all of them */
  readonly sealed?: Documents<GuildBindings> | undefined;
  readonly secret: Uint8Array;
  /** SECRET_KEY_OLD. */
  readonly old?: Uint8Array | undefined;
}

export interface OpenedVault {
  readonly vault: Vault;
  /** Seals what the secret before has sealed by the present one. Resolves with how many keys that were. */
  sealAnew(): Promise<number>;
}

/**
 * The vault of a store whose secret may have been changed. Only reads; `sealAnew` writes, and may be interrupted and
 * begun again. Rejects with a StoreError where neither secret is the store's.
 */
export async function openVault(parts: RotationParts): Promise<OpenedVault> {
  const { roots, bindings, sealed: own = bindings, secret, old } = parts;
  const stored = await roots.get(ROOT);
  const root = stored === undefined ? old : rootIn(stored, { secret, old });
  // Without a stored root the old secret is the first one, if it has sealed anything here.
  const isOldFirst = stored !== undefined || old === undefined || (await hasSealed(old, bindings));
  const vault = createVault({ secret, old, root: isOldFirst ? root : undefined });

  return {
    vault,
    async sealAnew() {
      if (old === undefined) return 0;
      // The root first: once a single key is sealed by the new secret, a start must know where sources come from.
      if (root !== undefined && isOldFirst) {
        const sealed = vault.seal(new ServerKey(Buffer.from(root).toString("base64")), ROOT);
        if (stored === undefined || vault.sealAnew(stored.sealed, ROOT) !== undefined)
          await roots.set(ROOT, { sealed });
      }
      let count = 0;
      for await (const [guildId, document] of own.entries()) {
        const after = document.bindings.map((binding) => {
          const sealed = sealedAnew(vault, binding.sealed, placeOfBinding(guildId, binding.id));
          return sealed === undefined ? binding : { ...binding, sealed };
        });
        const changed = after.filter((binding, index) => binding !== document.bindings[index]).length;
        if (changed > 0) await own.set(guildId, { ...document, bindings: after });
        count += changed;
      }
      return count;
    },
  };
}

/** A damaged key stays as it is: its own start says so, and it must not stop the others. */
function sealedAnew(vault: Vault, sealed: string, place: string): string | undefined {
  try {
    return vault.sealAnew(sealed, place);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function rootIn(
  { sealed }: SealedRoot,
  secrets: { readonly secret: Uint8Array; readonly old: Uint8Array | undefined },
): Uint8Array {
  try {
    return new Uint8Array(Buffer.from(createVault(secrets).open(sealed, ROOT).reveal(), "base64"));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(
      "SECRET_KEY or the secret.key beside the store is not the secret of this store. Put that one back, or set SECRET_KEY_OLD to it",
      { cause: error },
    );
  }
}

async function hasSealed(secret: Uint8Array, documents: Documents<GuildBindings>): Promise<boolean> {
  const vault = createVault({ secret });
  for await (const [guildId, { bindings }] of documents.entries()) {
    for (const { id, sealed } of bindings) {
      try {
        vault.open(sealed, placeOfBinding(guildId, id));
        return true;
      } catch {
        // Sealed by another secret; the next key may show more.
      }
    }
  }
  return false;
}
