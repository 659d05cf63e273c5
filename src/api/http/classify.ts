import { Failure, type FailureCode, type Ran } from "../../domain/failure.ts";
import type { Route } from "../limits/bucket-registry.ts";
import type { HaltCause } from "../limits/halt.ts";
import { brokenWaitMs, type ErrorBody, errorBody, isOfNetwork, saysError } from "./error-body.ts";
import { greatest, headerText, resetWaitMs, retryAfterMs, type WireHeaders } from "./headers.ts";
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
  /** `dateMs`: the service's present, where answers state it. */
  | { readonly kind: "ok"; readonly json: unknown; readonly dateMs: number | undefined }
  | {
      readonly kind: "failure";
      readonly failure: Failure;
      /** Its route itself is in trouble: it is left alone for the wait that the answer named, or for one of our own. */
      readonly routeWait?: { readonly toldMs: number | undefined } | undefined;
    }
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

const OWN_WORDS: Readonly<Record<number, string>> = {
  2004: "This server key is banned from the game service.",
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
  // Its page says that all have to leave and then to try again: it was not run.
  9999: ["module-outdated", "no"],
};

export interface ClassifyOptions {
  readonly route: Route;
  /** The service's present, epoch milliseconds. */
  readonly nowMs: number;
  /** The same by the answer's own Date, where that is not far from what others state; undefined: it had none. */
  readonly dateMs?: number | undefined;
  /** Parses the body and takes the keys out of it. @default JSON.parse */
  readonly parse?: (body: string) => unknown;
}

/**
 * Reads an answer, the body before the status: a 403 may be a page of the network or name a code that says nothing of
 * the key.
 */
export function classify(
  answer: WireAnswer,
  { route, nowMs, dateMs, parse = JSON.parse }: ClassifyOptions,
): Outcome {
  const json = objectOf(answer.body, parse);
  if (json === undefined) return classifyPage(answer, route, nowMs);
  if (answer.status >= 200 && answer.status < 300 && !saysError(json)) {
    return { kind: "ok", json, dateMs };
  }
  if ((answer.status === 403 || answer.status === 401) && isOfNetwork(json))
    return blockedByPage(retryAfterMs(answer.headers, nowMs), "no", NETWORK_REFUSED);
  return classifyError({ ...errorBody(json), answer, route, nowMs });
}

interface ErrorAnswer extends ErrorBody {
  readonly answer: WireAnswer;
  readonly route: Route;
  readonly nowMs: number;
}

function classifyError({ answer, route, nowMs, ...body }: ErrorAnswer): Outcome {
  const { status, headers } = answer;
  const { code } = body;
  if (code === 4001 || status === 429) return limited(answer, { ...body, nowMs });
  const told = greatest([retryAfterMs(headers, nowMs), body.retryAfterMs]);
  const isMoving = status >= 300 && status < 400;
  const routeWait = isMoving || (status >= 500 && told !== undefined) ? { toldMs: told } : undefined;
  const fail = (failureCode: FailureCode, ran: Ran, words: string, retryAtMs?: number) =>
    new Failure(failureCode, words, {
      ran: route === "command" ? ran : "no",
      ...(code === undefined ? {} : { serviceCode: code }),
      ...(body.commandId === undefined ? {} : { commandId: body.commandId }),
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    });
  if (code === 2003) {
    const failure = fail("blocked", "no", "The game service refused this host's global key.");
    return { kind: "halt", cause: "global-key", toldMs: undefined, saysBlocked: true, failure };
  }
  // With another status it is the outcome of that request: a bad one, which says nothing of the key.
  if ((status === 403 || status === 401) && (code === 2001 || code === 2002 || code === 2004)) {
    const words = OWN_WORDS[code] ?? (body.message || "The server key is wrong or expired.");
    return { kind: "key", coded: true, final: code === 2004, failure: fail("key-rejected", "no", words) };
  }
  if (route === "read" && isReadRefused(status, code))
    return { kind: "failure", failure: fail("read-refused", "no", readRefusedWords(code, body.message)) };
  const known = code === undefined ? undefined : BY_CODE[code];
  if (known !== undefined && code !== undefined)
    return { kind: "failure", failure: fail(known[0], known[1], OWN_WORDS[code] ?? body.message), routeWait };
  if (status === 401 || status === 403) {
    // A code that we have not met is the outcome of that request; only silence leaves the key itself in doubt.
    if (code !== undefined) return { kind: "failure", failure: fail("not-authorised", "no", body.message) };
    const words = body.message || "The server key is wrong or expired.";
    return { kind: "key", coded: false, final: false, failure: fail("key-rejected", "no", words) };
  }
  const [failureCode, ran] = byStatus(status, route);
  const words = failureCode === "moved" ? "" : body.message;
  return { kind: "failure", failure: fail(failureCode, ran, words || statusWords(status)), routeWait };
}

/** A request too many: everybody waits for the greatest of the waits that it names (spec: Limits 5). */
function limited(
  { headers }: WireAnswer,
  {
    message,
    commandId,
    code,
    nowMs,
    ...body
  }: ErrorBody & { readonly nowMs: number; readonly isUnreadable?: boolean },
): Outcome {
  const inWordsMs = waitInWords(message, nowMs);
  // A reset tells when the window ends, and is asked only where nothing says how long to wait.
  const toldMs =
    greatest([retryAfterMs(headers, nowMs), body.retryAfterMs, inWordsMs]) ?? resetWaitMs(headers, nowMs);
  const saysBlocked = /\b(block|blocked|banned)\b/i.test(message);
  const words =
    message === "" || body.isUnreadable === true ? "The game service asked Marshal to wait." : message;
  const details = {
    ...(code === undefined ? {} : { serviceCode: code }),
    ...(commandId === undefined ? {} : { commandId }),
  };
  const failure = new Failure(saysBlocked ? "blocked" : "rate-limited", words, details);
  return { kind: "halt", cause: "limit", toldMs, saysBlocked, failure };
}

