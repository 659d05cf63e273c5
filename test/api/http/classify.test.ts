import assert from "node:assert/strict";
import { test } from "node:test";
import { classify, type Outcome } from "../../../src/api/http/classify.ts";
import { rateHeaders, retryAfterMs } from "../../../src/api/http/headers.ts";
import { waitInWords } from "../../../src/api/http/wait-in-words.ts";
import type { Route } from "../../../src/api/limits/bucket-registry.ts";

const nowMs = Date.UTC(2026, 0, 1, 12);

function judged(status: number, body: unknown, route: Route = "command", headers = {}): Outcome {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classify({ status, headers, body: text }, { route, nowMs });
}

function told(outcome: Outcome): string {
  if (outcome.kind === "ok") return "ok";
  const { code, ran } = outcome.failure;
  if (outcome.kind === "key")
    return `key ${outcome.coded ? "coded" : "bare"}${outcome.final ? " final" : ""}`;
  return outcome.kind === "halt" ? `halt ${outcome.cause}` : `${code} ran=${ran}`;
}

test("each code means the same in every envelope, whatever the status says", () => {
  const cases: readonly [number, string][] = [
    [0, "platform ran=unknown"],
    [1001, "platform ran=unknown"],
    [1002, "platform ran=unknown"],
    [2000, "bad-response ran=no"],
    [2001, "key coded"],
    [2002, "key coded"],
    [2003, "halt global-key"],
    [2004, "key coded final"],
    [3001, "bad-command ran=no"],
    [3002, "server-empty ran=no"],
    [4000, "not-authorised ran=no"],
    [4001, "halt limit"],
    [4002, "bad-command ran=no"],
    [4003, "bad-command ran=no"],
    [9998, "not-authorised ran=no"],
    [9999, "module-outdated ran=no"],
  ];
  for (const [code, expected] of cases)
    for (const body of [
      { code, message: "m" },
      { error: "m", code },
      { error: { code, message: "m" } },
      { code: String(code), message: "m", commandId: "id" },
    ])
      assert.equal(told(judged(403, body)), expected, `${code} in ${JSON.stringify(body)}`);
});

test("without a code the status decides", () => {
  const message = "m";
  assert.equal(told(judged(400, { message })), "bad-command ran=no");
  assert.equal(told(judged(403, { message })), "key bare");
  assert.equal(told(judged(403, "")), "key bare");
  assert.equal(told(judged(422, { message, commandId: "c" })), "server-empty ran=no");
  assert.equal(told(judged(429, { message })), "halt limit");
  assert.equal(told(judged(429, "")), "halt limit");
  assert.equal(told(judged(500, { message, commandId: "c" })), "platform ran=unknown");
  assert.equal(told(judged(404, { message })), "bad-response ran=no");
  for (const status of [301, 302, 303, 307, 308])
    assert.equal(told(judged(status, { message })), "moved ran=unknown");
  assert.equal(told(judged(304, "")), "bad-response ran=unknown");
  assert.equal(told(judged(403, { message, code: 4444 })), "not-authorised ran=no");
  assert.equal(told(judged(408, { message })), "platform ran=unknown");
  assert.equal(told(judged(408, "")), "bad-response ran=unknown");
  for (const status of [409, 499, 460]) {
    assert.equal(told(judged(status, { message })), "bad-response ran=unknown");
    assert.equal(told(judged(status, { message }, "read")), "bad-response ran=no");
  }
});

test("a code of keys with another status than 403 or 401 says nothing of the key", () => {
  for (const code of [2001, 2002, 2004]) {
    assert.match(told(judged(401, { code, message: "m" }, "read")), /^key coded/);
    assert.equal(told(judged(400, { code, message: "m" })), "bad-command ran=no");
    assert.equal(told(judged(400, { code, message: "m" }, "read")), "bad-response ran=no");
  }
});

test("a 403 on a read that is not about the key refuses the reading of that server", () => {
  for (const code of [4000, 4002, 4003, 9998, 4444, 0, 1001, 2000, 3002, 9999])
    assert.equal(told(judged(403, { code, message: "m" }, "read")), "read-refused ran=no");
  for (const code of [1001, 3002, 9999])
    assert.notEqual(told(judged(500, { code, message: "m" }, "read")), "read-refused ran=no");
  const words = (message: string) => {
    const outcome = judged(403, { code: 4000, message }, "read");
    return outcome.kind === "failure" ? outcome.failure.message : outcome.kind;
  };
  assert.match(words("Ask the owner"), /\(code 4000\): Ask the owner$/);
  assert.match(words(""), /\(code 4000\)$/);
  assert.equal(told(judged(403, { code: 2002, message: "m" }, "read")), "key coded");
  assert.equal(told(judged(403, { message: "m" }, "read")), "key bare");
});

