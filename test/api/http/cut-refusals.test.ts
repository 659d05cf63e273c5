import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type Service as Client, createServiceClient } from "../../../src/api/client.ts";
import type { WireAnswer, WireHead } from "../../../src/api/http/classify.ts";
import type { Transport, WireRequest } from "../../../src/api/http/transport.ts";
import { systemClock, systemRandom } from "../../../src/clock.ts";
import type { Clock } from "../../../src/domain/ports/clock.ts";
import { clientDocuments } from "../../support/client-documents.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { isFailure } from "../../support/failures.ts";
import { eventList, FakeKeyRing, FakeMetrics } from "../../support/network.ts";

const BROKEN = new Error("the connection broke");

const common = { random: systemRandom, metrics: new FakeMetrics(), onEvent: () => {} };

function read(client: Client, ring: FakeKeyRing, key: string) {
  return client.read(ring.add(key), [], { priority: "person" });
}

test("a 429 whose body breaks off halts everything for the wait that its header names", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers["server-key"]);
    response.writeHead(429, {
      "content-type": "application/json",
      "content-length": 100,
      "retry-after": "600",
    });
    response.write('{"message":', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ring = new FakeKeyRing();
  const client = createServiceClient({
    ...common,
    ...clientDocuments(),
    serviceUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: ring,
    clock: systemClock,
  });
  await assert.rejects(read(client, ring, "a"), isFailure("rate-limited"));
  await assert.rejects(read(client, ring, "b"), isFailure("rate-limited"));
  assert.deepEqual(asked, ["a"]);
  assert.ok((client.halt()?.untilMs ?? 0) > Date.now() + 590_000);
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

/** One answer: what has been read of it at once, and how it goes on. */
interface Script {
  readonly head: WireHead;
  readonly rest: Promise<string>;
}

/** A client on a virtual clock whose requests are answered by `answer`. */
function scripted(answer: (key: string, nowS: number) => Script) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const transport: Transport = async (request: WireRequest): Promise<WireAnswer> => {
    const key = String(request.headers["server-key"]);
    request.onStart();
    asked.push(key);
    const { head, rest } = answer(key, Math.floor(clock.nowMs() / 1_000));
    request.onHead?.(head);
    return { ...head, body: await rest };
  };
  const ring = new FakeKeyRing();
  const { events, take } = eventList();
  const client = createServiceClient({
    ...common,
    ...clientDocuments(),
    serviceUrl: "http://service.invalid",
    keys: ring,
    clock: clock satisfies Clock,
    random: seededRandom(1),
    onEvent: take,
    transport,
  });
  return { client, ring, clock, asked, events };
}

function rejected(asked: Promise<unknown>, code: string): Promise<void> {
  return assert.rejects(asked, isFailure(code));
}

/** Turns the clock until `work` has settled, at most a minute. */
async function within<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => {
    isDone = true;
  });
  settled.catch(() => {});
  await clock.until(() => isDone, 60_000);
  return settled;
}

function taken(nowS: number): Script {
  const headers = {
    "x-ratelimit-bucket": "global",
    "x-ratelimit-limit": "30",
    "x-ratelimit-remaining": "29",
    "x-ratelimit-reset": String(nowS + 10),
  };
  return { head: { status: 200, headers }, rest: Promise.resolve('{"Name":"x"}') };
}

function refused(status: number, rest: Promise<string>, retryAfterS = 1): Script {
  return {
    head: { status, headers: { "content-type": "application/json", "retry-after": String(retryAfterS) } },
    rest,
  };
}

test("nothing is written while the body of a 429 is still coming, which may name a longer wait", async () => {
  const body = Promise.withResolvers<string>();
  const { client, ring, clock, asked } = scripted((key, nowS) =>
    key === "limited" ? refused(429, body.promise) : taken(nowS),
  );
  await within(clock, read(client, ring, "good"));
  const limited = rejected(read(client, ring, "limited"), "rate-limited");
  await clock.advance(100);
  const other = rejected(read(client, ring, "other"), "rate-limited");
  await clock.advance(3_000);
  assert.deepEqual(asked, ["good", "limited"]);
  body.resolve('{"retry_after":600}');
  await within(clock, limited);
  await within(clock, other);
  await clock.advance(500_000);
  assert.deepEqual(asked, ["good", "limited"]);
});

test("a 429 whose body never comes halts when the time for the whole exchange is over", async () => {
  const { client, ring, clock, asked } = scripted((key, nowS) =>
    key === "limited" ? refused(429, new Promise(() => {}), 30) : taken(nowS),
  );
  await within(clock, read(client, ring, "good"));
  const limited = rejected(read(client, ring, "limited"), "rate-limited");
  await within(clock, limited);
  assert.deepEqual(asked, ["good", "limited"]);
  await clock.advance(29_000);
  assert.deepEqual(asked, ["good", "limited"]);
  await clock.advance(2_000);
  assert.deepEqual(asked, ["good", "limited", "good"], "one probe after the time that the header named");
});

test("a key is doubted after a 403 whose body breaks off, and parked after two", async () => {
  const { client, ring, clock, asked, events } = scripted((key, nowS) =>
    key === "bad" ? refused(403, Promise.reject(BROKEN)) : taken(nowS),
  );
  await within(clock, read(client, ring, "good"));
  await within(clock, rejected(read(client, ring, "bad"), "key-rejected"));
  await clock.advance(60_000);
  await within(clock, read(client, ring, "good"));
  await within(clock, rejected(read(client, ring, "bad"), "key-rejected"));
  assert.equal(asked.filter((key) => key === "bad").length, 2);
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["key-parked"],
  );
});

test("a request that got an interim answer and no other was not answered: its key may have been refused", async () => {
  const rest = Promise.reject(BROKEN);
  rest.catch(() => {});
  const { client, ring, clock, asked } = scripted(() => ({ head: { status: 103, headers: {} }, rest }));
  for (let n = 0; n < 30; n += 1) {
    const failed = read(client, ring, `key${n}`).then(
      () => assert.fail("nothing was answered"),
      () => {},
    );
    await within(clock, failed);
    await clock.advance(30_000);
  }
  assert.ok(
    new Set(asked).size <= client.badKeys().most,
    `${new Set(asked).size} keys in a quarter of an hour`,
  );
});