/** Codes by which the service refuses a request although the key is good (facts: error codes). */
const REFUSALS_OF_GOOD_KEYS: ReadonlySet<number> = new Set([4000, 4002, 4003, 9998]);

/** Codes of those who gave a key of a server: besides, that it is empty, or runs an old version. */
export const CODES_OF_GOOD_KEYS: ReadonlySet<number> = new Set([...REFUSALS_OF_GOOD_KEYS, 3002, 9999]);

/** Whether the service does not let this bot read a server, whatever its key. Of a 403 it is to stop (spec: Errors 4). */
function isReadRefused(status: number, code: number | undefined): boolean {
  if (code !== undefined && REFUSALS_OF_GOOD_KEYS.has(code)) return true;
  return status === 401 || (status === 403 && code !== undefined);
}

function readRefusedWords(code: number | undefined, message: string): string {
  const said = message === "" ? "" : `: ${message}`;
  if (code === 4000) return `The game service says Marshal is not allowed on this server (code 4000)${said}`;
  if (code === 9998) return `The game service restricts access to this server (code 9998)${said}`;
  return `The game service does not let Marshal read this server (${code === undefined ? "no code" : `code ${code}`})${said}`;
}

/** What a route that has another address answers (not 304: nothing has changed). */
const MOVED: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);
/** What is answered before a request is worked on. Of others, such as 409 or 499, nobody knows how far it came. */
const NOT_BEGUN: ReadonlySet<number> = new Set([404, 405, 406, 410, 411, 413, 414, 415, 431]);
/** Answers of a route that is not where it was; on pages they say no more of us than 5xx do. */
const NOT_THERE: ReadonlySet<number> = new Set([404, 405, 410]);

function byStatus(status: number, route: Route): readonly [FailureCode, Ran] {
  if (MOVED.has(status)) return ["moved", "unknown"];
  if (status === 400) return [route === "command" ? "bad-command" : "bad-response", "no"];
  if (status === 422) return [route === "command" ? "server-empty" : "bad-response", "no"];
  // The service gave it up half way and does not say whether the game had it by then.
  if (status === 408) return ["platform", "unknown"];
  if (status >= 500) return ["platform", "unknown"];
  return ["bad-response", NOT_BEGUN.has(status) ? "no" : "unknown"];
}

function statusWords(status: number): string {
  if (MOVED.has(status)) return `The game service's address has moved (status ${status}).`;
  return `The game service answered ${status}.`;
}

/** Not JSON: half a document, or a page of the network in front of the service (spec: Errors 3). */
function classifyPage(answer: WireAnswer, route: Route, nowMs: number): Outcome {
  const { status, headers } = answer;
  const refused = status === 403 || status === 429 || status === 401;
  const text = answer.body.trimStart();
  const isHtml = /\bhtml\b/i.test(headerText(headers, "content-type") ?? "");
  const isPage = text.startsWith("<") || (isHtml && /^[^{[]/.test(text));
  if ((status === 403 || status === 401) && saysNothing(text)) return bareRefusal();
  if (status === 429 && !isPage) {
    const message = text.slice(0, LONGEST_LIMIT_WORDS);
    const body = { code: undefined, commandId: undefined, retryAfterMs: brokenWaitMs(message) };
    return limited(answer, { ...body, message, nowMs, isUnreadable: true });
  }

  // Something on the way waited too long for a request, as for the next one of a connection that was idle.
  const isGivenUp = status === 408 && isPage;
  const isOfRoute = status >= 500 || (status >= 300 && status < 400) || NOT_THERE.has(status) || isGivenUp;
  const [code, ran] = byStatus(status, route);
  const ofCommand = { ran: route === "command" && !refused ? ran : "no" } as const;
  const toldMs = retryAfterMs(headers, nowMs);
  if (isOfRoute) {
    const inFront = `An error page came instead of the game service (status ${status}).`;
    const words = isPage && code !== "moved" ? inFront : statusWords(status);
    return { kind: "failure", failure: new Failure(code, words, ofCommand), routeWait: { toldMs } };
  }
  if (refused || isPage) {
    const ran = route === "command" && !refused ? "unknown" : "no";
    return blockedByPage(toldMs, ran);
  }
  const unread = { ran: route === "command" ? "unknown" : "no" } as const;
  const failure = new Failure("bad-response", "Marshal could not read the game service's answer.", unread);
  return { kind: "failure", failure };
}

const WEB_PAGE = "The game service answered with a web page instead of data. This host may be blocked.";
const NETWORK_REFUSED = "The network in front of the game service refused Marshal. This host may be blocked.";

/** The network in front of the service may have blocked this host. */
function blockedByPage(toldMs: number | undefined, ran: Ran, words = WEB_PAGE): Outcome {
  const failure = new Failure("blocked", words, { ran });
  return { kind: "halt", cause: "page", toldMs, saysBlocked: true, failure };
}

/** A refusal that says no more than that. */
export function bareRefusal(): Extract<Outcome, { kind: "key" }> {
  const failure = new Failure("key-rejected", "The server key is wrong or expired.", { ran: "no" });
  return { kind: "key", coded: false, final: false, failure };
}

/** What is read of a 429 that is no JSON: words that may say how long it holds. */
const LONGEST_LIMIT_WORDS = 300;

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

function objectOf(body: string, parse: (body: string) => unknown): unknown {
  try {
    const value = parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
