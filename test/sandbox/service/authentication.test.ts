import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyOf, KEY, makeRig } from "../../support/service-rig.ts";

for (const strictSpec of [true, false]) {
  describe(`spec, Authentication (${strictSpec ? "strict" : "facts"})`, () => {
    test("1: server-key is required on every request", () => {
      const { get, command } = makeRig({ strictSpec });
      for (const answer of [
        get("/v1/server", { key: null }),
        get("/v2/server", { key: null }),
        command(":h x", { key: null }),
      ])
        assert.equal(answer.status, 403);
    });

    test("1: the header's name is read without regard to case", () => {
      const { service } = makeRig({ strictSpec });
      const answer = service.handle({ method: "GET", path: "/v1/server", headers: { "Server-Key": KEY } });
      assert.equal(answer.status, 200);
    });

    test("1: a key names one server", () => {
      const rig = makeRig({
        strictSpec,
        keys: [KEY, "Other-Key"],
        towns: { "Other-Key": { info: { name: "Elsewhere" } } },
      });
      assert.equal(bodyOf(rig.get("/v1/server", { key: "Other-Key" })).Name, "Elsewhere");
      assert.notEqual(bodyOf(rig.get("/v1/server")).Name, "Elsewhere");
    });

    test("3: Authorization is optional and, when it holds an issued key, identifies the application for limits", () => {
      const limits = { global: { limit: 1, windowMs: 1_000 }, application: { limit: 3, windowMs: 1_000 } };
      const { get } = makeRig({ strictSpec, globalKeys: ["app-key"], limits });
      assert.equal(get().headers["x-ratelimit-limit"], "1");
      const app = get("/v2/server", { authorization: "app-key" });
      assert.deepEqual([app.status, app.headers["x-ratelimit-limit"]], [200, "3"]);
      assert.equal(get().status, 429, "without it the address has its own, spent, counter");
      assert.equal(get("/v2/server", { authorization: "app-key" }).status, 200);
    });

    test("4: a regenerated key yields 403 and the new one works on the same server", () => {
      const { service, get, command } = makeRig({ strictSpec });
      const before = bodyOf(get("/v1/server"));
      const fresh = service.regenerateKey(KEY);
      assert.equal(get().status, 403);
      assert.equal(command(":h x").status, 403);
      assert.deepEqual(bodyOf(get("/v1/server", { key: fresh })), before);
    });

    test("5: repeated invalid keys ban the address, on every key, until the ban ends", () => {
      const rig = makeRig({ strictSpec, limits: { banAfter: 3, banMs: 60_000 } });
      for (const key of ["Wrong-One", "Wrong-Two", "Wrong-One"])
        assert.equal(rig.get("/v2/server", { key }).status, 403);
      const banned = rig.get();
      assert.equal(banned.status, 403);
      assert.match(banned.headers["content-type"] ?? "", /text\/html/);
      assert.equal(
        rig.get("/v2/server", { address: "10.0.0.2" }).status,
        200,
        "another address is not banned",
      );
      assert.deepEqual([rig.service.counts.bans, rig.service.counts.pageAnswers], [1, 1]);
      rig.clock.ms += 60_000;
      assert.equal(rig.get().status, 200);
    });

    test("5: a few invalid keys over a long time ban nobody, and neither do missing keys or refused commands", () => {
      const rig = makeRig({ strictSpec, limits: { banAfter: 3, badKeyWindowMs: 10_000 } });
      rig.service.keyBook.setCommandsAllowed(KEY, false);
      for (let round = 0; round < 6; round += 1) {
        rig.get("/v2/server", { key: "Wrong-One" });
        rig.get("/v2/server", { key: null });
        rig.command(":h x");
        rig.clock.ms += 5_000;
      }
      assert.equal(rig.service.counts.bans, 0);
    });
  });
}

describe("the codes of a 403 (facts)", () => {
  const code = (answer: { status: number; body: string }) => [
    answer.status,
    bodyOf({ ...answer, headers: {} }).code,
  ];

  test("2000 without a key, 2001 for a malformed one, 2002 for an unknown or regenerated one", () => {
    const { service, get } = makeRig();
    assert.deepEqual(code(get("/v2/server", { key: null })), [403, 2000]);
    assert.deepEqual(code(get("/v2/server", { key: "with spaces in it" })), [403, 2001]);
    assert.deepEqual(code(get("/v2/server", { key: "Well-Formed" })), [403, 2002]);
    service.regenerateKey(KEY);
    assert.deepEqual(code(get()), [403, 2002]);
  });

  test("2003 for an unknown global key, which says nothing against the server key", () => {
    const { service, get } = makeRig({ globalKeys: ["app-key"] });
    assert.deepEqual(code(get("/v2/server", { authorization: "other" })), [403, 2003]);
    assert.equal(service.counts.badKeyRequests.size, 0);
  });

  test("2004 for a banned key", () => {
    const { service, get, command } = makeRig();
    service.keyBook.setBanned(KEY, true);
    assert.deepEqual(code(get()), [403, 2004]);
    assert.deepEqual(code(command(":h x")), [403, 2004]);
    service.keyBook.setBanned(KEY, false);
    assert.equal(get().status, 200);
  });

  test("a new key keeps the second part and changes the first; a key without parts gets some", () => {
    const { service } = makeRig({ keys: [KEY, "single"] });
    const fresh = service.regenerateKey(KEY);
    assert.match(fresh, /^[A-Za-z]+-SecondPart$/);
    assert.notEqual(fresh, KEY);
    assert.match(service.regenerateKey("single"), /^[A-Za-z]{8}-single$/);
    assert.throws(() => service.regenerateKey(KEY), /no town has this key/);
  });
});
