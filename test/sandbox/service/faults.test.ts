import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ALL_LISTS, bodyOf, KEY, makeRig, rowsOf } from "../../support/service-rig.ts";

describe("faults of the answers", () => {
  test("HTML instead of the answer, with any status, without effect", () => {
    const { service, command, get } = makeRig({ faults: { html: 1, htmlStatus: 503 } });
    const answer = command(":h x");
    assert.deepEqual([answer.status, answer.body.startsWith("<!DOCTYPE html>")], [503, true]);
    assert.equal(service.counts.executions.length, 0);
    service.faults.clear();
    assert.equal(get().status, 200);
  });

  test("no rate-limit headers", () => {
    const { get, command } = makeRig({
      faults: { noRateLimitHeaders: 1 },
      limits: { command: { limit: 1, windowMs: 5_000 } },
    });
    for (const answer of [get(), command(":h x"), command(":h x")])
      assert.deepEqual(
        Object.keys(answer.headers).filter((name) => name.startsWith("x-ratelimit")),
        [],
      );
  });

  test("a 429 out of nowhere tells its wait in each style, and binds", () => {
    for (const [retryAfter, header, body] of [
      ["both", "7.5", 7.5],
      ["header", "7.5", undefined],
      ["twice", "7.5, 1", undefined],
      ["body", undefined, 7.5],
      ["none", undefined, undefined],
      ["zero", "0", 0],
      ["garbage", "a while", "soon"],
    ] as const) {
      const { get, service, clock } = makeRig();
      service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 7_500, retryAfter });
      const answer = get();
      assert.deepEqual(
        [answer.status, answer.headers["retry-after"], bodyOf(answer).retry_after],
        [429, header, body],
      );
      clock.ms += 7_499;
      get();
      clock.ms += 1;
      get();
      assert.equal(service.counts.avoidable, 1, retryAfter);
    }
  });

  test("waits with fractions nowhere, in the body only, or in both places; the longer one binds", () => {
    for (const [fractions, header, body] of [
      ["none", "3", 3],
      ["body", "3", 2.2],
      ["both", "2.2", 2.2],
    ] as const) {
      const { get, service, clock } = makeRig({ limits: { fractions } });
      service.faults.next({ tooMany: 1, tooManyRetryAfterMs: 2_200 });
      const answer = get();
      assert.deepEqual([answer.headers["retry-after"], bodyOf(answer).retry_after], [header, body]);
      clock.ms += Number(header) * 1_000 - 1;
      get();
      assert.equal(service.counts.avoidable, 1);
    }
  });

  test("an old snapshot is served again, for the same path only", () => {
    const { service, get, clock } = makeRig({ town: { intensity: 0 } });
    const town = service.town(KEY);
    const old = get("/v2/server?JoinLogs=true").body;
    clock.ms += 5_000;
    town.join("Newcomer", 11);
    service.faults.next({ stale: 1 }, 2);
    assert.equal(get("/v2/server?JoinLogs=true").body, old);
    assert.match(get("/v2/server?JoinLogs=true&Queue=true").body, /Newcomer/);
    assert.match(get("/v2/server?JoinLogs=true").body, /Newcomer/);
  });

  test("logs newest first, oldest first or shuffled, always the same rows", () => {
    const { service, get, clock } = makeRig({ town: { intensity: "busy" } });
    clock.ms += 900_000;
    const read = (logOrder: "newest" | "oldest" | "shuffled") => {
      service.faults.set({ logOrder });
      return rowsOf(bodyOf(get("/v2/server?JoinLogs=true")), "JoinLogs");
    };
    const oldest = read("oldest");
    const times = oldest.map((row) => Number(row.Timestamp));
    assert.ok(times.length > 30);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.deepEqual(read("newest"), oldest.toReversed());
    const shuffled = read("shuffled");
    assert.notDeepEqual(shuffled, oldest);
    const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(shuffled), sorted(oldest));
  });

  test("timestamps in milliseconds", () => {
    const { get, clock, service } = makeRig({ faults: { milliseconds: true } });
    service.town(KEY).emergencyCall();
    const body = bodyOf(get(ALL_LISTS));
    assert.equal(rowsOf(body, "JoinLogs")[0]?.Timestamp, clock.ms);
    assert.equal(rowsOf(body, "EmergencyCalls")[0]?.StartedAt, clock.ms);
  });

  test("rows whose second lies in the far future, the same ones at each look", () => {
    const { get, clock } = makeRig({ faults: { farFuture: 0.3 } });
    const times = () =>
      rowsOf(bodyOf(get("/v2/server?JoinLogs=true")), "JoinLogs").map((row) => row.Timestamp);
    clock.ms += 1_800_000;
    const seen = times();
    const far = seen.filter((time) => time === 4_000_000_000);
    assert.ok(far.length > 0 && far.length < seen.length, `${far.length} of ${seen.length} rows`);
    assert.deepEqual(times(), seen);
  });

  test("Moderator absent, null or the call hidden until it is answered", () => {
    const { service, get } = makeRig({ town: { intensity: 0 } });
    const call = service.town(KEY).modCall();
    const read = (moderator: "absent" | "null" | "hidden") => {
      service.faults.set({ moderator });
      return rowsOf(bodyOf(get("/v2/server?ModCalls=true")), "ModCalls");
    };
    const bare = { Caller: call.caller, Timestamp: call.atS };
    assert.deepEqual(read("absent"), [bare]);
    assert.deepEqual(read("null"), [{ ...bare, Moderator: null }]);
    assert.deepEqual(read("hidden"), []);
  });

  test("unknown fields in the answer and in each row, unknown values of the enumerations", () => {
    const { get } = makeRig({ faults: { unknownFields: true, unknownValues: true } });
    const body = bodyOf(get(ALL_LISTS));
    assert.ok("Region" in body);
    assert.equal(body.AccVerifiedReq, "Passkey");
    for (const row of rowsOf(body, "Players")) {
      assert.deepEqual([row.Team, row.Permission], ["Ranger", "Server Overseer"]);
      assert.ok("Extra" in row);
    }
  });

  test("rows without one of their fields", () => {
    const { get } = makeRig({ faults: { missingField: 0.5 } });
    const sizes = rowsOf(bodyOf(get("/v2/server?JoinLogs=true")), "JoinLogs").map(
      (row) => Object.keys(row).length,
    );
    assert.deepEqual(new Set(sizes), new Set([2, 3]));
  });

  test("error bodies in each known envelope, retry_after included", () => {
    const { service, get } = makeRig();
    const read = (
      envelope:
        | "code-message"
        | "message"
        | "message-commandid"
        | "error-code"
        | "error-only"
        | "html"
        | "empty",
    ) => {
      service.faults.set({ envelope });
      return get("/v2/server", { key: "Wrong-Key" });
    };
    assert.deepEqual(Object.keys(bodyOf(read("code-message"))), ["code", "message"]);
    assert.deepEqual(Object.keys(bodyOf(read("message"))), ["message"]);
    assert.deepEqual(Object.keys(bodyOf(read("message-commandid"))), ["message", "commandId"]);
    assert.deepEqual(bodyOf(read("error-code")), {
      error: "You provided an invalid or expired server-key.",
      code: 2002,
    });
    assert.deepEqual(bodyOf(read("error-only")), { error: "You provided an invalid or expired server-key." });
    assert.match(read("html").headers["content-type"] ?? "", /text\/html/);
    assert.deepEqual([read("empty").status, read("empty").body], [403, ""]);
    service.faults.set({ envelope: "error-code", tooMany: 1, tooManyRetryAfterMs: 2_000 });
    assert.deepEqual(Object.keys(bodyOf(get())), ["error", "code", "retry_after"]);
  });

  test("any code of the public list instead of the answer, with its status; on commands without effect", () => {
    const { service, command, get } = makeRig();
    for (const [code, status] of [
      [0, 500],
      [1001, 500],
      [1002, 500],
      [4000, 403],
      [9998, 403],
      [9999, 500],
    ] as const) {
      service.faults.set({ code, codeChance: 1 });
      assert.deepEqual(
        [command(":h x").status, bodyOf(command(":h x")).code, get().status],
        [status, code, status],
      );
    }
    assert.equal(service.counts.executions.length, 0);
  });
});

