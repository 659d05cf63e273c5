import { type Dispatcher, errors, Pool } from "undici";
import type { CancelToken } from "./cancel-token.ts";
import type { WireAnswer, WireHead } from "./classify.ts";
import { ACCEPTED_CODINGS, bodyText, tooLong } from "./content-coding.ts";

/** One request, ready to be written. It holds the open key: made when it is sent, kept nowhere. */
export interface WireRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Nothing else is in flight, so no refusal of another request can lie unread. */
  readonly isAlone?: boolean;
  /** Called when the first byte is about to be written. A failure before that means: it was surely not sent. */
  readonly onStart: () => void;
  /** Called when status and headers have been read: the body may come much later, or never. */
  readonly onHead?: ((head: WireHead) => void) | undefined;
}

/**
 * Carries one request and gives the whole answer; rejects when there is none. It repeats nothing, follows no redirect
 * (that would carry the key elsewhere), and a cancellation holds until the last moment before the first byte.
 */
export type Transport = (request: WireRequest, cancel: CancelToken) => Promise<WireAnswer>;

export interface HttpTransport {
  readonly send: Transport;
  close(): Promise<void>;
}

const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

export interface TransportOptions {
  readonly serviceUrl: string;
  /** One request at a time on each. */
  readonly connections: number;
  /** The only family of addresses that is used: an owner who trusts one address of a host trusts no other. @default both */
  readonly family?: 4 | 6 | undefined;
}

/** Requests to one origin. */
export function createTransport({ serviceUrl, connections, family }: TransportOptions): HttpTransport {
  const { origin, pathname } = new URL(serviceUrl);
  const basePath = pathname.replace(/\/+$/, "");
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    // With HTTP/2 many requests share a connection, so one may wait inside it where nobody can cancel it.
    allowH2: false,
    maxResponseSize: LARGEST_ANSWER_BYTES,
    connectTimeout: 10_000,
    ...(family !== undefined && { connect: { family, autoSelectFamily: false } }),
    // The whole exchange has a deadline, and a cancellation ends the connection: timers of undici's own, two for
    // each request, would watch what is watched already.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const send: Transport = (request, cancel) =>
    new Promise((resolve, reject) => {
      const go = () => {
        if (cancel.isCalled) reject(cancel.reason);
        else dispatch(pool, basePath, new Carriage(request, cancel, { resolve, reject }));
      };
      // Everything readable has been read once setImmediate comes: a refusal that lies in a socket is read first.
      if (request.isAlone) go();
      else setImmediate(go);
    });
  return { send, close: () => pool.destroy() };
}

/**
 * `dispatch` is what undici's `request` is built on, and follows no redirects either. It calls back before the first
 * byte, which `request` does not, and needs no stream for a body that is read whole anyway.
 */
function dispatch(pool: Pool, basePath: string, carriage: Carriage): void {
  const { method, path, headers, body } = carriage.request;
  const asked = { ...headers, "accept-encoding": ACCEPTED_CODINGS };
  pool.dispatch({ method, path: basePath + path, headers: asked, body: body ?? null }, carriage);
}

/** One request on its way through undici, which calls these methods by its own names. */
class Carriage implements Dispatcher.DispatchHandler {
  readonly request: WireRequest;
  readonly #cancel: CancelToken;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: WireAnswer["headers"] = {};
  readonly #chunks: Buffer[] = [];

  constructor(
    request: WireRequest,
    cancel: CancelToken,
    { resolve, reject }: Pick<PromiseWithResolvers<WireAnswer>, "resolve" | "reject">,
  ) {
    this.request = request;
    this.#cancel = cancel;
    this.#resolve = resolve;
    this.#reject = reject;
    cancel.listen(() => this.#abort());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const isFirst = this.#controller === undefined;
    this.#controller = controller;
    if (this.#cancel.isCalled) this.#abort();
    // A dispatcher may queue a request again when its connection broke; a command must not be written twice.
    else if (!isFirst) controller.abort(new Error("the connection broke after the request was written"));
    else this.request.onStart();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: WireAnswer["headers"],
  ): void {
    this.#status = status;
    this.#headers = headers;
    this.request.onHead?.({ status, headers });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const whole = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    try {
      const body = bodyText(whole, this.#headers, LARGEST_ANSWER_BYTES);
      this.#resolve({ status: this.#status, headers: this.#headers, body });
    } catch (error) {
      this.#reject(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const isTooLong = error instanceof errors.ResponseExceededMaxSizeError;
    this.#reject(isTooLong ? tooLong(error) : error);
  }

  #abort(): void {
    this.#controller?.abort(errorOf(this.#cancel.reason));
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("cancelled");
}
