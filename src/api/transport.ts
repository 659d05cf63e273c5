import { Pool } from "undici";
import type { WireAnswer } from "./verdict.ts";

/** One request, ready to be written. It holds the open key: made when it is sent, kept nowhere. */
export interface WireRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Nothing else is in flight, so no refusal of another request can lie unread. */
  readonly isAlone?: boolean;
  /** Called when the first byte is about to be written. A failure before that means: it was surely not sent. */
  readonly onStart: () => void;
}

/**
 * Carries one request and gives the whole answer; rejects when there is none. It repeats nothing, follows no redirect
 * (that would carry the key elsewhere), and an abort holds until the last moment before the first byte.
 */
export type Transport = (request: WireRequest, signal: AbortSignal) => Promise<WireAnswer>;

export interface HttpTransport {
  readonly send: Transport;
  close(): Promise<void>;
}

const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

/** Requests to one origin over `connections` connections, one at a time on each. */
export function createTransport(serviceUrl: string, connections: number): HttpTransport {
  const { origin, pathname } = new URL(serviceUrl);
  const basePath = pathname.replace(/\/+$/, "");
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    // With HTTP/2 many requests share a connection, so one may wait inside it where nobody can recall it.
    allowH2: false,
    maxResponseSize: LARGEST_ANSWER_BYTES,
    connectTimeout: 10_000,
    // The whole exchange has a deadline by the signal; these only end a connection that nobody waits for any more.
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const send: Transport = (request, signal) =>
    new Promise((resolve, reject) => {
      const go = () => {
        if (signal.aborted) reject(signal.reason);
        else dispatch(pool, basePath, request, signal, { resolve, reject });
      };
      // Everything readable has been read once setImmediate comes: a refusal that lies in a socket is heard first.
      if (request.isAlone) go();
      else setImmediate(go);
    });
  return { send, close: () => pool.destroy() };
}

/**
 * `dispatch` is what undici's `request` stands on, and follows redirects as little. It tells the moment before the first
 * byte, which `request` does not, and needs no stream for a body that is read whole anyway.
 */
function dispatch(
  pool: Pool,
  basePath: string,
  request: WireRequest,
  signal: AbortSignal,
  settle: { readonly resolve: (answer: WireAnswer) => void; readonly reject: (error: unknown) => void },
): void {
  let status = 0;
  let headers: WireAnswer["headers"] = {};
  const chunks: Buffer[] = [];
  let abort: (() => void) | undefined;
  let starts = 0;
  signal.addEventListener("abort", () => abort?.(), { once: true });
  pool.dispatch(
    {
      method: request.method,
      path: basePath + request.path,
      headers: request.headers,
      body: request.body ?? null,
    },
    {
      onRequestStart(controller) {
        starts += 1;
        abort = () => controller.abort(errorOf(signal.reason));
        if (signal.aborted) abort();
        // A dispatcher may queue a request again when its connection broke; a command must not be written twice.
        else if (starts > 1)
          controller.abort(new Error("the connection broke after the request was written"));
        else request.onStart();
      },
      onResponseStart(_controller, statusCode, answered) {
        status = statusCode;
        headers = answered;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        const [only] = chunks;
        const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
        settle.resolve({ status, headers, body: body.toString("utf8") });
      },
      onResponseError(_controller, error) {
        settle.reject(error);
      },
    },
  );
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted");
}
