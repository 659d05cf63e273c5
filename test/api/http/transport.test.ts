import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv4 } from "node:net";
import { test } from "node:test";
import { type Service as Client, createServiceClient } from "../../../src/api/client.ts";
import { CancelToken } from "../../../src/api/http/cancel-token.ts";
import { createTransport } from "../../../src/api/http/transport.ts";
import { systemClock, systemRandom } from "../../../src/clock.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { serve } from "../../../src/sandbox/service/http.ts";
import { Service } from "../../../src/sandbox/service/service.ts";
import { clientDocuments } from "../../support/client-documents.ts";
import { isFailure } from "../../support/failures.ts";
import { FakeKeyRing, FakeMetrics } from "../../support/network.ts";

const STARTED_AGO_MS = 60_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function withServer<T>(
  handler: Handler,
  work: (url: string, server: Server) => Promise<T>,
): Promise<T> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work(`http://127.0.0.1:${port}`, server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The requests that reach a server, which answers each, while the work is done with its address. */
async function countRequests(work: (url: string) => Promise<void>): Promise<number> {
  let requests = 0;
  await withServer((_request, response) => {
    requests += 1;
    response.end("{}");
  }, work);
  return requests;
}

function clientOf(serviceUrl: string, deadlineMs = 5_000): { client: Client; ring: FakeKeyRing } {
  const ring = new FakeKeyRing();
  let ageMs = 0;
  const client = createServiceClient({
    serviceUrl,
    keys: ring,
    ...clientDocuments(),
    // The machine's clock, but started long ago: the caution about an earlier process's command is tested elsewhere.
    clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + ageMs },
    random: systemRandom,
    metrics: new FakeMetrics(),
    onEvent: () => {},
    deadlineMs,
  });
  ageMs = STARTED_AGO_MS;
  return { client, ring };
}

/** Reads once, which has to fail as an answer that could not be read. */
async function findsUnreadable(url: string, key = "k"): Promise<void> {
  await failsToRead(url, key, isFailure("bad-response"));
}

async function failsToRead(url: string, key: string, how: (error: unknown) => boolean): Promise<void> {
  const { client, ring } = clientOf(url);
  const read = client.read(ring.add(key), [], { priority: "person" });
  await assert.rejects(read, how);
  await client.close();
}

const quiet = () => {};

test("reads and commands go over real sockets with the headers that the service asks for", async () => {
  const service = new Service({ nowMs: () => Date.now(), keys: ["a-key"], town: { intensity: "busy" } });
  service.town("a-key").join("Ann", 7);
  const { url, close } = await serve(service);
  const { client, ring } = clientOf(url);
  const source = ring.add("a-key");
  const snapshot = await client.read(source, ["players", "joinLogs"], { priority: "person" });
  assert.ok(snapshot.lists.players?.some(({ player }) => player.name === "Ann" && player.id === 7));
  assert.deepEqual(snapshot.skippedRows, {});
  const answer = await client.command(source, ":h hello");
  assert.equal(answer.message, "Success");
  assert.equal(service.counts.executionsByText.get(":h hello"), 1);
  await client.close();
  await close();
});

test("an answer beyond the size limit is an answer that could not be read, not a service out of reach", async () => {
  const service = new Service({ nowMs: () => Date.now(), keys: ["a-key"], faults: { oversize: 1 } });
  const { url, close } = await serve(service);
  await findsUnreadable(url, "a-key");
  await close();
});

test("a redirect is not followed: the key goes nowhere else", async () => {
  const elsewhere = await countRequests(async (other) => {
    await withServer(
      (_request, response) => response.writeHead(302, { location: other }).end("{}"),
      (url) => failsToRead(url, "k", isFailure("moved")),
    );
  });
  assert.equal(elsewhere, 0);
});

