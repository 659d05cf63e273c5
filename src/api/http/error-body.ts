import { greatest, sensibleWait } from "./headers.ts";

/** What the body of an error says. */
export interface ErrorBody {
  readonly code: number | undefined;
  readonly message: string;
  readonly commandId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

const MESSAGE_CHARS = 300;

/** The envelopes seen: `{code,message}`, `{message}`, `{message,commandId}`, `{error,code}`. */
export function errorBody(json: unknown): ErrorBody {
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

/**
 * Whether the network in front of the service wrote this: to who accepts JSON, as we do, it shows its own errors as JSON
 * instead of a page, with codes of its own.
 */
export function isOfNetwork(json: unknown): boolean {
  return (json as { readonly cloudflare_error?: unknown }).cloudflare_error === true;
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

/** Whether a body calls itself an error, whatever the status of its answer says. */
export function saysError(json: unknown): boolean {
  const { error, code }: { readonly error?: unknown; readonly code?: unknown } = { ...(json as object) };
  const hasError = typeof error === "object" ? error !== null : Boolean(error);
  // Zero is the code of an unknown error, and in other interfaces that of none.
  const numbered = number(code);
  return hasError || (numbered !== undefined && numbered >= LEAST_CODE);
}

/** The service's own codes have four digits, but for the one of an unknown error. */
const LEAST_CODE = 1_000;

/** The wait that half a body still names. */
export function brokenWaitMs(text: string): number | undefined {
  const seconds = /"retry_?after"\s*:\s*"?(\d{1,12}(?:\.\d{1,9})?)/i.exec(text.slice(0, MESSAGE_CHARS))?.[1];
  return seconds === undefined ? undefined : sensibleWait(Number(seconds) * 1_000);
}
