import type { BlockPage, Envelope } from "./faults.ts";
import type { ServiceResponse } from "./wire.ts";

/** The public service's error codes (facts: error codes) with the status that each comes with. */
export const ERRORS: Readonly<Record<number, { readonly status: number; readonly message: string }>> = {
  0: { status: 500, message: "Unknown error occurred. If this persists, contact PRC via an API ticket." },
  1001: {
    status: 500,
    message: "An error occurred communicating with Roblox or the in-game private server.",
  },
  1002: { status: 500, message: "An internal system error occurred." },
  2000: { status: 403, message: "You did not provide a server-key." },
  2001: { status: 403, message: "You provided an incorrectly formatted server-key." },
  2002: { status: 403, message: "You provided an invalid or expired server-key." },
  2003: { status: 403, message: "You provided an invalid global API key." },
  2004: { status: 403, message: "Your server-key is currently banned from accessing the API." },
  3001: { status: 400, message: "You did not provide a valid command in the request body." },
  3002: {
    status: 422,
    message: "The server you are attempting to reach is currently offline (has no players).",
  },
  4000: {
    status: 403,
    message:
      "You are not authorized to perform this action on this server. If you are creating your own custom bot, visit https://api.erlc.gg/server-owners to allowlist your IP address.",
  },
  4001: { status: 429, message: "You are being rate limited." },
  4002: { status: 403, message: "The command you are attempting to run is restricted." },
  4003: { status: 403, message: "The message you are trying to send is prohibited." },
  9998: { status: 403, message: "The resource you are accessing is restricted." },
  9999: { status: 500, message: "The module running on the in-game server is out of date." },
};

/** How errors are written: the bare specification has no codes, the faults may force an envelope. */
export interface ErrorStyle {
  readonly strictSpec: boolean;
  readonly envelope: Envelope;
}

/** What an error says beside its code. */
export interface ErrorDetail {
  readonly status?: number;
  readonly message?: string;
  /** On commands, for 422 and 500 (spec: Command error). */
  readonly commandId?: string | undefined;
  /** Further members of the body, such as `retry_after`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A JSON answer. */
export function json(status: number, body: unknown): ServiceResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  };
}

/** An error in the envelope that is in force. */
export function failure(code: number, style: ErrorStyle, detail: ErrorDetail = {}): ServiceResponse {
  const known = ERRORS[code];
  const status = detail.status ?? known?.status ?? 500;
  const message = detail.message ?? known?.message ?? `Error ${code}`;
  const id = detail.commandId === undefined ? {} : { commandId: detail.commandId };
  const extra = detail.extra ?? {};
  switch (style.envelope) {
    case "html":
      return page(status, `Error ${status}`, message);
    case "empty":
      return { status, headers: {}, body: "" };
    case "code-message":
      return json(status, { code, message, ...extra });
    case "message":
      return json(status, { message, ...extra });
    case "message-commandid":
      return json(status, {
        message,
        commandId: detail.commandId ?? "00000000-0000-4000-8000-000000000000",
        ...extra,
      });
    case "error-only":
      return json(status, { error: message, ...extra });
    case "error-code":
      return json(status, { error: message, code, ...extra });
    case "standard":
      return json(
        status,
        style.strictSpec ? { message, ...id, ...extra } : { code, message, ...id, ...extra },
      );
  }
}

/** A page in HTML, as something in front of the service answers. */
export function page(status: number, title: string, text: string): ServiceResponse {
  const body = `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`;
  const isMoved = status >= 300 && status < 400;
  return {
    status,
    headers: {
      "content-type": "text/html; charset=UTF-8",
      "cache-control": "no-store",
      ...(isMoved && { location: "https://moved.example/" }),
    },
    body,
  };
}

/** The page of the network level (spec: Errors, rule 3), or its JSON as the network of the public service writes it. */
export function blockPage(form: BlockPage): ServiceResponse {
  const title = "Sorry, you have been blocked";
  const text = "You are unable to access this service. The owner of this website has banned your IP address.";
  if (form === "html") return page(403, title, text);
  return json(403, {
    type: "https://network.example/errors/1006/",
    title: "Error 1006: Access denied",
    status: 403,
    detail: text,
    error_code: 1006,
    error_name: "ip_banned",
    cloudflare_error: true,
    retryable: false,
  });
}
