import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import fc from "fast-check";
import { KeyBlanker } from "../../../src/api/keys/key-blanker.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";
import type { KeyEcho } from "../../../src/sandbox/service/key-echo.ts";
import { World } from "../../support/limit-run.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const part = fc.string({
  unit: fc.constantFrom(...letters),
  minLength: 10,
  maxLength: 40,
});
const keys = fc.tuple(part, part).map(([first, second]) => `${first}-${second}`);
const words = fc.string({ maxLength: 30 });

interface Written {
  readonly text: string;
  /** The part of the text that tells of the key. Default: all of it. */
  readonly secret?: string;
}

/** Base64 of the key behind other bytes: its first and last letters depend on the neighbours of the key. */
function base64(before: string, key: string, behind: string, style: "base64" | "base64url"): Written {
  const text = Buffer.from(before + key + behind).toString(style);
  const start = Buffer.byteLength(before);
  const end = start + Buffer.byteLength(key);
  return { text, secret: text.slice(Math.ceil((start * 8) / 6), Math.floor((end * 8) / 6)) };
}

/** Each way to write a key that people could turn back into it. */
const forms: Readonly<Record<string, (key: string, before: string) => Written>> = {
  plain: (key) => ({ text: key }),
  "in other letters": (key) => ({ text: key.toLowerCase() }),
  backwards: (key) => ({ text: [...key].reverse().join("") }),
  "first half": (key) => ({ text: key.slice(0, key.length / 2) }),
  "second half": (key) => ({ text: key.slice(key.length / 2) }),
  "in two parts": (key) => ({ text: key.split("-").join(" and "), secret: key.split("-")[1] ?? key }),
  "as base64 inside a longer text": (key, before) => base64(before, key, "!", "base64"),
  "as base64url": (key, before) => base64(before, key, "", "base64url"),
  "half of it as base64": (key, before) => base64(before, key.slice(0, key.length / 2), "", "base64"),
  "URL-encoded": (key) => ({ text: encodeURIComponent(key) }),
  "each byte URL-encoded": (key) => ({
    text: [...Buffer.from(key)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(""),
  }),
  "as hex": (key) => ({ text: Buffer.from(key).toString("hex") }),
};

/** What of `form` still stands in `text`: the longest run of ten characters or more. */
function leftOf(form: string, text: string): string | undefined {
  for (let at = 0; at + 10 <= form.length; at++) {
    const run = form.slice(at, at + 10);
    if (text.includes(run)) return run;
  }
  return undefined;
}

/** In the rows of a poll only these are looked for: there players speak, who know no key, and each search has a price. */
const inPolls = new Set(Object.keys(forms).filter((how) => !["in other letters", "backwards"].includes(how)));

describe("what an answer says is freed of the keys of its request", () => {
  for (const [how, write] of Object.entries(forms)) {
    const lengths = inPolls.has(how) ? fc.boolean() : fc.constant(false);
    const where = inPolls.has(how) ? "short answers and in those of a poll" : "short answers";
    test(`a key ${how} is blanked in ${where}`, () => {
      fc.assert(
        fc.property(keys, words, lengths, (key, before, isLong) => {
          const { text, secret = text } = write(key, before);
          const rows = isLong ? Array.from({ length: 40 }, (_, n) => ({ Player: `Player_${n}:${n}` })) : [];
          const body = JSON.stringify({ message: `Success for ${text}.`, commandId: text, rows });
          const read = new KeyBlanker([new ServerKey(key)]).parse(body);
          assert.equal(leftOf(secret, JSON.stringify(read)), undefined);
        }),
        { numRuns: 60 },
      );
    });
  }

  test("a key whose letters are written as escapes is blanked, too", () => {
    const key = "FirstPartOfKey-SecondPartOfKey";
    const escaped = [...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
    const filler = "x".repeat(2_000);
    const read = new KeyBlanker([new ServerKey(key)]).parse(`{"Name":"${escaped}","o":"${filler}"}`);
    assert.deepEqual(read, { Name: "[key]", o: filler });
  });

  test("the global key is blanked like the server's, and as a name of a field", () => {
    const blanker = new KeyBlanker([new ServerKey("ServerKeyOne-Abc"), new ServerKey("GlobalKeyTwo-Xyz")]);
    const read = blanker.parse('{"message":"ServerKeyOne-Abc GlobalKeyTwo-Xyz","GlobalKeyTwo-Xyz":1}');
    assert.deepEqual(read, { message: "[key] [key]", "[key]": 1 });
  });

  test("answers without a key are read unchanged", () => {
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const body = JSON.stringify(value);
        // A key may hold a run of such a value, for example of the name "prototype"; that run would be blanked.
        fc.pre(![...key].some((_, at) => at + 6 <= key.length && body.includes(key.slice(at, at + 6))));
        assert.deepEqual(new KeyBlanker([new ServerKey(key)]).parse(body), JSON.parse(body));
      }),
    );
  });
});

describe("a service that repeats the key in its words", () => {
  const echoes: readonly KeyEcho[] = ["plain", "halves", "base64", "url", "hex", "escaped"];
  for (const echoKey of echoes) {
    test(`${echoKey}: neither answers nor failures, events or stored records hold it`, async () => {
      const world = new World({ seed: 5, keys: 2 });
      const said: unknown[] = [];
      const note = (work: Promise<unknown>) =>
        work.then(
          (value) => said.push(value),
          (error: unknown) => said.push(error instanceof Failure ? { ...error, text: error.message } : error),
        );
      world.service.faults.set({ echoKey });
      const asks = [
        note(world.client.read(world.source(0), ["commandLogs", "players"], { priority: "person" })),
        note(world.client.command(world.source(0), ":h hello")),
      ];
      await world.clock.advance(20_000);
      world.service.faults.set({ echoKey, command500: 1 });
      asks.push(note(world.client.command(world.source(0), ":h again")));
      await world.clock.advance(20_000);
      world.service.regenerateKey(world.key(1));
      asks.push(note(world.client.read(world.source(1), [], { priority: "person" })));
      await world.clock.advance(20_000);
      await Promise.all(asks);
      // The test's own key ring names a source by the key read backwards.
      const all = [0, 1].reduce(
        (text, n) => text.replaceAll(world.source(n), "source"),
        JSON.stringify([said, world.events]),
      );
      assert.equal(said.length, 4);
      for (const key of [world.key(0), world.key(1)])
        for (const write of Object.values(forms)) assert.equal(leftOf(write(key, "").text, all), undefined);
      await world.close();
    });
  }
});