test("a refused connection surely sent nothing; a reset one may have", async () => {
  const { client, ring } = clientOf("http://127.0.0.1:1");
  await assert.rejects(
    client.command(ring.add("k"), ":h x"),
    (error) => error instanceof Failure && error.code === "unreachable" && error.ran === "no",
  );
  await client.close();
  let requests = 0;
  await withServer(
    (request) => {
      requests += 1;
      request.socket.resetAndDestroy();
    },
    async (url) => {
      const second = clientOf(url);
      await assert.rejects(
        second.client.command(second.ring.add("k"), ":h x"),
        (error) => error instanceof Failure && error.code === "unreachable" && error.ran === "unknown",
      );
      await second.client.close();
    },
  );
  assert.equal(requests, 1, "written once, never again");
});

test("an idle connection that the service closed costs no command: it is written once or not at all", async () => {
  let commands = 0;
  await withServer(
    (request, response) => {
      if (request.method === "POST") commands += 1;
      request.resume();
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"Name":"x","message":"ok"}', () => {
          request.socket.destroy();
        });
    },
    async (url) => {
      const { client, ring } = clientOf(url);
      await client.read(ring.add("k"), [], { priority: "person" });
      const outcome = await client.command(ring.add("k"), ":h x").then(
        () => "yes",
        (error: unknown) => (error instanceof Failure ? error.ran : "defect"),
      );
      assert.equal(commands, outcome === "no" ? 0 : 1);
      await client.close();
    },
  );
});

test("the whole exchange has a deadline: silence, and a body that drips for ever", async () => {
  const handlers: Handler[] = [
    quiet,
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"Name":');
      const drip = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(drip));
    },
  ];
  for (const handler of handlers)
    await withServer(handler, async (url) => {
      const { client, ring } = clientOf(url, 150);
      await assert.rejects(
        client.command(ring.add("k"), ":h x"),
        (error) => error instanceof Failure && error.code === "unreachable" && error.ran === "unknown",
      );
      await client.close();
    });
});

test("an endless answer is cut off", async () => {
  await withServer(
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    },
    (url) => findsUnreadable(url),
  );
});

test("a cancellation before the first byte takes the request back, even while its connection is being made", async () => {
  const requests = await countRequests(async (url) => {
    const transport = createTransport({ serviceUrl: url, connections: 4 });
    const cancel = new CancelToken();
    let starts = 0;
    const sent = transport.send(
      {
        method: "GET",
        path: "/v1/server",
        headers: {},
        onStart: () => {
          starts += 1;
        },
        isAlone: true,
      },
      cancel,
    );
    cancel.call(new Error("no longer wanted"));
    await assert.rejects(sent, /no longer wanted/);
    assert.equal(starts, 0);
    await transport.close();
  });
  assert.equal(requests, 0);
});

test("a base path of the service's address is kept", async () => {
  const paths: (string | undefined)[] = [];
  await withServer(
    (request, response) => {
      paths.push(request.url);
      response.writeHead(200, { "content-type": "application/json" }).end('{"Name":"x"}');
    },
    async (url) => {
      const { client, ring } = clientOf(`${url}/mirror/`);
      await client.read(ring.add("k"), ["queue"], { priority: "poll" });
      await client.close();
    },
  );
  assert.deepEqual(paths, ["/mirror/v2/server?Queue=true"]);
});

test("a pinned family is the only one that is used, whatever the name resolves to first", async () => {
  const callers: string[] = [];
  const server = createServer((request, response) => {
    callers.push(request.socket.remoteAddress ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  const { port } = server.address() as AddressInfo;
  for (const family of [4, 6] as const) {
    const transport = createTransport({ serviceUrl: `http://localhost:${port}`, connections: 1, family });
    const request = { method: "GET" as const, path: "/v1/server", headers: {}, onStart: () => undefined };
    // A machine without the other family has no answer, and is not served by the one that it has.
    await transport.send(request, new CancelToken()).catch(() => undefined);
    const isFour = (caller: string) => caller.startsWith("::ffff:") || isIPv4(caller);
    assert.ok(
      callers.splice(0).every((caller) => isFour(caller) === (family === 4)),
      `family ${family}`,
    );
    await transport.close();
  }
  server.close();
});
