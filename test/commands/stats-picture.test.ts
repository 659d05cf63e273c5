import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../../commands/index.ts";
import { drawn } from "../../commands/stats-picture.ts";
import { ChangedSince } from "../../src/discord/command.ts";
import { createCommandRegistry } from "../../src/discord/interactions/command-registry.ts";
import type { Drawn } from "../../src/domain/ports/stats.ts";
import type { Picture } from "../../src/domain/stats.ts";
import { FakeWorld } from "../support/fake-services.ts";

const pictures: readonly Picture[] = [{ kind: "days", look: "dark", title: "a", zone: "UTC", days: [] }];
const pngs = [new Uint8Array([1])];

/** What is said of a picture, answer by answer, and which subjects were asked for. */
async function said(
  answers: readonly Drawn[],
  signal = new AbortController().signal,
  onWords: () => void = () => undefined,
) {
  const world = new FakeWorld();
  const { history } = world.services;
  const subjects: (string | undefined)[] = [];
  const left = [...answers];
  const stats = {
    ...history.stats,
    draw: async (
      _: string,
      __: readonly Picture[],
      options: { readonly subject?: string | undefined } = {},
    ) => {
      subjects.push(options.subject);
      return left.shift() ?? assert.fail();
    },
  };
  const asked = { pictures, subject: "map town", signal };
  const found = drawn({ ...world.services, history: { ...history, stats } }, "1", asked);
  const words: string[] = [];
  for (let next = found.next(); ; next = found.next()) {
    await world.clock.advance(10 * 60_000);
    const { done, value } = await next;
    if (done === true) break;
    onWords();
    words.push(`${value.pngs === undefined ? "" : "picture "}${value.pictureWords ?? ""}`);
  }
  return { words, subjects };
}

test("a picture that has to wait says when it comes, and follows by itself", async () => {
  const { words, subjects } = await said([
    { kind: "later", atMs: 23_000, everyMs: 60_000 },
    { kind: "later", atMs: 230_000, everyMs: 300_000 },
    { kind: "made", pngs },
  ]);
  assert.deepEqual(words, ["-# 🖼 Next picture <t:23:R>.", "-# 🖼 Next replay <t:230:R>.", "picture "]);
  assert.deepEqual(subjects, Array(3).fill("map town"));
});

test("a picture that waits is given up when a later press has changed the message", async () => {
  const over = new AbortController();
  const later = { kind: "later", atMs: 23_000, everyMs: 60_000 } as const;
  const { words, subjects } = await said([later, { kind: "made", pngs }], over.signal, () =>
    over.abort(new ChangedSince()),
  );
  assert.deepEqual(words, ["-# 🖼 Next picture <t:23:R>."]);
  assert.equal(subjects.length, 1, "its turn is left to what is shown now");
});

test("whatever shows a picture of the moment is given up by a later press: each command and button says so", () => {
  const { entry, action } = createCommandRegistry(commands);
  const typed = [entry("server", "map"), entry("stats", "server")].map((found) => found?.entry);
  const pressed = ["map-open:b", "map-here:b", "stats-server:b/1"].map((id) => action(id)?.action);
  assert.deepEqual(
    [...typed, ...pressed].map((one) => one !== undefined && "redraws" in one && one.redraws),
    [true, true, true, true, true],
  );
});

test("one that was just made of the same says from when it is", async () => {
  const { words } = await said([{ kind: "made", pngs, ofMs: 61_500 }]);
  assert.deepEqual(words, ["picture -# 🖼 The picture is from <t:61:T>. Pictures are made once a minute."]);
});
