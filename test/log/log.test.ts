import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Failure, SinkRefusal, StoreError } from "../../src/domain/failure.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createLog, type LogLevel, type RootLog } from "../../src/log.ts";
import { anyText } from "../support/any-text.ts";

const key = "abcDEF123-secretPart456";

function rig(options: { secrets?: readonly string[]; level?: LogLevel; pretty?: boolean } = {}) {
  const lines: string[] = [];
  const log: RootLog = createLog({
    level: "debug",
    ...options,
    write: (line) => {
      lines.push(line);
    },
  });
  return { log, lines, text: () => lines.join("") };
}

function parsed(line: string | undefined): Record<string, unknown> {
  const value: unknown = JSON.parse(line ?? "");
  assert.ok(typeof value === "object" && value !== null);
  return { ...value };
}

describe("the log", () => {
  test("writes one JSON object a line, with the level, the time, the fields and the message", () => {
    const { log, lines } = rig();
    log.info({ guildId: "1" }, "linked");
    log.child({ wing: "feeds" }).warn({}, "late");
    assert.equal(lines.length, 2);
    const [first, second] = lines.map(parsed);
    assert.equal(first?.level, 30);
    assert.equal(first?.guildId, "1");
    assert.equal(first?.msg, "linked");
    assert.equal(typeof first?.time, "number");
    assert.equal(second?.wing, "feeds");
  });

  test("leaves out what is below its level", () => {
    const { log, lines } = rig({ level: "warn" });
    log.debug({}, "quiet");
    log.info({}, "quiet");
    log.error({}, "loud");
    assert.equal(lines.length, 1);
  });

  test("shows no places in the code for what is expected, and keeps those of a defect behind it", () => {
    const { log, lines } = rig({ level: "info" });
    const cause = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    log.warn({ err: new StoreError("the disk is full", { cause }) }, "a poll");
    log.warn({ err: new SinkRefusal("unknown", "Discord cannot be reached") }, "a card");
    log.warn({ err: new Failure("store", "no store", { cause: new TypeError("x is undefined") }) }, "a run");
    log.error({ err: new Error("nobody expected this") }, "a defect");
    assert.match(lines[0] ?? "", /the disk is full.*database or disk is full/);
    assert.deepEqual(
      lines.map((line) => line.match(/"stack":"\w+/g)),
      [null, null, ['"stack":"TypeError'], ['"stack":"Error']],
    );
  });

  test("shows those of all errors at debug level", () => {
    const { log, text } = rig({ level: "debug" });
    log.warn({ err: new StoreError("the disk is full") }, "a poll");
    assert.match(text(), /"stack":"StoreError: the disk is full/);
  });

  test("blanks a known key in free text, in fields, in lists and in names of fields", () => {
    const { log, text } = rig({ secrets: [key] });
    log.info({ note: `typed ${key}!`, list: [{ deep: key }], [key]: 1 }, `the key is ${key}, twice ${key}`);
    assert.ok(!text().includes(key));
    assert.match(text(), /the key is \[hidden\], twice \[hidden\]/);
    parsed(text());
  });

  test("blanks it in errors, their causes, their fields and aggregates", () => {
    const { log, text } = rig({ secrets: [key] });
    const inner = Object.assign(new Error(`403 for ${key}`), {
      headers: { "server-key": "another-one-unknown" },
    });
    const outer = new AggregateError([inner, new Error("second")], "all failed", {
      cause: new Error("wrapped", { cause: inner }),
    });
    log.error({ err: outer }, "failed");
    assert.ok(!text().includes(key));
    assert.ok(!text().includes("another-one-unknown"));
    for (const kept of ["403 for [hidden]", "all failed", "wrapped", "second"])
      assert.ok(text().includes(kept), kept);
  });

  test("blanks it in addresses, also percent-encoded, in nested JSON and in base64", () => {
    const awkward = 'päss/wörd+"quoted"&=';
    const { log, text } = rig({ secrets: [awkward] });
    log.warn({ url: `https://x/?key=${encodeURIComponent(awkward)}` }, JSON.stringify({ inner: awkward }));
    log.warn({ header: `Basic ${Buffer.from(awkward).toString("base64")}` }, awkward);
    assert.ok(!text().includes(encodeURIComponent(awkward)));
    assert.ok(!text().includes("wörd"));
    assert.ok(!text().includes(Buffer.from(awkward).toString("base64")));
  });

  test("a key that is opened later is hidden from then on, also by children made before", () => {
    const { log, lines, text } = rig();
    const child = log.child({ wing: "api" });
    log.hide(key);
    child.info({}, `now ${key}`);
    assert.equal(lines.length, 1);
    assert.ok(!text().includes(key));
  });

  test("fields named like secrets are blanked whatever they hold, at the top and below", () => {
    const { log, text } = rig();
    log.info({ token: "v1", body: { key: "v2", serverKey: "v3" } }, "x");
    log.info({ headers: { "server-key": "v4", Authorization: "v5" } }, "x");
    log.info({ request: { headers: { authorization: "v6" } }, a: { b: { password: "v7" } } }, "x");
    assert.doesNotMatch(text(), /"v\d"/);
  });

  test("an open ServerKey logs as [key]", () => {
    const { log, text } = rig();
    log.info({ given: new ServerKey(key) }, `${new ServerKey(key)}`);
    assert.ok(!text().includes(key));
    assert.match(text(), /\[key\]/);
  });

  test("tokens of interactions and webhooks in addresses are blanked without being known", () => {
    const { log, text } = rig();
    const token = "aW50ZXJhY3Rpb246MTIzNDU2Nzg5";
    log.warn(
      { url: `/webhooks/123456/${token}/messages/@original` },
      `POST /interactions/42/${token}/callback`,
    );
    assert.ok(!text().includes(token));
    assert.match(text(), /\/webhooks\/123456\/\[hidden\]\/messages/);
  });

  test("a secret of digits leaves the line valid JSON", () => {
    const { log, lines } = rig({ secrets: ["1234567890"] });
    log.info({ count: 1_234_567_890, other: 12, text: "n 1234567890" }, "numbers");
    const line = parsed(lines[0]);
    assert.equal(line.count, "[hidden]");
    assert.equal(line.other, 12);
    assert.equal(line.text, "n [hidden]");
  });

  test("texts shorter than any key are not blanked: they would shred the log", () => {
    const { log, text } = rig({ secrets: ["info", "", "  "] });
    log.info({}, "some info");
    assert.match(text(), /some info/);
  });

  test("of two secrets that begin alike the whole of the longer one goes", () => {
    const { log, text } = rig({ secrets: ["abcdef", "abcdef-more"] });
    log.info({}, "abcdef-more and abcdef");
    assert.match(text(), /"\[hidden\] and \[hidden\]"/);
  });

  test("readable lines for a terminal are blanked too", () => {
    const { log, text } = rig({ secrets: [key], pretty: true });
    log.error({ err: new Error(`bad ${key}`) }, `key ${key}`);
    assert.match(text(), /key \[hidden\]/);
    assert.ok(!text().includes(key));
  });

  test("no text of others sets colours, breaks a line or turns its order, in JSON and at a terminal", () => {
    const evil = "\u001b[31mred\r\nFAKE \u009b2J\u0085 \u2028 \u202eback \u007f\u0007";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
    for (const pretty of [false, true]) {
      const { log, lines } = rig({ pretty });
      log.info(
        { name: evil, caller: evil, who: evil, nested: { deep: [evil], [evil]: 1 }, [evil]: evil },
        evil,
      );
      log.error({ err: new Error(evil, { cause: new Error(evil) }) }, "failed");
      for (const line of lines) {
        assert.doesNotMatch(line, obeyed);
        for (const row of line.split("\n")) assert.doesNotMatch(row, /^FAKE/);
        assert.match(line, /\\u001b\[31mred/);
      }
    }
  });

  test("JSON lines read back as what was logged, whatever is in it", () => {
    fc.assert(
      fc.property(anyText(), (said) => {
        const { log, lines } = rig();
        log.info({ said }, "said");
        assert.equal(parsed(lines[0]).said, said);
      }),
    );
  });

  test("any secret in any text: never written, and every line stays JSON", () => {
    fc.assert(
      fc.property(
        anyText({ minLength: 6, maxLength: 40 }).filter((one) => one.trim().length >= 6),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          const { log, lines } = rig({ secrets: [secret] });
          log.info({ field: before + secret + after, err: new Error(secret) }, after + secret);
          const line = parsed(lines[0]);
          // The level, the time and our own names are not outside text; a secret that equals one changes nothing.
          for (const written of [String(line.field), String(line.msg)]) {
            const rest = written.replaceAll("[hidden]", "");
            assert.ok(!rest.includes(secret), `${JSON.stringify(secret)} in ${JSON.stringify(written)}`);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("ten thousand known keys do not make a line expensive: it is walked once", () => {
    const { log } = rig({ level: "error" });
    for (let index = 0; index < 10_000; index++) log.hide(`key-${index}-${"x".repeat(20)}`);
    assert.equal(log.conceal(`key-77-${"x".repeat(20)} and key-77-y`), "[hidden] and key-77-y");
  });
});

describe("keys that strangers type", () => {
  const typed = "dEfGhIjKlMnOp-qRsTuVwXyZaBcDeF";

  test("are blanked while they are asked, and not longer", () => {
    const { log } = rig();
    const show = log.hideTyped(typed);
    const other = log.hideTyped(` ${typed} `);
    assert.equal(log.conceal(`about ${typed}`), "about [hidden]");
    show();
    show();
    assert.equal(log.conceal(`about ${typed}`), "about [hidden]", "somebody else's is still being asked");
    other();
    assert.equal(log.conceal(`about ${typed}`), `about ${typed}`);
  });

  test("are only what can be a key: words and names of ours stay readable whatever is typed", () => {
    const { log } = rig();
    const ours = [
      "marshal_",
      "marshal_service_requests_total",
      "service",
      "rate-limited",
      "requests-after-first-refusal",
      "spentUntilMs",
      "2026-01-01T00:00:00.000Z",
      "123456789012345678",
      "too many server keys were refused within an hour",
      "http://127.0.0.1:4680/state",
    ];
    for (const text of ours) log.hideTyped(text);
    for (const text of ours) assert.equal(log.conceal(text), text);
  });

  test("push out neither the host's own secrets nor linked keys, however many there are", () => {
    const token = "MTIz.host.token";
    const { log } = rig({ secrets: [token] });
    log.hide(key);
    for (let n = 0; n < 50_000; n++) log.hideTyped(`Typed${n}aBcD-eFgHiJ${n}`);
    assert.equal(log.conceal(`${token} ${key}`), "[hidden] [hidden]");
    const first = "Typed0aBcD-eFgHiJ0";
    assert.equal(log.conceal(first), first, "only so many typed keys are remembered at once");
    for (let n = 0; n < 60_000; n++) log.hide(`linked-key-${n}`);
    assert.equal(log.conceal(token), "[hidden]");
  });

  test("end without showing the same text where it is a secret of the host's or a linked key", () => {
    const { log } = rig({ secrets: [typed] });
    log.hide(key);
    for (const text of [typed, key]) log.hideTyped(text)();
    assert.equal(log.conceal(`${typed} ${key}`), "[hidden] [hidden]");
  });
});
