import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Log } from "../log.ts";

/** What the ops address reads from the bot. */
export interface OpsSources {
  /** The reasons why the bot is not ready, in words; empty: it is ready. */
  notReady(): Promise<readonly string[]>;
  /** Whether it could do its work as far as it depends on this process: store, secret and token fit. @default true */
  hasStarted?(): boolean;
  /** What an operator should know of although the bot is ready. @default none */
  notes?(): readonly string[];
  /** Each part of /state under its name: plain JSON without secrets, or a promise of it. */
  readonly state: Readonly<Record<string, () => unknown>>;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  /** Replaces known secrets in a text; a second guard behind parts that give out none. */
  conceal(text: string): string;
}

export interface OpsServer {
  readonly host: string;
  /** The port that is bound, also where 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

/** The ops address cannot be bound; the message tells the operator why. */
export class OpsError extends Error {
  override readonly name = "OpsError";
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT_TYPE = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Serves `/healthz` (the process answers), `/startz` (503 until its store, secret and token are seen to fit), `/readyz` (503 with the reasons until the bot can work), `/metrics`
 * (Prometheus) and `/state` (limits, halts, queues). It answers only GET and HEAD, and only requests that name this
 * address. It has no password, so it belongs on loopback. Rejects with OpsError when the address cannot be bound.
 */
export async function startOps(
  address: { readonly host: string; readonly port: number },
  sources: OpsSources,
): Promise<OpsServer> {
  const mayAsk = (request: IncomingMessage) => isOurs(request, address.host);
  const server = createServer((request, response) => void respond(request, response, { sources, mayAsk }));
  server.listen(address.port, address.host);
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : "it was refused";
    throw new OpsError(
      `OPS_ADDRESS ${address.host}:${address.port} is not available (${reason}). Set another address, or leave it empty to turn it off`,
      { cause: error },
    );
  }
  const bound = server.address();
  return {
    host: address.host,
    port: typeof bound === "object" && bound !== null ? bound.port : address.port,
    close: () => close(server),
  };
}

/** The ops address of a process, which is opened once, or is turned off. */
export class OpsAddress {
  readonly #address: { readonly host: string; readonly port: number } | undefined;
  readonly #sources: OpsSources;
  readonly #log: Pick<Log, "info">;
  #server: OpsServer | undefined;

  constructor(
    { opsAddress }: { readonly opsAddress?: { readonly host: string; readonly port: number } },
    sources: OpsSources,
    log: Pick<Log, "info">,
  ) {
    this.#address = opsAddress;
    this.#sources = sources;
    this.#log = log;
  }

  /** Rejects with OpsError. Does nothing where it is open already. */
  async open(): Promise<void> {
    if (this.#address === undefined || this.#server !== undefined) return;
    this.#server = await startOps(this.#address, this.#sources);
    const { host, port } = this.#server;
    this.#log.info({ host, port }, "the ops address answers");
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  // A monitoring system keeps its connection open: waiting for it would hold up the stop.
  server.closeAllConnections();
  await closed;
}

/**
 * Whether a request names this address: a loopback name, a name without a dot, the configured name, or the address at which
 * its connection arrived (a cluster's probe uses that). Any other name may be a web page that points its own name here (DNS
 * rebinding) in a browser on this machine; it must not read the answers.
 */
function isOurs({ headers, socket }: IncomingMessage, given: string): boolean {
  const name = nameIn(headers.host ?? "");
  const isOwn = name === nameIn(given) || name === withoutMapping(socket.localAddress ?? "");
  return LOOPBACK.test(name) || WITHOUT_DOT.test(name) || isOwn;
}

/** Names inside a network of containers or a local one: a page's name, which public DNS answers, has a dot. */
const WITHOUT_DOT = /^[a-z][a-z0-9_-]*$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** `HOST`, `HOST:PORT` or `[HOST]:PORT` as a bare name in lower case. */
function nameIn(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)?.[1];
  const bare = bracketed ?? (host.split(":").length > 2 ? host : (host.split(":")[0] ?? ""));
  return bare.toLowerCase().replace(/\.$/, "");
}

/** An IPv4 address as IPv4 where the socket speaks IPv6. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:/, "");
}

interface Guarded {
  readonly sources: OpsSources;
  mayAsk(request: IncomingMessage): boolean;
}

async function respond(request: IncomingMessage, response: ServerResponse, guarded: Guarded): Promise<void> {
  const answer = await answerTo(request, guarded);
  const body = guarded.sources.conceal(answer.body);
  response.writeHead(answer.status, {
    "content-type": answer.type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(answer.status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function answerTo(request: IncomingMessage, { sources, mayAsk }: Guarded): Promise<Answer> {
  if (!mayAsk(request)) return plain(421, "this address answers to its own name only");
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET is answered here");
  try {
    switch ((request.url ?? "/").split("?")[0]) {
      case "/healthz":
        return plain(200, "ok");
      case "/startz":
        return sources.hasStarted?.() === false
          ? plain(503, (await sources.notReady()).join("\n"))
          : plain(200, "started");
      case "/readyz": {
        const missing = await sources.notReady();
        const notes = sources.notes?.() ?? [];
        return missing.length === 0
          ? plain(200, ["ready", ...notes].join("\n"))
          : plain(503, [...missing, ...notes].join("\n"));
      }
      case "/metrics":
        return { status: 200, type: sources.metrics.contentType, body: await sources.metrics.text() };
      case "/state":
        return { status: 200, type: JSON_TYPE, body: JSON.stringify(await stateOf(sources.state)) };
      default:
        return plain(404, "/healthz /startz /readyz /metrics /state");
    }
  } catch {
    // The error may hold anything, so it is not shown; the part that failed has logged it.
    return plain(500, "this could not be read");
  }
}

/** A part that throws is shown as unreadable; the others are still shown. */
async function stateOf(parts: OpsSources["state"]): Promise<Record<string, unknown>> {
  const read = Object.entries(parts).map(async ([name, part]) => [name, await partOf(part)] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function partOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return { unreadable: error instanceof Error ? error.name : "it threw" };
  }
}

function plain(status: number, body: string): Answer {
  return { status, type: TEXT_TYPE, body: `${body}\n` };
}
