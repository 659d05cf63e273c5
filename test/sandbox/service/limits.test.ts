import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyOf, KEY, makeRig } from "../../support/service-rig.ts";

const headersOf = (answer: { headers: Readonly<Record<string, string>> }) =>
  ["bucket", "limit", "remaining", "reset"].map((name) => answer.headers[`x-ratelimit-${name}`]);

for (const strictSpec of [true, false]) {
  const general = strictSpec ? "global" : "unauthenticated-global";

  describe(`spec, Limits (${strictSpec ? "strict" : "facts"})`, () => {
    test("1: an address is limited over all routes and keys; another address has its own counter", () => {
      const rig = makeRig({
        strictSpec,
        keys: [KEY, "Other-Key"],
        limits: { global: { limit: 2, windowMs: 1_000 } },
      });
      assert.equal(rig.get("/v1/server").status, 200);
      assert.equal(rig.get("/v2/server", { key: "Other-Key" }).status, 200);
      assert.equal(rig.command(":h x").status, 429);
      assert.equal(rig.get("/v2/server", { address: "10.0.0.2" }).status, 200);
      rig.clock.ms += 1_000;
      assert.equal(rig.get().status, 200);
    });

    test("1: the number may vary per server: that server has a counter of its own", () => {
      const rig = makeRig({
        strictSpec,
        keys: [KEY, "Other-Key"],
        limits: {
          global: { limit: 5, windowMs: 1_000 },
          perServer: { "Other-Key": { limit: 1, windowMs: 2_000 } },
        },
      });
      assert.equal(rig.get("/v2/server", { key: "Other-Key" }).headers["x-ratelimit-limit"], "1");
      assert.equal(rig.get("/v2/server", { key: "Other-Key" }).status, 429);
      const mine = rig.get();
      assert.deepEqual([mine.status, mine.headers["x-ratelimit-remaining"]], [200, "4"]);
    });

    test("2: a route with a tighter limit shows a bucket other than the general one", () => {
      const rig = makeRig({ strictSpec });
      assert.equal(rig.get().headers["x-ratelimit-bucket"], general);
      assert.notEqual(rig.command(":h x").headers["x-ratelimit-bucket"], general);
    });

    test("3: a server takes 1 command per 5 s, in a bucket named command-<server_key>, from whatever address", () => {
      const rig = makeRig({ strictSpec, limits: { command: { limit: 1, windowMs: 5_000 } } });
      const first = rig.command(":h one");
      assert.deepEqual(headersOf(first), [
        `command-${KEY}`,
        "1",
        "0",
        String((rig.clock.ms + 5_000) / 1_000),
      ]);
      rig.clock.ms += 4_999;
      assert.equal(rig.command(":h two", { address: "10.0.0.2" }).status, 429);
      assert.equal(rig.get().status, 200, "reads do not spend from it");
      rig.clock.ms += 1;
      assert.equal(rig.command(":h three").status, 200);
      assert.deepEqual([...rig.service.counts.executionsByText.keys()], [":h one", ":h three"]);
    });

    test("3: a command spends from the general limit too", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 2, windowMs: 1_000 } } });
      rig.command(":h x");
      assert.equal(rig.get().headers["x-ratelimit-remaining"], "0");
    });

    test("4: the four headers are on every standard answer, good or bad, and count down", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 10, windowMs: 4_000 } } });
      const reset = String((rig.clock.ms + 4_000) / 1_000);
      assert.deepEqual(headersOf(rig.get("/v1/server")), [general, "10", "9", reset]);
      rig.clock.ms += 1_500;
      assert.deepEqual(headersOf(rig.get("/v2/server")), [general, "10", "8", reset]);
      assert.deepEqual(headersOf(rig.get("/nowhere")), [general, "10", "7", reset]);
      assert.deepEqual(headersOf(rig.get("/v2/server", { key: "Wrong-Key" })), [general, "10", "6", reset]);
    });

    test("4: the reset is in whole epoch seconds; it may be stated late or early", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 1_300 } } });
      assert.equal(rig.get().headers["x-ratelimit-reset"], String(rig.clock.ms / 1_000 + 2));
      rig.service.limits.resetRounding = "floor";
      rig.clock.ms += 5_000;
      assert.equal(rig.get().headers["x-ratelimit-reset"], String(rig.clock.ms / 1_000 + 1));
    });

    test("windows open with their first request, or on the clock", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 10_000 }, align: "clock" } });
      rig.clock.ms = Math.ceil(rig.clock.ms / 10_000) * 10_000 + 9_000;
      rig.get();
      assert.equal(rig.get().status, 429);
      rig.clock.ms += 1_000;
      assert.equal(rig.get().status, 200);
    });

    test("limits and windows may change while it runs", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 1_000 } } });
      rig.get();
      rig.service.limits.global.limit = 3;
      assert.deepEqual(headersOf(rig.get()).slice(1, 3), ["3", "1"]);
    });

    test("5: a request inside a stated wait is counted as avoidable, on any route of that identity, to the millisecond", () => {
      const rig = makeRig({ strictSpec, limits: { command: { limit: 1, windowMs: 5_000 } } });
      const { counts } = rig.service;
      rig.command(":h x");
      rig.command(":h y");
      assert.equal(counts.avoidable, 0, "the 429 itself could not be known");
      rig.get();
      assert.equal(counts.avoidable, 1);
      rig.get("/v2/server", { address: "10.0.0.2" });
      rig.clock.ms += 4_999;
      rig.get();
      assert.deepEqual([counts.avoidable, counts.avoidableByIdentity.get("127.0.0.1")], [2, 2]);
      rig.clock.ms += 1;
      rig.get();
      assert.equal(counts.avoidable, 2);
    });

    test("5: what was sent before the 429 could be read is not avoidable", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 60_000 } } });
      const sentAtMs = rig.clock.ms;
      rig.clock.ms += 20;
      const readableAtMs = rig.clock.ms + 20;
      for (let n = 0; n < 5; n += 1) rig.get("/v2/server", { sentAtMs, readableAtMs });
      assert.deepEqual([rig.service.counts.answers429, rig.service.counts.avoidable], [4, 0]);
      rig.clock.ms += 40;
      rig.get("/v2/server", { sentAtMs: readableAtMs });
      assert.equal(rig.service.counts.avoidable, 1);
    });

    test("6: going on after 429 brings the invalid-request block, for hours; waiting never does", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 1_000 }, blockAfter: 3 } });
      const { counts } = rig.service;
      for (let n = 0; n < 20; n += 1) {
        rig.get();
        const refused = rig.get();
        rig.clock.ms += Number(refused.headers["retry-after"]) * 1_000;
      }
      assert.deepEqual([counts.blocks, counts.avoidable], [0, 0]);
      for (let n = 0; n < 5; n += 1) rig.get();
      assert.equal(counts.blocks, 1);
      rig.clock.ms += 3 * 3_600_000;
      assert.equal(rig.get().status, 429);
      rig.clock.ms += 3_600_000;
      assert.equal(rig.get().status, 200);
    });
  });

  describe(`spec, Errors (${strictSpec ? "strict" : "facts"})`, () => {
    test("1: a 429 carries Retry-After in seconds and retry_after in the body, enough to wait for", () => {
      const rig = makeRig({ strictSpec, limits: { global: { limit: 1, windowMs: 2_750 } } });
      rig.get();
      rig.clock.ms += 513;
      const answer = rig.get();
      const header = Number(answer.headers["retry-after"]);
      assert.equal(answer.status, 429);
      assert.equal(bodyOf(answer).retry_after, header);
      assert.equal(header, strictSpec ? 3 : 2.237);
      rig.clock.ms += header * 1_000;
      assert.equal(rig.get().status, 200);
    });

    test("2: under the block every request is 429, whatever the route and key, with words and the time it lifts", () => {
      const rig = makeRig({ strictSpec, limits: { blockMs: 7_200_000 } });
      rig.service.blocks.block({ address: "127.0.0.1", application: undefined }, rig.clock.ms);
      const lifts = new Date(rig.clock.ms + 7_200_000).toISOString();
      for (const answer of [
        rig.get(),
        rig.get("/nowhere"),
        rig.command(":h x"),
        rig.get("/v1/server", { key: "Bad-Key" }),
      ]) {
        assert.equal(answer.status, 429);
        assert.match(String(bodyOf(answer).message), /blocked because of too many invalid requests/);
        assert.ok(String(bodyOf(answer).message).includes(lifts));
        assert.deepEqual([bodyOf(answer).retry_after, answer.headers["retry-after"]], [7_200, "7200"]);
      }
      assert.equal(rig.service.counts.executions.length, 0);
      assert.equal(rig.get("/v2/server", { address: "10.0.0.2" }).status, 200);
      rig.clock.ms += 7_200_000;
      assert.equal(rig.get().status, 200);
    });

    test("3: going on inside the block brings the network's block page: HTML, no limit headers, until it ends", () => {
      const rig = makeRig({ strictSpec, limits: { pageAfter: 3, pageMs: 60_000 } });
      rig.service.blocks.block({ address: "127.0.0.1", application: undefined }, rig.clock.ms, 30_000);
      assert.deepEqual(
        [rig.get(), rig.get(), rig.get()].map((answer) => answer.status),
        [429, 429, 429],
      );
      const answer = rig.get();
      assert.equal(answer.status, 403);
      assert.match(answer.body, /^<!DOCTYPE html>/);
      assert.equal(answer.headers["x-ratelimit-bucket"], undefined);
      assert.equal(rig.service.counts.pages, 1);
      rig.clock.ms += 60_000;
      assert.equal(rig.get().status, 200);
    });

    test("3: the block page may be JSON of the network's, which is no error of the service", () => {
      const rig = makeRig({ strictSpec, faults: { blockPage: "json" } });
      rig.service.blocks.showPage("127.0.0.1", rig.clock.ms);
      const answer = rig.get();
      assert.equal(answer.status, 403);
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
      const { code, message, status } = bodyOf(answer);
      assert.deepEqual([code, message, status], [undefined, undefined, 403]);
    });

    test("every error of the table is JSON with a message", () => {
      const rig = makeRig({ strictSpec });
      for (const answer of [rig.post("{}"), rig.get("/v2/server", { key: "Wrong-Key" }), rig.get("/nowhere")])
        assert.equal(typeof bodyOf(answer).message, "string");
    });
  });
}

