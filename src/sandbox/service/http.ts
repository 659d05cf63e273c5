import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Fate } from "./faults.ts";
import { answerOwner, isOwnersPage } from "./owners-page.ts";
import type { Service } from "./service.ts";
import type { ServiceRequest, ServiceResponse } from "./wire.ts";

/** Where to listen and how to see clients. */
export interface ServeOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Takes the client's address from `X-Forwarded-For`, so that one machine can be many. */
  readonly trustForwarded?: boolean;
  /**
   * How long after a 429 was written a request still counts as sent before the 429 could be read. Sockets cannot tell
   * those apart: what crossed on the way must not be held against a client. Default 25.
   */
  readonly crossingMs?: number;
  /** What each answer waits for before it is made. @default nothing */
  readonly beforeAnswer?: () => Promise<void>;
}

/** As the network before the service does: shorter ones are not worth it. */
const CODED_FROM_BYTES = 1_000;
/** By the names that clients ask for; not the smallest that they can do, but quick. */
const CODINGS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => gzipSync(body, { level: 4 }),
};
const MAX_BODY_CHARS = 1_000_000;
const SLOW_PIECES = 8;

/** Serves the service over HTTP and carries out the faults of the transport. Rejects when the port is taken. */
export async function serve(
  service: Service,
  options: ServeOptions = {},
): Promise<{ url: string; underWay(): number; close(): Promise<void> }> {
  const closing = new AbortController();
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    exchange(service, options, request, response, closing.signal)
      .catch((error: unknown) => {
        // A connection that went away, by the client or by `close`, leaves nobody to be told; the rest is a defect.
        if (!closing.signal.aborted && !request.socket.destroyed)
          process.emitWarning(error instanceof Error ? error : String(error));
        request.socket.destroy();
      })
      .finally(() => {
        underWay -= 1;
      });
  });
  const host = options.host ?? "127.0.0.1";
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    // Those that it waits with, by the machine's time; one that is swallowed is over.
    underWay: () => underWay,
    close: async () => {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function exchange(
  service: Service,
  options: ServeOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const sentAtMs = service.nowMs();
  const base = await read(incoming, options.trustForwarded ?? false);
  if (isOwnersPage(base)) return answerOwner(service, base, outgoing);
  const fate = service.drawFate(base);
  if (fate.silent) return;
  await options.beforeAnswer?.();
  // Who has gone meanwhile is not answered: what the service counts is what it answers.
  if (incoming.socket.destroyed) return;
  await wait(fate.delayMs, signal);
  if (fate.reset === "before") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const readableAtMs = service.nowMs() + (options.crossingMs ?? 25);
  const answer = service.handle({ ...base, sentAtMs, readableAtMs }, fate);
  if (fate.reset === "after") {
    incoming.socket.resetAndDestroy();
    return;
  }
  if (answer.status < 300) await wait(fate.lateMs, signal);
  await write(outgoing, coded(answer, base.headers["accept-encoding"] ?? ""), fate, signal);
}

async function read(incoming: IncomingMessage, trustForwarded: boolean): Promise<ServiceRequest> {
  let body = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) {
    body += String(chunk);
    if (body.length > MAX_BODY_CHARS) throw new RangeError("the body is too long");
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  const forwarded = trustForwarded ? headers["x-forwarded-for"]?.split(",")[0]?.trim() : undefined;
  const address = forwarded ?? (incoming.socket.remoteAddress ?? "127.0.0.1").replace(/^::ffff:/, "");
  return { method: incoming.method ?? "GET", path: incoming.url ?? "/", headers, body, address };
}

interface Coded extends Pick<ServiceResponse, "status" | "headers"> {
  readonly bytes: Buffer;
}

/** In the first form that the client asks for and the service knows. */
function coded(answer: ServiceResponse, accepted: string): Coded {
  const { status, headers } = answer;
  const bytes = Buffer.from(answer.body, "utf8");
  const coding = accepted
    .split(",")
    .map((one) => one.trim())
    .find((one) => Object.hasOwn(CODINGS, one));
  const code = coding === undefined ? undefined : CODINGS[coding];
  if (coding === undefined || code === undefined || bytes.length < CODED_FROM_BYTES)
    return { status, headers, bytes };
  return {
    status,
    headers: { ...headers, "content-encoding": coding, vary: "accept-encoding" },
    bytes: code(bytes),
  };
}

async function write(
  outgoing: ServerResponse,
  answer: Coded,
  fate: Fate,
  signal: AbortSignal,
): Promise<void> {
  const { bytes } = answer;
  for (const [name, value] of Object.entries(answer.headers))
    outgoing.setHeader(spelled(name), linesOf(name, value));
  outgoing.setHeader("Content-Length", bytes.length);
  outgoing.writeHead(answer.status);
  if (fate.truncate) {
    outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy());
    return;
  }
  if (fate.slowBodyMs > 0) {
    const size = Math.max(1, Math.ceil(bytes.length / SLOW_PIECES));
    for (let at = 0; at < bytes.length; at += size) {
      outgoing.write(bytes.subarray(at, at + size));
      await wait(fate.slowBodyMs / SLOW_PIECES, signal);
    }
    outgoing.end();
    return;
  }
  outgoing.end(bytes);
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal });
}

/** One line for each value of a header that is sent twice. */
function linesOf(name: string, value: string): string | string[] {
  return name === "retry-after" ? value.split(", ") : value;
}

/** Header names as the specification spells them. */
function spelled(name: string): string {
  if (name === "etag") return "ETag";
  const words = name.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join("-").replace("Ratelimit", "RateLimit");
}
