/** Header names are lower case; a name that came twice is an array. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The four rate-limit headers, read (spec: Limits 4). */
export interface RateHeaders {
  /** Opaque, and it can contain the server key: hash it before keeping it. */
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds on the service's clock. On the wire they are whole seconds. */
  readonly resetMs: number;
}

/** The longest halt: of a longer stated wait only this much is waited, then one probe asks whether it is over. */
export const LONGEST_TOLD_WAIT_MS = 7 * 24 * 3_600_000;
/** An epoch number above this counts milliseconds, not seconds. */
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

/**
 * `Retry-After` as milliseconds from now: seconds, perhaps with a fraction, or an HTTP date (read against the answer's
 * `Date`). Of several the greatest, whether they came in lines of their own or joined on the way.
 */
export function retryAfterMs(headers: WireHeaders, nowMs: number): number | undefined {
  const value = headers["retry-after"] ?? [];
  const lines = typeof value === "string" ? [value] : value;
  const presentMs = dateMs(headers) ?? nowMs;
  const waits = lines.flatMap((line) => {
    const whole = waitOf(line, presentMs);
    return whole === undefined ? line.split(",").map((part) => secondsOf(part)) : [whole];
  });
  return greatest(waits);
}

function waitOf(text: string, nowMs: number): number | undefined {
  return secondsOf(text) ?? sensibleWait(dateOf(text) - nowMs);
}

function secondsOf(text: string): number | undefined {
  return text.trim() === "" ? undefined : sensibleWait(Number(text.trim()) * 1_000);
}

/** Only a text that names a month: `Date.parse` makes a date of nearly every list of numbers. */
function dateOf(text: string): number {
  return /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** A reset that lies farther ahead is no wait that anybody named. */
const LONGEST_RESET_WAIT_MS = 120_000;
/** Resets are stated in whole seconds, sometimes cut. */
const RESET_CUT_MS = 1_000;

/** How long until the stated reset, read against the answer's own `Date`; undefined where it names no time to wait for. */
export function resetWaitMs(headers: WireHeaders, nowMs: number): number | undefined {
  const { resetMs } = rateHeaders(headers) ?? {};
  if (resetMs === undefined) return undefined;
  const leftMs = resetMs - (dateMs(headers) ?? nowMs);
  return leftMs > 0 && leftMs <= LONGEST_RESET_WAIT_MS ? leftMs + RESET_CUT_MS : undefined;
}

/** The greatest of the waits that could be read. */
export function greatest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The answer's own `Date`, epoch milliseconds, whole seconds. */
export function dateMs(headers: WireHeaders): number | undefined {
  const text = headerText(headers, "date");
  const atMs = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/**
 * A stated wait as it is kept: at most the longest halt. Undefined where none can be
 * read; zero and less are as good as missing, so that nobody asks again at once.
 */
export function sensibleWait(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_TOLD_WAIT_MS) : undefined;
}

function count(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
