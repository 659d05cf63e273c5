import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createServiceClient } from "../../../src/api/client.ts";
import { CancelToken } from "../../../src/api/http/cancel-token.ts";
import { ACCEPTED_CODINGS } from "../../../src/api/http/content-coding.ts";
import { createTransport } from "../../../src/api/http/transport.ts";
import { systemClock, systemRandom } from "../../../src/clock.ts";
import { serve } from "../../../src/sandbox/service/http.ts";
import { Service } from "../../../src/sandbox/service/service.ts";
import { clientDocuments } from "../../support/client-documents.ts";
import { isFailure } from "../../support/failures.ts";
import { FakeKeyRing, FakeMetrics } from "../../support/network.ts";

const MB = 2 ** 20;

async function answering(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sent(t: TestContext, serviceUrl: string, headers = {}) {
  const transport = createTransport({ serviceUrl, connections: 1 });
  t.after(() => transport.close());
  const request = {
    method: "GET" as const,
    path: "/v2/server?Players=true",
    headers,
    onStart: () => undefined,
  };
  return await transport.send(request, new CancelToken());
}

describe("answers that come folded", () => {
  for (const [coding, fold] of [
    ["br", brotliCompressSync],
    ["gzip", gzipSync],
    ["GZIP ", gzipSync],
  ] as const) {
    test(`${coding}: are asked for, and read`, async (t) => {
      let asked: string | undefined;
      const url = await answering(t, (request, response) => {
        asked = request.headers["accept-encoding"];
        response.writeHead(200, { "content-encoding": coding }).end(fold('{"Name":"Zürich"}'));
      });
      assert.equal((await sent(t, url)).body, '{"Name":"Zürich"}');
      assert.equal(asked, ACCEPTED_CODINGS);
    });
  }

  test("from the emulated service too, which folds only what is worth it", async (t) => {
    const service = new Service({ nowMs: Date.now, seed: 1, keys: ["a-key-of-it"] });
    const http = await serve(service, { host: "127.0.0.1" });
    t.after(() => http.close());
    const answer = await sent(t, http.url, { "server-key": "a-key-of-it" });
    assert.equal(answer.headers["content-encoding"], "br");
    assert.ok(Number(answer.headers["content-length"]) < 0.6 * answer.body.length);
    const small = await sent(t, http.url, { "server-key": "wrong" });
    assert.equal(small.headers["content-encoding"], undefined);
  });

  test("what unfolds to more than anybody may send is cut off, however few bytes it was", async (t) => {
    const bomb = gzipSync(Buffer.alloc(9 * MB));
    assert.ok(bomb.length < 20_000);
    const url = await answering(t, (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    await assert.rejects(sent(t, url), /too long to read/);
  });

  test("what is damaged, or of a form that nobody asked for, is refused", async (t) => {
    const body = gzipSync("x".repeat(2_000));
    for (const [coding, bytes] of [
      ["gzip", body.subarray(0, 20)],
      ["br", body],
      ["zstd", body],
    ] as const) {
      const url = await answering(t, (_request, response) => {
        response.writeHead(200, { "content-encoding": coding }).end(bytes);
      });
      await assert.rejects(sent(t, url), /damaged|not asked for/);
    }
  });

  test("a command whose answer is damaged may have run; a 429 is one whatever its body is", async (t) => {
    let status = 200;
    const url = await answering(t, (_request, response) => {
      response.writeHead(status, { "content-encoding": "gzip", "retry-after": "60" }).end("no gzip at all");
    });
    const ring = new FakeKeyRing();
    let ageMs = 0;
    const client = createServiceClient({
      serviceUrl: url,
      keys: ring,
      ...clientDocuments(),
      // Started long ago, so that no earlier process may have sent a command.
      clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + ageMs },
      random: systemRandom,
      metrics: new FakeMetrics(),
      onEvent: () => undefined,
    });
    t.after(() => client.close());
    ageMs = 60_000;
    const source = ring.add("a-key");
    await assert.rejects(client.command(source, ":h hello"), isFailure("bad-response", "unknown"));
    status = 429;
    await assert.rejects(client.read(source, ["queue"], { priority: "poll" }), isFailure("rate-limited"));
  });
});
