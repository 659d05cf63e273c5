import { refuse } from "./errors.ts";
import type { UploadedFile } from "./validate-message.ts";

export interface Body {
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/** Reads a request body: JSON, or multipart with `payload_json` and `files[n]`. Throws 50109 on broken JSON. */
export function readBody(contentType: string | undefined, bytes: Buffer): Body {
  const boundary = /^multipart\/form-data\b.*?boundary="?([^";]+)"?/i.exec(contentType ?? "")?.[1];
  if (boundary !== undefined) return readMultipart(bytes, boundary);
  if (bytes.length === 0) return { json: undefined, files: [] };
  return { json: parse(bytes.toString("utf8")), files: [] };
}

function readMultipart(bytes: Buffer, boundary: string): Body {
  let json: unknown;
  const files: UploadedFile[] = [];
  for (const part of partsOf(bytes, boundary)) {
    const disposition = /^content-disposition:(.*)$/im.exec(part.head)?.[1] ?? "";
    const name = /\bname="([^"]*)"/i.exec(disposition)?.[1] ?? "";
    if (name === "payload_json") json = parse(part.body.toString("utf8"));
    const index = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (index === undefined) continue;
    const filename = /\bfilename="([^"]*)"/i.exec(disposition)?.[1] ?? "file";
    const stated = /^content-type:\s*(.+?)\s*$/im.exec(part.head)?.[1] ?? "application/octet-stream";
    // Clients that do not know say octet-stream: then the name decides, as on Discord.
    const contentType = stated === "application/octet-stream" ? typeByName(filename) : stated;
    files.push({ index, filename, contentType, bytes: new Uint8Array(part.body) });
  }
  return { json, files };
}

/** The parts between the boundaries, head and body apart; only bytes are compared, as a file may hold anything. */
function partsOf(bytes: Buffer, boundary: string): readonly { head: string; body: Buffer }[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: { head: string; body: Buffer }[] = [];
  let at = bytes.indexOf(delimiter);
  while (at >= 0) {
    const next = bytes.indexOf(delimiter, at + delimiter.length);
    if (next < 0) break;
    // After the delimiter stands a line break, and one before the next delimiter.
    const part = bytes.subarray(at + delimiter.length + 2, next - 2);
    const gap = part.indexOf("\r\n\r\n");
    if (gap >= 0) parts.push({ head: part.subarray(0, gap).toString("utf8"), body: part.subarray(gap + 4) });
    at = next;
  }
  return parts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("invalidJson");
  }
}

const types: Readonly<Record<string, string>> = {
  txt: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

function typeByName(filename: string): string {
  return types[filename.split(".").at(-1)?.toLowerCase() ?? ""] ?? "application/octet-stream";
}