describe("spec, Errors: gaps (strict)", () => {
  test("no error body has a machine-readable code, which the specification does not show", () => {
    const rig = makeRig({ strictSpec: true, limits: { command: { limit: 1, windowMs: 5_000 } } });
    const answers = [rig.post("{}"), rig.command(":h x"), rig.get("/v2/server", { key: "Wrong-Key" })];
    assert.deepEqual(
      answers.map((answer) => [answer.status, "code" in bodyOf(answer)]),
      [
        [400, false],
        [429, false],
        [403, false],
      ],
    );
  });
});

describe("bucket names (facts)", () => {
  test("with a global key: public-app-get for reads, command-<global>-<server_key> for commands", () => {
    const rig = makeRig({ globalKeys: ["app"] });
    const authorization = "app";
    assert.equal(rig.get("/v1/server", { authorization }).headers["x-ratelimit-bucket"], "public-app-get");
    assert.equal(rig.command(":h x", { authorization }).headers["x-ratelimit-bucket"], `command-app-${KEY}`);
  });

  test("the application and the address alone are two identities: a wait that one was given does not bind the other", () => {
    const rig = makeRig({ globalKeys: ["app"], limits: { global: { limit: 1, windowMs: 9_000 } } });
    rig.get();
    rig.get();
    rig.get("/v2/server", { authorization: "Bearer app" });
    assert.equal(rig.service.counts.avoidable, 0);
  });
});
