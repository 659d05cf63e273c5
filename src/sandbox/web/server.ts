import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Stage } from "../stage.ts";
import { BadAsk } from "./ask.ts";
import { type Asset, bundlePage } from "./bundle.ts";
import { isOwnRequest, safetyHeaders } from "./guard.ts";
import type { Panel } from "./panel.ts";
import { Session, type SessionParts } from "./session.ts";

const host = "127.0.0.1";
const longestAskBytes = 64 * 1024;
const pictureTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export interface PageServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface PageParts {
  readonly stage: Stage;
  readonly panel: Panel;
  /** 0 takes a free one. */
  readonly port: number;
  /** Nothing was set up in advance. @default false */
  readonly isEmpty?: boolean;
}

/** The port is taken, in words. */
export class PortError extends Error {}

/** Serves the page on the loopback and speaks with it. */
export async function servePage({ stage, panel, port, isEmpty = false }: PageParts): Promise<PageServer> {
  const assets = await bundlePage();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: longestAskBytes });
  const bootId = randomUUID();
  const server = createServer((request, response) => void respond(request, response));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url !== "/socket" || !isOwnRequest(request.headers, portOf(server), true)) {
      // Who is refused may break the connection off: nobody else listens for that, and the sandbox would end.
      socket.on("error", () => socket.destroy());
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => converse(ws, { stage, panel, bootId, isEmpty }));
  });
  await listen(server, port);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refusal(request, portOf(server));
    if (refused !== undefined) return end(response, refused, "text/plain", "refused\n");
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (path.startsWith(FILES)) return serveFile(stage, path, response);
    const asset: Asset | undefined = assets.get(path);
    if (asset === undefined) return end(response, 404, "text/plain", "not found\n");
    end(response, 200, asset.type, asset.body);
  }

  return {
    url: `http://${host}:${portOf(server)}`,
    port: portOf(server),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "refused";
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be had (${code})`;
    throw new PortError(`port ${port} ${why}; choose another with --port`, { cause: error });
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function refusal(request: IncomingMessage, port: number): number | undefined {
  if (!isOwnRequest(request.headers, port, false)) return 403;
  return request.method === "GET" || request.method === "HEAD" ? undefined : 405;
}

function end(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { ...safetyHeaders, "content-type": type });
  response.end(body);
}

const FILES = "/attachments/";

/** Files that the bot attached. Only pictures keep their type: the others are downloads, whatever they hold. */
async function serveFile(stage: Stage, path: string, response: ServerResponse): Promise<void> {
  const url = new URL(path, new URL(stage.discord.apiUrl).origin);
  // Dots lead elsewhere, also where they are spelled with percent signs.
  if (!url.pathname.startsWith(FILES)) return end(response, 404, "text/plain", "not found\n");
  try {
    const answer = await fetch(url);
    const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (!answer.ok) return end(response, 404, "text/plain", "not found\n");
    const isPicture = pictureTypes.has(type);
    response.setHeader("content-disposition", isPicture ? "inline" : "attachment");
    end(response, 200, isPicture ? type : "application/octet-stream", bytes);
  } catch {
    end(response, 502, "text/plain", "the emulated Discord does not answer\n");
  }
}

function converse(ws: WebSocket, parts: Omit<SessionParts, "send">): void {
  const session = new Session({
    ...parts,
    send: (answer) => {
      if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(answer));
    },
  });
  ws.on("message", (data, isBinary) => {
    if (isBinary) return;
    session.take(data.toString()).catch((error: unknown) => {
      // What is not of the protocol ends the conversation; anything else is a defect of the sandbox and is seen.
      ws.close(1008, error instanceof BadAsk ? error.message.slice(0, 100) : "the sandbox failed");
      if (!(error instanceof BadAsk)) parts.panel.note("sandbox", String(error), true);
    });
  });
  ws.on("error", () => ws.terminate());
  ws.on("close", () => session.close());
}
