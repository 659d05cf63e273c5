import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { z } from "zod";
import { StoreError } from "../domain/failure.ts";
import { explainCopyError } from "./sqlite/sqlite-errors.ts";

/** One document as it stands in a file: its namespace, its key, its value. */
export type FileRow = readonly [namespace: string, key: string, value: unknown];

/** The first line of a file. */
export interface FileHead {
  readonly marshal: "store";
  /** Of the file itself. */
  readonly version: 1;
  /** Of the documents in it. */
  readonly form: number;
  /** Of the secret that the server keys in it are sealed with; absent where it holds none. */
  readonly secret?: string | undefined;
}

const head = z.object({
  marshal: z.literal("store"),
  version: z.literal(1),
  form: z.int(),
  secret: z.string().optional(),
});
const row = z.tuple([z.string(), z.string(), z.unknown()]);
const end = z.object({ documents: z.int(), digest: z.string() });

/** What two stores have in common, however each orders its documents: how many there are, and a sum of their digests. */
export class Digest {
  #documents = 0;
  readonly #namespaces = new Set<string>();
  readonly #sum = Buffer.alloc(32);

  add(document: FileRow): void {
    const bytes = digestOf(createHash("sha256"), JSON.stringify(document));
    let carry = 0;
    for (let index = bytes.length - 1; index >= 0; index--) {
      carry += this.#sum.readUInt8(index) + bytes.readUInt8(index);
      this.#sum.writeUInt8(carry & 0xff, index);
      carry >>= 8;
    }
    this.#documents += 1;
    this.#namespaces.add(document[0]);
  }

  /** In how many namespaces and tables they are. */
  get namespaces(): number {
    return this.#namespaces.size;
  }

  get end(): { readonly documents: number; readonly digest: string } {
    return { documents: this.#documents, digest: this.#sum.toString("hex") };
  }
}

function digestOf(hash: Hash, text: string): Buffer {
  return hash.update(text).digest();
}

/**
 * Writes a file for its owner only, a line a document; it has its name once it is whole and on the disk. Rejects with a
 * StoreError where there is such a file already.
 */
export async function writeStoreFile(
  path: string,
  first: FileHead,
  rows: AsyncIterable<FileRow>,
): Promise<Digest> {
  const making = `${path}.new`;
  if (await exists(path)) throw new StoreError(`${path} already exists; choose another name`);
  const file = await open(making, "w", 0o600).catch((error: unknown) => {
    throw explainCopyError(error, path);
  });
  try {
    const digest = new Digest();
    await writeLine(file, first);
    for await (const one of rows) {
      digest.add(one);
      await writeLine(file, one);
    }
    await writeLine(file, digest.end);
    await file.sync();
    await file.close();
    await rename(making, path);
    return digest;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(making, { force: true });
    throw explainCopyError(error, path);
  }
}

async function exists(path: string): Promise<boolean> {
  return await open(path).then(
    async (file) => {
      await file.close();
      return true;
    },
    () => false,
  );
}

/** Who reads lines takes two characters for ends of lines that JSON lets stand in a text. */
async function writeLine(file: FileHandle, value: unknown): Promise<void> {
  const line = JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  await file.write(`${line}\n`);
}

/** The first line of a file. Rejects with a StoreError where that is no store's, or a newer one's. */
export async function readHead(path: string): Promise<FileHead> {
  for await (const line of lines(path)) {
    const read = head.safeParse(parsed(line));
    if (read.success) return read.data;
    break;
  }
  throw new StoreError(
    `${path} was not written by \`npm run store -- export\` of this or an earlier Marshal`,
  );
}

/** The documents of a file. Rejects with a StoreError at its end where it is not whole or was changed. */
export async function* readRows(path: string): AsyncGenerator<FileRow> {
  const digest = new Digest();
  let isFirst = true;
  for await (const line of lines(path)) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const value = parsed(line);
    const found = row.safeParse(value);
    if (found.success) {
      digest.add(found.data);
      yield found.data;
      continue;
    }
    const last = end.safeParse(value);
    const { documents, digest: sum } = digest.end;
    if (last.success && last.data.documents === documents && last.data.digest === sum) return;
    break;
  }
  throw new StoreError(`${path} is incomplete or was changed; don't use it`);
}

function lines(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
