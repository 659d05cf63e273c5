// Over 200 lines: one table of what an answer means, which must be read as a whole.
import { Failure, type FailureCode, type Ran } from "../../domain/failure.ts";
import type { Route } from "../limits/bucket-registry.ts";
import type { HaltCause } from "../limits/halt.ts";
import { dateMs, greatest, headerText, retryAfterMs, sensibleWait, type WireHeaders } from "./headers.ts";
import { waitInWords } from "./wait-in-words.ts";

/** The part of an answer that comes first. */
export interface WireHead {
  readonly status: number;
  readonly headers: WireHeaders;
}

/** A whole answer as it came. */
export interface WireAnswer extends WireHead {
  readonly body: string;
}

/** What an answer means for the gate. The failure is the one that the caller gets. */
export type Outcome =
  /** `dateMs`: the service's present, by the answer's own Date. */
  | { readonly kind: "ok"; readonly json: unknown; readonly dateMs: number | undefined }
  | { readonly kind: "failure"; readonly failure: Failure }
  | {
      readonly kind: "halt";
      readonly cause: HaltCause;
      /** The greatest of the waits that the answer named; undefined when it named none that can be read. */
      readonly toldMs: number | undefined;
      readonly saysBlocked: boolean;
      readonly failure: Failure;
    }
  /** Speaks against the key. `coded`: by 2001 or 2002, not by a bare 403. `final`: 2004, needs no second opinion. */
  | { readonly kind: "key"; readonly coded: boolean; readonly final: boolean; readonly failure: Failure };

