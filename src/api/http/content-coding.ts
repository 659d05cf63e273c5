import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Failure } from "../../domain/failure.ts";
import { headerText, type WireHeaders } from "./headers.ts";

/** What every request asks for; a service that offers none of them answers as it is. */
export const ACCEPTED_CODINGS = "br, gzip";

/**
 * The body of an answer as text, out of whatever it came in, at most `mostBytes` of it: a few bytes can unfold to any length.
 * Done at once, since a body takes a tenth of a millisecond and answers have to be taken in the order in which they came. Throws
 * Failure "bad-response".
 */
export function bodyText(body: Buffer, headers: WireHeaders, mostBytes: number): string {
  const coding = headerText(headers, "content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "" || body.length === 0) return body.toString("utf8");
  return unfolded(body, coding, mostBytes).toString("utf8");
}

function unfolded(body: Buffer, coding: string, maxOutputLength: number): Buffer {
  try {
    switch (coding) {
      case "br":
        return brotliDecompressSync(body, { maxOutputLength });
      case "gzip":
      case "x-gzip":
        return gunzipSync(body, { maxOutputLength });
    }
  } catch (error) {
    if (error instanceof RangeError) throw tooLong(error);
    throw new Failure("bad-response", "The game service's answer was damaged on its way.", { cause: error });
  }
  throw new Failure("bad-response", "The game service answered in a form that it was not asked for.");
}

/** An answer that nobody may read to its end. */
export function tooLong(cause: unknown): Failure {
  return new Failure("bad-response", "The game service's answer was too long to read.", { cause });
}
