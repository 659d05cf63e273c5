import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
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