test("a read never ran anything", () => {
  assert.equal(told(judged(500, { message: "m" }, "read")), "platform ran=no");
  assert.equal(told(judged(200, '{"Name":', "read")), "bad-response ran=no");
});

test("a page that refuses us is a halt, one of a route that is not served is not, and half a document is none", () => {
  assert.equal(told(judged(403, "<!DOCTYPE html><p>blocked")), "halt page");
  assert.equal(told(judged(200, " <html>captive")), "halt page");
  assert.equal(told(judged(502, "<html>bad gateway")), "platform ran=unknown");
  assert.equal(told(judged(404, "<html>not found")), "bad-response ran=no");
  assert.equal(told(judged(408, "<html>request time-out")), "platform ran=unknown");
  assert.equal(told(judged(308, "<html>elsewhere")), "moved ran=unknown");
  assert.equal(told(judged(429, "<html>slow down")), "halt page");
  for (const text of ["Forbidden", "error code: 1020", "Access denied", '{"code":2002,"mess'])
    assert.equal(told(judged(403, text)), "halt page", text);
  assert.equal(told(judged(200, '{"message": "Succ')), "bad-response ran=unknown");
  assert.equal(told(judged(503, "busy")), "platform ran=unknown");
});

test("a 403 whose JSON says no more than its status is a refusal without a code", () => {
  for (const body of [
    '{"code":403,"message":"Unauthorized"}',
    '{"error":403}',
    "",
    "null",
    '"Unauthorized"',
    "{}",
    "[]",
  ])
    for (const route of ["read", "command"] as const)
      assert.equal(told(judged(403, body, route)), "key bare", body);
});

test("a 403 that the network in front of the service writes as JSON is its page", () => {
  const body = { title: "Error 1006: Access denied", status: 403, error_code: 1006, cloudflare_error: true };
  for (const route of ["read", "command"] as const)
    for (const status of [403, 401]) assert.equal(told(judged(status, body, route)), "halt page");
  assert.equal(told(judged(429, { ...body, retry_after: 30 })), "halt limit");
  assert.equal(told(judged(530, body)), "platform ran=unknown");
  assert.equal(told(judged(403, { ...body, cloudflare_error: false })), "key bare");
});

test("a success that carries an error is none", () => {
  const message = "m";
  for (const body of [{ error: "m" }, { error: { code: 1001, message } }, { code: 1002, message }]) {
    assert.match(told(judged(200, body)), /ran=unknown$/, JSON.stringify(body));
    assert.match(told(judged(200, body, "read")), /ran=no$/, JSON.stringify(body));
  }
  assert.equal(told(judged(200, { error: "m", code: 4001 })), "halt limit");
  for (const body of [{ message }, { message, error: null }, { message, error: "" }, { message, code: 0 }])
    assert.equal(told(judged(200, body)), "ok", JSON.stringify(body));
});

test("a 429 that cannot be read keeps what half of it says, and is no page", () => {
  const half = judged(429, '{"message":"You are blocked for 2 hours","retry_after":30.5,"comm', "read");
  assert.ok(half.kind === "halt" && half.cause === "limit" && half.saysBlocked);
  assert.equal(half.toldMs, 2 * 3_600_000);
  for (const body of ["", "slow down", '{"retry_after": 30'])
    for (const type of ["text/html", "application/json"]) {
      const outcome = judged(429, body, "read", { "content-type": type });
      if (body === "slow down" && type === "text/html") continue;
      assert.ok(outcome.kind === "halt" && outcome.cause === "limit" && !outcome.saysBlocked);
      assert.equal(outcome.failure.message, "The game service asked Marshal to wait.");
    }
});

test("the reset of a 429 is a wait where nothing else names one", () => {
  const wait = (seconds: number, more = {}) => {
    const date = new Date(nowMs - 3_600_000).toUTCString();
    const headers = {
      date,
      "x-ratelimit-limit": "10",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(nowMs / 1_000 - 3_600 + seconds),
      "retry-after": "0",
      ...more,
    };
    const outcome = judged(429, { retry_after: 0 }, "read", headers);
    return outcome.kind === "halt" ? outcome.toldMs : undefined;
  };
  assert.equal(wait(20), 21_000, "read against the answer's own Date");
  assert.equal(wait(20, { "retry-after": "3" }), 3_000);
  for (const useless of [0, -5, 3_600, 86_400]) assert.equal(wait(useless), undefined, `${useless}`);
});

test("the command's id and the service's words are kept", () => {
  const outcome = judged(500, { message: "no link", commandId: "abc-1" });
  assert.ok(outcome.kind === "failure");
  assert.equal(outcome.failure.commandId, "abc-1");
  assert.equal(outcome.failure.message, "no link");
});

