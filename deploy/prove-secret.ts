import { rmSync } from "node:fs";
import { systemClock, systemRandom } from "../src/clock.ts";
import type { Config } from "../src/config.ts";
import { documentsOf } from "../src/document-table.ts";
import { StoreError } from "../src/domain/failure.ts";
import { createBindings } from "../src/store/bindings.ts";
import { readableForm } from "../src/store/document-forms.ts";
import type { Store } from "../src/store/keyv-documents.ts";
import { openStore } from "../src/store/open-store.ts";
import { openVault } from "../src/store/rotation.ts";
import { findSecret } from "../src/store/secret-file.ts";
import { backUpSqlite } from "../src/store/sqlite/backup-sqlite.ts";

/** Rejects with a StoreError where the store has server keys that these secrets do not open. */
export async function proveSecret(
  store: Store,
  secret: Uint8Array | undefined,
  old?: Uint8Array | undefined,
): Promise<void> {
  const bindings = documentsOf(store, "bindings");
  if (secret === undefined) {
    for await (const _ of bindings.entries())
      throw new StoreError(
        "the store has server keys, but there is no SECRET_KEY and no secret.key beside it",
      );
    return;
  }
  const { vault } = await openVault({ roots: documentsOf(store, "sealed-root"), bindings, secret, old });
  const parts = { documents: bindings, vault, clock: systemClock, random: systemRandom };
  await createBindings({ ...parts, serversPerGuild: 1, hideSecret: () => undefined }).bindings.load();
}

/**
 * Which secrets open the file of a store: that in the file beside the store of `storeUrl`, and SECRET_KEY with SECRET_KEY_OLD.
 * Where nothing is sealed all do. It is not written: opening it would bring it to today's form, and the Marshal of before an update
 * could not go back to it. Rejects with a StoreError where this Marshal cannot read it.
 */
export async function secretsThatOpen(
  path: string,
  { storeUrl, secretKey, secretKeyOld }: Pick<Config, "storeUrl" | "secretKey" | "secretKeyOld">,
): Promise<{ readonly file: boolean; readonly given: boolean }> {
  const copy = `${path}.check`;
  backUpSqlite(path, copy);
  const store = await openStore(`sqlite:${copy}`, { runsIn: "caller", waitMs: 0 }).catch((error: unknown) => {
    removeCopy(copy);
    throw error instanceof StoreError
      ? new StoreError(error.message.replaceAll(copy, path), { cause: error })
      : error;
  });
  const opens = async (secret: () => Uint8Array | undefined, old?: Uint8Array | undefined) => {
    try {
      await proveSecret(store, secret(), old);
      return true;
    } catch (error) {
      if (error instanceof StoreError) return false;
      throw error;
    }
  };
  try {
    await readableForm(documentsOf(store, "stored-form"));
    const file = await opens(() => findSecret({ storeUrl }));
    return { file, given: await opens(() => secretKey, secretKeyOld) };
  } finally {
    await store.close();
    removeCopy(copy);
  }
}

function removeCopy(copy: string): void {
  for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(`${copy}${end}`, { force: true });
}
