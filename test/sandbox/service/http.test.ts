import assert from "node:assert/strict";
import { once } from "node:events";
import { get as httpGet } from "node:http";
import { describe, test } from "node:test";
import { type ServeOptions, serve } from "../../../src/sandbox/service/http.ts";
import { Service, type ServiceOptions } from "../../../src/sandbox/service/service.ts";
import { KEY } from "../../support/service-rig.ts";

interface Served {
  readonly service: Service;
  readonly url: string;
  read(path?: string, headers?: Record<string, string>): Promise<Response>;
  command(text: string): Promise<Response>;
}

async function withServer(
  options: Partial<ServiceOptions>,
  test: (served: Served) => Promise<void>,
  serving: ServeOptions = {},
): Promise<void> {
  const limits = { global: { limit: 1_000, windowMs: 1_000 }, command: { limit: 1_000, windowMs: 1_000 } };
  const service = new Service({
    nowMs: () => Date.now(),
    keys: [KEY],
    limits,
    town: { intensity: 0 },
    ...options,
  });
  const { url, close } = await serve(service, serving);
  const read = (path = "/v2/server", headers = {}) =>
    fetch(url + path, { headers: { "server-key": KEY, ...headers } });
  const command = (text: string) =>
    fetch(`${url}/v2/server/command`, {
      method: "POST",
      headers: { "server-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ command: text }),
    });
  try {
    await test({ service, url, read, command });
  } finally {
    await close();
  }
}

describe("the service over HTTP", () => {
  test("has the page on which the owner lets a bot run commands, by one press and counted nowhere", () =>
    withServer({ commands: "refused" }, async ({ service, url, command }) => {
      const page = `${url}/server-owners/server/publicpart/authorize/118`;
      assert.match(await (await fetch(page)).text(), /Marshal may only read your server[\s\S]*<button>/);
      assert.equal((await command(":h x")).status, 403);
      const { requests } = service.counts;
      assert.match(await (await fetch(page, { method: "POST" })).text(), /Marshal may run commands/);
      assert.equal(service.counts.requests, requests);
      assert.equal((await command(":h x")).status, 200);
    }));

  test("answers as its core does, with headers as the specification spells them", () =>
    withServer({}, async ({ url }) => {
      const request = httpGet(`${url}/v1/server`, { headers: { "server-key": KEY } });
      const [message] = await once(request, "response");
      message.resume();
      await once(message, "end");
      for (const name of [
        "X-RateLimit-Bucket",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "Date",
        "ETag",
      ])
        assert.ok(message.rawHeaders.includes(name), name);
      assert.equal(message.statusCode, 200);
    }));

  test("runs commands with their text in UTF-8", () =>
    withServer({}, async ({ command, service }) => {
      assert.equal((await command(":h schön ✓")).status, 200);
      assert.deepEqual([...service.counts.executionsByText.keys()], [":h schön ✓"]);
    }));

  test("takes the client's address from the socket, or from X-Forwarded-For when told to trust it", async () => {
    const limits = { global: { limit: 1, windowMs: 60_000 } };
    const statuses = async ({ read }: Served) => {
      const first = await read("/v1/server", { "x-forwarded-for": "10.0.0.1" });
      const second = await read("/v1/server", { "x-forwarded-for": "10.0.0.2, 10.9.9.9" });
      return [first.status, second.status];
    };
    await withServer({ limits }, async (served) => assert.deepEqual(await statuses(served), [200, 429]));
    await withServer({ limits }, async (served) => assert.deepEqual(await statuses(served), [200, 200]), {
      trustForwarded: true,
    });
  });

  test("what crossed a 429 on the way is not avoidable, what came after is", async () => {
    const limits = { global: { limit: 1, windowMs: 600_000 } };
    const send = async ({ read, service }: Served) => {
      for (let n = 0; n < 3; n += 1) await (await read()).text();
      return service.counts.avoidable;
    };
    await withServer({ limits }, async (served) => assert.equal(await send(served), 0), {
      crossingMs: 60_000,
    });
    await withServer({ limits }, async (served) => assert.equal(await send(served), 1), { crossingMs: 0 });
  });

  test("rejects when the port is taken", () =>
    withServer({}, async ({ service, url }) => {
      await assert.rejects(serve(service, { port: Number(new URL(url).port) }), { code: "EADDRINUSE" });
    }));
});

describe("faults of the transport", () => {
  test("a reset before the effect leaves none, a reset after it leaves one", () =>
    withServer({}, async ({ service, command }) => {
      service.faults.next({ resetBefore: 1 });
      await assert.rejects(command(":h before"));
      service.faults.next({ resetAfter: 1 });
      await assert.rejects(command(":h after"));
      assert.deepEqual([...service.counts.executionsByText.keys()], [":h after"]);
    }));

  test("a truncated body breaks off, though its whole length was declared", () =>
    withServer({}, async ({ service, read }) => {
      service.faults.next({ truncate: 1 });
      const answer = await read("/v1/server");
      assert.equal(answer.status, 200);
      await assert.rejects(answer.text());
    }));

  test("a slow body comes in several pieces and is whole in the end", () =>
    withServer({}, async ({ service, read }) => {
      const whole = await (await read("/v1/server")).text();
      service.faults.next({ slowBody: 1, slowBodyMs: 80 });
      const answer = await read("/v1/server");
      const pieces: string[] = [];
      const decoder = new TextDecoder();
      for await (const piece of answer.body ?? []) pieces.push(decoder.decode(piece, { stream: true }));
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(""), whole);
    }));

  test("a delayed request is overtaken by a later one, before it has its effect", () =>
    withServer({}, async ({ service, command }) => {
      service.faults.next({ delayMs: 60, jitterMs: 5 });
      await Promise.all([command(":h first"), command(":h second")]);
      assert.equal(service.counts.executions.length, 2);
      const [early] = service.counts.executions;
      const delayedLast = service.counts.executions.at(-1);
      assert.notEqual(early?.text, delayedLast?.text);
      assert.ok(Number(delayedLast?.atMs) > Number(early?.atMs));
    }));

  test("a late 200 had its effect first and is read after a newer 429", () =>
    withServer({ limits: { command: { limit: 1, windowMs: 60_000 } } }, async ({ service, command }) => {
      service.faults.next({ late: 1, lateMs: 1_000 });
      const order: number[] = [];
      const note = (answer: Response) => order.push(answer.status);
      const first = command(":h first").then(note);
      while (service.counts.executions.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await command(":h second").then(note);
      await first;
      assert.deepEqual(order, [429, 200]);
    }));

  test("a silent service never answers; close ends the connection", async () => {
    let outcome = "pending";
    let silent: Promise<void> = Promise.resolve();
    await withServer({}, async ({ service, command, read }) => {
      service.faults.next({ silent: 1, only: "commands" });
      silent = command(":h x").then(
        () => {
          outcome = "answered";
        },
        () => {
          outcome = "closed";
        },
      );
      await read("/v1/server");
      await read("/v1/server");
      assert.deepEqual([outcome, service.counts.executions.length], ["pending", 0]);
    });
    await silent;
    assert.equal(outcome, "closed");
  });
});
