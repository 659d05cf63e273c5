import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Escaped, markdownOfOurs, md } from "../src/domain/escaped.ts";
import type { Attachment } from "../src/domain/message.ts";

/** Discord takes a file of 10 MiB; a larger one would fail the whole answer. */
export const MOST_FILE_BYTES = 10_000_000;

const gzipped = promisify(gzip);

export interface PackedFile {
  readonly file: Attachment;
  /** Of what is sent. */
  readonly bytes: number;
  /** Present where it is compressed. */
  readonly unpackedBytes?: number;
}

/** The file as it is where that is small enough, else compressed. */
export async function packedFile(name: string, text: string): Promise<PackedFile> {
  const unpackedBytes = Buffer.byteLength(text);
  if (unpackedBytes <= MOST_FILE_BYTES) return { file: { name, data: text }, bytes: unpackedBytes };
  const data = await gzipped(text);
  return { file: { name: `${name}.gz`, data }, bytes: data.length, unpackedBytes };
}

export function packedText(unpackedBytes: number): Escaped {
  const megabytes = (unpackedBytes / 1_000_000).toFixed(1);
  return md`It is gzipped, because Discord refuses a file of ${markdownOfOurs(megabytes)} MB.`;
}