describe("the fault plan", () => {
  test("touches only the reads, only the commands, or only some keys", () => {
    const { service, get, command } = makeRig({
      keys: [KEY, "Other-Key"],
      faults: { html: 1, only: "reads" },
    });
    assert.deepEqual([get().status, command(":h x").status], [502, 200]);
    service.faults.set({ only: "commands" });
    assert.deepEqual([get().status, command(":h x").status], [200, 502]);
    service.faults.set({ only: "all", onlyKeys: ["Other-Key"] });
    assert.deepEqual([get().status, get("/v2/server", { key: "Other-Key" }).status], [200, 502]);
  });

  test("`next` meets the next requests in its scope, once each, on top of what is set", () => {
    const { service, get, command } = makeRig();
    service.faults.next({ html: 1, only: "commands" });
    service.faults.next({ code: 9998, codeChance: 1, only: "reads" }, 2);
    assert.deepEqual([get().status, get().status, get().status], [403, 403, 200]);
    assert.deepEqual([command(":h x").status, command(":h x").status], [502, 200]);
  });

  test("`clear` goes back to the mode's own shape", () => {
    const { service } = makeRig({ strictSpec: true, faults: { emptyMapAsArray: true, delayMs: 5 } });
    service.faults.clear();
    assert.deepEqual([service.faults.settings.emptyMapAsArray, service.faults.settings.delayMs], [false, 0]);
  });

  test("meets the same requests alike under the same seed, otherwise under another", () => {
    const run = (seed: number) => {
      const { get } = makeRig({ seed, faults: { html: 0.5 } });
      return Array.from({ length: 64 }, () => get().status).join();
    };
    assert.equal(run(3), run(3));
    assert.notEqual(run(3), run(4));
  });

  test("does not change what happens in the town", () => {
    const run = (faults: object) => {
      const rig = makeRig({ town: { intensity: "busy" }, faults });
      for (let n = 0; n < 20; n += 1) {
        rig.clock.ms += 30_000;
        rig.get(ALL_LISTS);
      }
      return rig.service.town(KEY).record;
    };
    assert.deepEqual(run({ missingField: 0.5, logOrder: "shuffled", stale: 0.5, html: 0.2 }), run({}));
  });
});

