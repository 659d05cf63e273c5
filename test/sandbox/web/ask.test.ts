import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { BadAsk, parseAsk } from "../../../src/sandbox/web/ask.ts";
import { botView, partOf } from "../../../src/sandbox/web/bot-state.ts";
import { logEntry } from "../../../src/sandbox/web/panel.ts";

describe("what the page asks", () => {
  test("is read as it was written", () => {
    const asks = [
      { type: "hello", actor: "owner", channel: "joins" },
      { type: "older", channelId: "1", beforeId: "123" },
      { type: "slash", ticket: 1, channelId: "1", line: "run", options: { text: "x", dry: true, count: 2 } },
      { type: "submit", ticket: 2, modalId: "m", values: { key: "k", role: ["1", "2"] } },
      { type: "lever", ticket: 3, id: "429" },
    ];
    for (const ask of asks) assert.deepEqual(parseAsk(JSON.stringify(ask)), ask);
  });

  test("is refused in words when it is nothing of the protocol", () => {
    const wrong = [
      "{",
      "[]",
      "null",
      '{"type":"rm"}',
      '{"type":"hello","actor":"root"}',
      '{"type":"older","channelId":"1","beforeId":"x"}',
      '{"type":"click","ticket":"1"}',
      '{"type":"submit","ticket":1,"modalId":"m","values":{"a":{}}}',
    ];
    for (const raw of wrong) assert.throws(() => parseAsk(raw), BadAsk, raw);
    fc.assert(
      fc.property(fc.json(), (raw) => {
        assert.throws(() => parseAsk(raw), BadAsk);
      }),
      { numRuns: 200 },
    );
  });
});

describe("what a process says of its part among several", () => {
  test("is that it serves, stands by, or is only starting", () => {
    assert.equal(partOf({ cluster: { holds: "0-3/4" } }), "serves shards 0-3/4");
    assert.equal(partOf({ cluster: { holds: null, standing: "standing by: others do" } }), "standing by");
    assert.equal(partOf(undefined), "starting…");
    assert.equal(partOf({ service: {} }), "running");
  });
});

describe("what the bot says of itself", () => {
  test("is shown part by part", () => {
    const view = botView({
      service: {
        inFlight: 1,
        parkedKeys: 2,
        waiting: { person: 3, poll: 0 },
        halt: { untilMs: 9, why: "rate-limited" },
        buckets: [{ hash: "abcdef0123", limit: 10, remaining: 4, resetAtMs: 7, inFlight: 0 }],
      },
      watch: { lastPolls: [{ atMs: 5, outcome: "ok", players: 12 }, { outcome: "no time" }] },
      feeds: {
        live: 3,
        undelivered: 8,
        waiting: [{ kind: "joins", channelId: "1", undelivered: 8, lateSinceMs: 2 }],
      },
      runs: {
        lanes: [
          { waiting: 2, running: true },
          { waiting: 1, running: false },
        ],
      },
      discord: { ready: true },
    });
    assert.deepEqual(view?.halt, { untilMs: 9, reason: "rate-limited" });
    // A word is not cut to the length of a hash.
    assert.equal(botView({ service: { buckets: [{ hash: "unknown" }] } })?.buckets[0]?.name, "unknown");
    assert.deepEqual(view?.buckets, [{ name: "abcdef", limit: 10, remaining: 4, resetAtMs: 7, inFlight: 0 }]);
    assert.deepEqual(
      [view?.runsWaiting, view?.runsRunning, view?.undelivered, view?.discordReady],
      [3, 1, 8, true],
    );
    assert.deepEqual(view?.polls, [{ atMs: 5, outcome: "ok", players: 12 }]);
    assert.equal(view?.lateFeeds[0]?.lateSinceMs, 2);
  });

  test("may lack or change any part without hiding the others", () => {
    const parts = fc.record(
      { service: fc.anything(), watch: fc.anything(), feeds: fc.anything(), runs: fc.anything() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parts, (state) => {
        assert.equal(botView({ ...state, discord: { ready: false } })?.discordReady, false);
      }),
      { numRuns: 200 },
    );
    assert.equal(botView("starting"), undefined);
  });

  test("comes out of its log as words, warnings marked", () => {
    assert.deepEqual(logEntry('{"level":30,"msg":"logged in"}'), { text: "logged in", isBad: false });
    const asked =
      '{"level":30,"route":"command","outcome":"denied","msg":"asked the game service for a person"}';
    assert.equal(logEntry(asked).text, "asked the game service for a person (command: denied)");
    assert.deepEqual(logEntry('{"level":50,"msg":"x"}'), { text: "x", isBad: true });
    assert.deepEqual(logEntry("Marshal cannot start:"), { text: "Marshal cannot start:", isBad: true });
  });
});