interface ErrorBody {
  readonly code: number | undefined;
  readonly message: string;
  readonly commandId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

const MESSAGE_CHARS = 300;
const OWN_WORDS: Readonly<Record<number, string>> = {
  2004: "This server key is banned from the service.",
  4000: "The server's owner has not authorised Marshal to run commands; reading still works.",
};

/** Failure codes by the service's own codes; the key is fine in all of these. */
const BY_CODE: Readonly<Record<number, readonly [FailureCode, Ran]>> = {
  0: ["platform", "unknown"],
  1001: ["platform", "unknown"],
  1002: ["platform", "unknown"],
  2000: ["bad-response", "no"],
  3001: ["bad-command", "no"],
  3002: ["server-empty", "no"],
  4000: ["not-authorised", "no"],
  4002: ["bad-command", "no"],
  4003: ["bad-command", "no"],
  9998: ["not-authorised", "no"],
  9999: ["platform", "unknown"],
};

export interface ClassifyOptions {
  readonly route: Route;
  /** The service's present, epoch milliseconds. */
  readonly nowMs: number;
  /** Parses the body and takes the keys out of it. @default JSON.parse */
  readonly read?: (body: string) => unknown;
}

/**
 * Reads an answer, the body before the status: a 403 may be a page of the network or name a code that says nothing of
 * the key.
 */
export function classify(answer: WireAnswer, { route, nowMs, read = JSON.parse }: ClassifyOptions): Outcome {
  const json = parse(answer.body, read);
  if (json === undefined) return classifyPage(answer, route, nowMs);
  if (answer.status >= 200 && answer.status < 300) {
    return { kind: "ok", json, dateMs: dateMs(answer.headers) };
  }
  return classifyError({ ...errorBody(json), answer, route, nowMs });
}

interface ErrorAnswer extends ErrorBody {
  readonly answer: WireAnswer;
  readonly route: Route;
  readonly nowMs: number;
}

function classifyError({ answer, route, nowMs, ...body }: ErrorAnswer): Outcome {
  const { status } = answer;
  const { code } = body;
  const fail = (failureCode: FailureCode, ran: Ran, words: string, retryAtMs?: number) =>
    new Failure(failureCode, words, {
      ran: route === "command" ? ran : "no",
      ...(code === undefined ? {} : { serviceCode: code }),
      ...(body.commandId === undefined ? {} : { commandId: body.commandId }),
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    });
  if (code === 4001 || status === 429) {
    const toldMs = greatest([
      retryAfterMs(answer.headers, nowMs),
      body.retryAfterMs,
      waitInWords(body.message, nowMs),
    ]);
    const saysBlocked = /\b(block|blocked|banned)\b/i.test(body.message);
    const words = body.message || "The service asked us to wait.";
    const failure = fail(saysBlocked ? "blocked" : "rate-limited", "no", words);
    return { kind: "halt", cause: "limit", toldMs, saysBlocked, failure };
  }
  if (code === 2003) {
    const failure = fail("blocked", "no", "The service refused this host's global key.");
    return { kind: "halt", cause: "global-key", toldMs: undefined, saysBlocked: true, failure };
  }
  // With another status it is the outcome of that request: a bad one, which says nothing of the key.
  if ((status === 403 || status === 401) && (code === 2001 || code === 2002 || code === 2004)) {
    const words = OWN_WORDS[code] ?? (body.message || "The service refused the server key.");
    return { kind: "key", coded: true, final: code === 2004, failure: fail("key-rejected", "no", words) };
  }
  if (route === "read" && isReadRefused(status, code))
    return { kind: "failure", failure: fail("read-refused", "no", readRefusedWords(code, body.message)) };
  const known = code === undefined ? undefined : BY_CODE[code];
  if (known !== undefined && code !== undefined)
    return { kind: "failure", failure: fail(known[0], known[1], OWN_WORDS[code] ?? body.message) };
  if (status === 401 || status === 403) {
    // A code that we have not met is the outcome of that request; only silence leaves the key itself in doubt.
    if (code !== undefined) return { kind: "failure", failure: fail("not-authorised", "no", body.message) };
    const words = body.message || "The service refused the server key.";
    return { kind: "key", coded: false, final: false, failure: fail("key-rejected", "no", words) };
  }
  const [failureCode, ran] = byStatus(status, route);
  return {
    kind: "failure",
    failure: fail(failureCode, ran, body.message || `The service answered ${status}.`),
  };
}

/** Codes by which the service refuses a request although the key is good (facts: error codes). */
export const REFUSALS_OF_GOOD_KEYS: ReadonlySet<number> = new Set([4000, 4002, 4003, 9998]);

/** Whether the service does not let this bot read a server, whatever its key. */
function isReadRefused(status: number, code: number | undefined): boolean {
  if (code !== undefined && REFUSALS_OF_GOOD_KEYS.has(code)) return true;
  if (status === 401) return true;
  return status === 403 && code !== undefined && BY_CODE[code] === undefined;
}

function readRefusedWords(code: number | undefined, message: string): string {
  const said = message === "" ? "" : `: ${message}`;
  if (code === 4000)
    return `The service says that this bot is not authorised for this server (code 4000)${said}`;
  if (code === 9998) return `The service restricts access to this server (code 9998)${said}`;
  return `The service does not let this bot read this server (${code === undefined ? "no code" : `code ${code}`})${said}`;
}

function byStatus(status: number, route: Route): readonly [FailureCode, Ran] {
  if (status === 400) return [route === "command" ? "bad-command" : "bad-response", "no"];
  if (status === 422) return [route === "command" ? "server-empty" : "bad-response", "no"];
  // The service gave it up half way and does not say whether the game had it by then.
  if (status === 408) return ["platform", "unknown"];
  if (status >= 500) return ["platform", "unknown"];
  return ["bad-response", status >= 400 ? "no" : "unknown"];
}

/** Not JSON: half a document, or a page of the network in front of the service (spec: Errors 3). */
function classifyPage(answer: WireAnswer, route: Route, nowMs: number): Outcome {
  const { status, headers } = answer;
  const refused = status === 403 || status === 429 || status === 401;
  const ran: Ran = route === "command" && !refused ? "unknown" : "no";
  const text = answer.body.trimStart();
  const isPage = text.startsWith("<") || /\bhtml\b/i.test(headerText(headers, "content-type") ?? "");
  if ((status === 403 || status === 401) && saysNothing(text)) {
    const failure = new Failure("key-rejected", "The service refused the server key.", { ran: "no" });
    return { kind: "key", coded: false, final: false, failure };
  }
  if (refused || isPage) {
    const gateway = status >= 500;
    const cause = status === 429 && !isPage ? "limit" : gateway ? "gateway" : "page";
    const words = gateway
      ? `A page stood in front of the service (status ${status}).`
      : "The service answered with a page instead of data: this host may be blocked.";
    const code = cause === "page" ? "blocked" : cause === "limit" ? "rate-limited" : "platform";
    const failure = new Failure(code, words, { ran });
    return {
      kind: "halt",
      cause,
      toldMs: retryAfterMs(headers, nowMs),
      saysBlocked: cause === "page",
      failure,
    };
  }
  if (status >= 500) {
    return { kind: "failure", failure: new Failure("platform", `The service answered ${status}.`, { ran }) };
  }
  return {
    kind: "failure",
    failure: new Failure("bad-response", "The service's answer could not be read.", { ran }),
  };
}

/**
 * Whether a 403 says no more than its status does: the specification shows no body of one, so nothing at all, or JSON
 * such as `null`, is a refusal of the key. Any other text is a page, also a bare word: to go on would cost more if it is.
 */
function saysNothing(text: string): boolean {
  if (text === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parse(body: string, read: (body: string) => unknown): unknown {
  try {
    const value = read(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The envelopes seen: `{code,message}`, `{message}`, `{message,commandId}`, `{error,code}`. */
function errorBody(json: unknown): ErrorBody {
  const body: Readonly<Record<string, unknown>> = { ...(json as object) };
  const inner = typeof body.error === "object" && body.error !== null ? { ...body.error } : {};
  const all: Readonly<Record<string, unknown>> = { ...inner, ...body };
  const codes = [all.code, (inner as Record<string, unknown>).code, all.errorCode, all.error];
  const code = codes.map(number).find((found) => found !== undefined && !isStatus(found));
  const words = [all.message, (inner as Record<string, unknown>).message, all.error];
  const message = words.find((word) => typeof word === "string" && word !== "");
  const commandId = all.commandId;
  const seconds = [all.retry_after, all.retryAfter].map(number).filter((s) => s !== undefined);
  return {
    code,
    message: typeof message === "string" ? message.slice(0, MESSAGE_CHARS) : "",
    commandId: typeof commandId === "string" ? commandId.slice(0, 100) : undefined,
    retryAfterMs: greatest(seconds.map((s) => sensibleWait(s * 1_000))),
  };
}

/** The service's own codes have one digit or four: three are a status that the body repeats. */
function isStatus(code: number): boolean {
  return code >= 100 && code < 600;
}

function number(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}