describe("counts", () => {
  test("requests by key and status, bad keys by key and address, executions by text and id", () => {
    const { service, get, command } = makeRig();
    get();
    get("/v2/server", { key: "Bad-Key" });
    get("/v2/server", { key: "Bad-Key", address: "10.0.0.2" });
    command(":h twice");
    command(":h twice");
    const { counts } = service;
    assert.deepEqual([counts.requests, counts.commands], [5, 2]);
    assert.deepEqual(
      [...counts.byKey],
      [
        [KEY, 3],
        ["Bad-Key", 2],
      ],
    );
    assert.deepEqual(
      [...counts.byStatus],
      [
        [200, 3],
        [403, 2],
      ],
    );
    assert.deepEqual([...counts.badKeyRequests], [["Bad-Key", 2]]);
    assert.deepEqual(
      [...counts.badKeyByAddress],
      [
        ["127.0.0.1", 1],
        ["10.0.0.2", 1],
      ],
    );
    assert.deepEqual([...counts.executionsByText], [[":h twice", 2]]);
    assert.deepEqual([...counts.executionsById.values()], [1, 1]);
  });

  test("reset forgets everything", () => {
    const { service, get, command } = makeRig({ limits: { command: { limit: 1, windowMs: 5_000 } } });
    command(":h x");
    command(":h x");
    get("/v2/server", { key: "Bad-Key" });
    service.counts.reset();
    assert.deepEqual({ ...service.counts }, { ...makeRig().service.counts });
  });

  test("forgive lifts blocks, pages, bans and waits", () => {
    const { service, get, clock } = makeRig({ limits: { global: { limit: 1, windowMs: 60_000 } } });
    get();
    get();
    service.blocks.showPage("127.0.0.1", clock.ms);
    service.forgive();
    assert.equal(get().status, 200);
    assert.equal(service.counts.avoidable, 0);
  });
});

describe("what a client must not misread", () => {
  test("an error with a status that its code does not usually have", () => {
    const { get, service } = makeRig();
    service.faults.next({ code: 2001, codeChance: 1, codeStatus: 400 });
    const answer = get();
    assert.deepEqual([answer.status, bodyOf(answer).code], [400, 2001]);
    service.faults.next({ code: 4444, codeChance: 1, codeStatus: 403 });
    assert.equal(get().status, 403);
    assert.equal(service.counts.badKeyRequests.size, 0, "the key is good all the while");
  });

  test("a command that ran and was given up on the way, with any status", () => {
    for (const status of [408, 409, 499]) {
      const faults = { commandGivenUp: 1, commandGivenUpStatus: status };
      const { command, service } = makeRig({ faults });
      service.town(KEY).join("Ann", 1);
      assert.equal(command(":h x").status, status);
      assert.equal(service.counts.executions.length, 1);
    }
  });

  test("an error with the status of a success", () => {
    const { get } = makeRig({
      faults: { envelope: "error-only", code: 1001, codeChance: 1, codeStatus: 200 },
    });
    assert.equal(get().status, 200);
    assert.deepEqual(Object.keys(bodyOf(get())), ["error"]);
  });

  test("a 503 that names a wait for its route and key, and who asks inside it", () => {
    const { get, clock, service } = makeRig();
    service.faults.next({ code: 1001, codeChance: 1, codeStatus: 503, errorRetryAfterMs: 20_000 });
    assert.equal(get("/v2/server?Players=true").headers["retry-after"], "20");
    clock.ms += 19_000;
    get("/v2/server");
    get("/v1/server");
    assert.equal(service.counts.earlyAfterError, 1);
    clock.ms += 1_000;
    get("/v2/server");
    assert.equal(service.counts.earlyAfterError, 1);
  });

  test("a redirect names another address", () => {
    const { get } = makeRig({ faults: { html: 1, htmlStatus: 308 } });
    assert.equal(get().headers.location, "https://moved.example/");
  });

  test("an answer of any length", () => {
    const { get } = makeRig({ faults: { oversize: 1, oversizeBytes: 100_000 } });
    assert.equal(get().body.length, 100_000);
  });

  test("resets that are a second off, early or late, as often as wanted", () => {
    const { get, clock } = makeRig({ limits: { resetWobble: 0.3 } });
    const off = new Map<number, number>();
    for (let n = 0; n < 2_000; n++) {
      const seconds = Number(get().headers["x-ratelimit-reset"]) - (clock.ms / 1_000 + 1);
      off.set(seconds, (off.get(seconds) ?? 0) + 1);
    }
    assert.deepEqual([...off.keys()].sort(), [-1, 0, 1]);
    for (const way of [-1, 1]) assert.ok(Math.abs((off.get(way) ?? 0) - 300) < 60, `${off.get(way)}`);
  });
});
