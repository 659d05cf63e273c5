import { Pool } from "undici";
import type { WireAnswer } from "./verdict.ts";

/** One request, ready to be written. It holds the open key: made when it is sent, kept nowhere. */
export interface WireRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
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
  const watched = pool.compose((dispatch) => (options, handler) => {
    if ("opaque" in options && typeof options.opaque === "function") {
      const onStart: () => void = options.opaque.bind(undefined);
      const begin = handler.onRequestStart?.bind(handler);
      let starts = 0;
      handler.onRequestStart = (controller, context) => {
        starts += 1;
        begin?.(controller, context);
        if (controller.aborted) return;
        // A dispatcher may queue a request again when its connection broke; a command must not be written twice.
        if (starts > 1) controller.abort(new Error("the connection broke after the request was written"));
        else onStart();
      };
    }
    return dispatch(options, handler);
  });
  const send: Transport = async (request, signal) => {
    // Everything readable has been read once setImmediate comes: a refusal that lies in a socket is heard first.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const answer = await watched.request({
      method: request.method,
      path: basePath + request.path,
      headers: request.headers,
      body: request.body ?? null,
      opaque: request.onStart,
      signal,
    });
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  };
  return { send, close: () => pool.destroy() };
}