test("the wait is the greatest of header, body and words", () => {
  const wait = (body: unknown, headers = {}) => {
    const outcome = judged(429, body, "read", headers);
    return outcome.kind === "halt" ? outcome.toldMs : undefined;
  };
  assert.equal(wait({ retry_after: 2.5 }, { "retry-after": "2" }), 2_500);
  assert.equal(wait({ retry_after: 1 }, { "retry-after": "7" }), 7_000);
  assert.equal(wait({ retry_after: "nonsense" }, { "retry-after": "soon" }), undefined);
  assert.equal(wait({ retry_after: 0 }), undefined);
  assert.equal(wait({ retry_after: -5 }), undefined);
  const weekMs = 7 * 24 * 3_600_000;
  assert.equal(wait({ retry_after: 30 * 86_400 }), weekMs, "a wait of a month is the longest halt");
  assert.equal(wait({ retry_after: -5 }, { "retry-after": "1e99" }), weekMs);
  assert.equal(wait({ message: "blocked for 30 days" }), weekMs);
  assert.equal(wait({ message: "user 4123456789 is blocked" }), undefined, "an id is no time");
  const lifts = new Date(nowMs + 4 * 3_600_000).toISOString();
  assert.equal(
    wait({ message: `Blocked. The block lifts at ${lifts}.`, retry_after: 5 }),
    4 * 3_600_000 + 1_000,
  );
});

test("a block tells when it lifts in many ways", () => {
  assert.equal(waitInWords("lifts at 2026-01-01T13:00:00Z", nowMs), 3_601_000);
  assert.equal(waitInWords("until 2026-01-01 12:30:00", nowMs), 1_801_000);
  assert.equal(waitInWords(`until ${nowMs / 1_000 + 60}`, nowMs), 61_000);
  assert.equal(waitInWords(`until ${nowMs + 90_000}`, nowMs), 91_000);
  assert.equal(waitInWords("try again in 3 hours", nowMs), 3 * 3_600_000);
  assert.equal(waitInWords("in 2 minutes and 5 seconds", nowMs), 125_000);
  assert.equal(waitInWords("in 1 hour, 30 minutes and 5 seconds", nowMs), 5_405_000);
  assert.equal(waitInWords("for 1h30m", nowMs), 5_400_000);
  assert.equal(waitInWords("for 1 day 2 hrs", nowMs), 26 * 3_600_000);
  assert.equal(waitInWords("for 1 hour; asked after 20 minutes", nowMs), 3_600_000, "two waits, not one");
  assert.equal(waitInWords("until Thu, 01 Jan 2026 13:00:00 GMT", nowMs), 3_601_000);
  assert.equal(
    waitInWords("until Thu Jan 01 2026 14:00:00 GMT+0100 (Central European Time)", nowMs),
    3_601_000,
  );
  assert.equal(waitInWords("lifts on January 1st, 2026 at 1:00 PM UTC", nowMs), 3_601_000);
  assert.equal(waitInWords("lifts on 1 January 2026, 13:00", nowMs), 3_601_000);
  assert.equal(waitInWords("it took 500ms", nowMs), undefined);
  assert.equal(waitInWords("yesterday, 2025-12-31T00:00:00Z", nowMs), undefined);
  assert.equal(waitInWords("no time at all", nowMs), undefined);
});

test("rate-limit headers: seconds, milliseconds, and what cannot be believed", () => {
  const headers = (limit: string, remaining: string, reset: string) => ({
    "x-ratelimit-bucket": "global",
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": reset,
  });
  const expected = { bucket: "global", limit: 10, remaining: 3, resetMs: 1_767_225_600_000 };
  assert.deepEqual(rateHeaders(headers("10", "3", "1767225600")), expected);
  assert.deepEqual(rateHeaders(headers("10", "3", "1767225600000")), expected);
  assert.equal(rateHeaders(headers("10", "", "1767225600")), undefined);
  assert.equal(rateHeaders(headers("0", "0", "1767225600")), undefined);
  assert.equal(rateHeaders(headers("ten", "3", "1767225600")), undefined);
  assert.equal(rateHeaders({}), undefined);
});

test("Retry-After may be a fraction or a date, read against the answer's own Date", () => {
  assert.equal(retryAfterMs({ "retry-after": "1.25" }, nowMs), 1_250);
  const date = new Date(nowMs - 50_000).toUTCString();
  const until = new Date(nowMs - 20_000).toUTCString();
  assert.equal(retryAfterMs({ "retry-after": until, date }, nowMs), 30_000);
});

test("of several Retry-After the greatest is waited, in lines of their own or joined", () => {
  assert.equal(retryAfterMs({ "retry-after": ["7", "1"] }, nowMs), 7_000);
  assert.equal(retryAfterMs({ "retry-after": ["1", "soon", "7"] }, nowMs), 7_000);
  assert.equal(retryAfterMs({ "retry-after": "1, 7" }, nowMs), 7_000);
  assert.equal(retryAfterMs({ "retry-after": "soon" }, nowMs), undefined);
});
