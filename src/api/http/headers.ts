/** Header names are lower case; a name that came twice is an array. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The four rate-limit headers, read (spec: Limits 4). */
export interface RateHeaders {
  /** Opaque, and it can contain the server key: hash it before keeping it. */
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds on the service's clock. On the wire they are whole seconds (design 3). */
  readonly resetMs: number;
}

/** A wait beyond this is a misprint, not an instruction that could be followed. */
export const LONGEST_TOLD_WAIT_MS = 7 * 24 * 3_600_000;
/** An epoch number above this counts milliseconds, not seconds (design 3). */
const EPOCH_MS_FROM = 1e12;

/** One header's text; of a repeated one the first. */
export function headerText(headers: WireHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** The rate-limit headers, or undefined when one of the numbers is missing or senseless. */
export function rateHeaders(headers: WireHeaders): RateHeaders | undefined {
  const limit = count(headerText(headers, "x-ratelimit-limit"));
  const remaining = count(headerText(headers, "x-ratelimit-remaining"));
  const reset = count(headerText(headers, "x-ratelimit-reset"));
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  if (limit < 1 || reset <= 0) return undefined;
  return {
    bucket: headerText(headers, "x-ratelimit-bucket") ?? "",
    limit: Math.floor(limit),
    remaining: Math.max(0, Math.floor(remaining)),
    resetMs: reset > EPOCH_MS_FROM ? reset : reset * 1_000,
  };
}

/** `Retry-After` as milliseconds from now: seconds, perhaps with a fraction, or an HTTP date (read against `dateMs`). */
export function retryAfterMs(headers: WireHeaders, nowMs: number): number | undefined {
  const text = headerText(headers, "retry-after");
  if (text === undefined) return undefined;
  const seconds = Number(text.trim());
  if (text.trim() !== "" && Number.isFinite(seconds)) return sensibleWait(seconds * 1_000);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : sensibleWait(atMs - (dateMs(headers) ?? nowMs));
}

/** The answer's own `Date`, epoch milliseconds, whole seconds. */
export function dateMs(headers: WireHeaders): number | undefined {
  const text = headerText(headers, "date");
  const atMs = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** A wait that can be followed, or undefined: zero and less are as good as missing, so nobody retries at once. */
export function sensibleWait(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 && ms <= LONGEST_TOLD_WAIT_MS ? ms : undefined;
}

function count(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
