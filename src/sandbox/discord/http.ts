import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, refuse } from "./errors.ts";
import type { FaultPlan } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import { type Body, readBody } from "./multipart.ts";
import type { RateLimits, Verdict } from "./rate-limits.ts";
import { channelRoutes } from "./rest/channels.ts";
import { commandRoutes } from "./rest/commands.ts";
import { identityRoutes } from "./rest/identity.ts";
import { interactionRoutes } from "./rest/interactions.ts";
import { messageRoutes, serverError } from "./rest/messages.ts";
import { type Answer, type Api, match, type Route } from "./rest/route.ts";
import type { Traffic } from "./traffic.ts";

const routes: readonly Route[] = [
  ...identityRoutes,
  ...commandRoutes,
  ...channelRoutes,
  ...messageRoutes,
  ...interactionRoutes,
];

interface Parts {
  readonly api: Api;
  readonly gateway: Gateway;
  readonly limits: RateLimits;
  readonly faults: FaultPlan;
  readonly traffic: Traffic;
}

interface Found {
  readonly route: Route;
  readonly params: readonly string[];
}

interface Outcome extends Answer {
  readonly headers: Readonly<Record<string, string>>;
  /** Cut the connection instead of answering. */
  readonly cut?: boolean;
}

/** The HTTP side: finds the route, checks token and limits, applies the faults, answers. */
export class HttpServer {
  readonly #parts: Parts;
  readonly #server: Server;
  readonly #delays = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on("upgrade", (request, socket, head) => {
      if (parts.faults.current.outage !== undefined) socket.destroy();
      else parts.gateway.accept(request, socket, head);
    });
  }

  /** Resolves with `host:port`. */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    const address = this.#server.address() as AddressInfo;
    return `${host.includes(":") ? `[${host}]` : host}:${address.port}`;
  }

  async close(): Promise<void> {
    for (const wake of [...this.#delays]) wake();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults } = this.#parts;
    const bytes = await read(request);
    const latencyMs = faults.current.latencyMs ?? 0;
    if (latencyMs > 0) await this.#delay(latencyMs);
    if (faults.current.outage === "down") return void request.socket.destroy();
    const target = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && target.pathname.startsWith("/attachments/"))
      return this.#serveFile(target.pathname, response);
    const path = /^\/api(?:\/v\d+)?(\/.*)$/.exec(target.pathname)?.[1];
    const outcome = path === undefined ? notFound() : this.#handle(request, path, target.searchParams, bytes);
    if (outcome.cut === true) return void request.socket.destroy();
    const { body } = outcome;
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const type: Readonly<Record<string, string>> = text === "" ? {} : { "Content-Type": "application/json" };
    response.writeHead(outcome.status, { ...type, ...outcome.headers });
    response.end(text);
  }

  /** One request from path to answer; everything it does to the world is done when it returns. */
  #handle(request: IncomingMessage, path: string, query: URLSearchParams, bytes: Buffer): Outcome {
    const method = request.method ?? "GET";
    const found = find(method, path);
    const contentType = request.headers["content-type"];
    let body: Body = { json: undefined, files: [] };
    let outcome: Outcome;
    try {
      body = readBody(contentType, bytes);
      outcome = this.#answer(found, request.headers.authorization, query, body, bytes.length);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      outcome = { status: error.status, body: error.body, headers: error.headers };
    }
    this.#parts.traffic.record({
      atMs: this.#parts.api.world.nowMs(),
      method,
      path,
      query: query.toString(),
      contentType,
      body: body.json,
      status: outcome.cut === true ? 0 : outcome.status,
      answer: outcome.body,
      answerHeaders: outcome.headers,
    });
    return outcome;
  }

  #answer(
    found: Found | undefined,
    authorization: string | undefined,
    query: URLSearchParams,
    body: Body,
    size: number,
  ): Outcome {
    const { api, faults, limits } = this.#parts;
    if (faults.current.outage === "5xx")
      return { status: 503, body: { message: "upstream connect error", code: 0 }, headers: {} };
    if (found === undefined) throw refuse("notFound");
    const { route, params } = found;
    const isBot = authorization === `Bot ${api.world.token}` && faults.current.tokenRevoked !== true;
    if (route.access === "bot" && !isBot) throw refuse("unauthorized");
    if (faults.use("rateLimitNext")) {
      const { rateLimitRetryAfterMs = 1_000, rateLimitIsGlobal = false, rateLimitIsPage } = faults.current;
      if (rateLimitIsGlobal) limits.refuseAll(rateLimitRetryAfterMs);
      return rateLimitIsPage === true
        ? tooManyForNetwork(rateLimitRetryAfterMs)
        : tooMany(rateLimitRetryAfterMs, rateLimitIsGlobal, {});
    }
    const key = `${route.method} ${route.pattern}`;
    const verdict = limits.take(key, majorOf(route, params), route.access === "bot");
    if (!verdict.allowed && verdict.global && faults.current.rateLimitIsPage === true)
      return tooManyForNetwork(verdict.retryAfterMs);
    if (!verdict.allowed) return tooMany(verdict.retryAfterMs, verdict.global, verdict.headers);
    const { maxUploadBytes, maxFileBytes } = api.world.limits;
    const tooLarge = size > maxUploadBytes || body.files.some(({ bytes }) => bytes.length > maxFileBytes);
    if (tooLarge) throw withHeaders(refuse("tooLarge"), verdict);
    return this.#carryOut(key, verdict, () =>
      route.handle(api, { params, query, body: body.json, files: body.files }),
    );
  }

  #carryOut(key: string, verdict: Verdict, act: () => Answer): Outcome {
    const { faults } = this.#parts;
    const sends = key === "POST /channels/:id/messages";
    const answers = key === "POST /interactions/:id/:token/callback";
    if (sends && faults.use("unauthorizedSends")) throw withHeaders(refuse("unauthorized"), verdict);
    if (sends && faults.use("failSends")) throw serverError();
    if (key === "POST /channels/:id/threads" && faults.use("failThreads")) throw serverError();
    const loses = (faults.current.callbackThen500 ?? 0) + (faults.current.callbackThenReset ?? 0) > 0;
    if (answers && !loses && faults.use("failCallbacks")) throw serverError();
    let answer: Answer;
    try {
      answer = act();
    } catch (error) {
      throw error instanceof ApiError ? withHeaders(error, verdict) : error;
    }
    if (sends && faults.use("sendThen500")) throw serverError();
    if (answers && faults.use("callbackThen500")) throw serverError();
    if (key.startsWith("DELETE /webhooks/") && faults.use("deleteThen500")) throw serverError();
    const isCut = (sends && faults.use("sendThenReset")) || (answers && faults.use("callbackThenReset"));
    if (isCut) return { ...answer, headers: {}, cut: true };
    return { ...answer, headers: verdict.headers };
  }

  #serveFile(path: string, response: ServerResponse): void {
    const file = this.#parts.api.world.files.get(path.split("/")[3] ?? "");
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    // Nobody's upload may run as a page of this origin.
    response.writeHead(200, {
      "Content-Type": file.contentType,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox",
      "Access-Control-Allow-Origin": "*",
    });
    response.end(file.bytes);
  }

  /** How many requests wait because Discord is slow. */
  get delayed(): number {
    return this.#delays.size;
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#delays.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#delays.add(wake);
    });
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function find(method: string, path: string): Found | undefined {
  for (const route of routes) {
    if (route.method !== method) continue;
    const params = match(route.pattern, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** What a bucket is counted for: the channel or guild, or the interaction. */
function majorOf(route: Route, params: readonly string[]): string {
  if (route.access === "token") return params.slice(0, 2).join(":");
  return /^\/(channels|guilds)\//.test(route.pattern) ? (params[0] ?? "") : "";
}

function notFound(): Outcome {
  return { status: 404, body: { message: "404: Not Found", code: 0 }, headers: {} };
}

function tooMany(retryAfterMs: number, global: boolean, headers: Readonly<Record<string, string>>): Outcome {
  const seconds = retryAfterMs / 1000;
  return {
    status: 429,
    body: { message: "You are being rate limited.", retry_after: seconds, global, code: 0 },
    headers: {
      ...headers,
      "Retry-After": String(Math.ceil(seconds)),
      "X-RateLimit-Scope": global ? "global" : "user",
      ...(global ? { "X-RateLimit-Global": "true" } : {}),
    },
  };
}

/** As the network in front of Discord refuses an address, whatever it asks for. */
function tooManyForNetwork(retryAfterMs: number): Outcome {
  const headers = { "Retry-After": String(Math.ceil(retryAfterMs / 1_000)), "Content-Type": "text/plain" };
  return { status: 429, body: "error code: 1015", headers };
}

function withHeaders(error: ApiError, verdict: Verdict): ApiError {
  return new ApiError(
    error.status,
    { ...error.body, message: String(error.body.message) },
    { ...verdict.headers, ...error.headers },
  );
}
