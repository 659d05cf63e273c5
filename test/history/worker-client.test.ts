import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { after, before, describe, test } from "node:test";
import { systemClock, systemRandom } from "../../src/clock.ts";
import { createHistory } from "../../src/history/create-history.ts";
import { WorkerClient } from "../../src/history/worker/worker-client.ts";
import type { Log } from "../../src/log.ts";
import { isFailure } from "../support/failures.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";

/** A client, and what it said of its trouble, in order. */
function started(url: string) {
  const troubles: (string | undefined)[] = [];
  const settled = Promise.withResolvers<void>();
  const client = new WorkerClient({
    options: { url, markKey: new Uint8Array(32) },
    clock: systemClock,
    random: systemRandom,
    onTrouble: (message) => {
      troubles.push(message);
      settled.resolve();
    },
    onDefect: (message) => assert.fail(message),
  });
  client.start();
  return { client, troubles, settled: settled.promise };
}

/** The niceness of each thread of this process, the main one first. */
function threadPriorities(): readonly number[] {
  const mainFirst = readdirSync("/proc/self/task")
    .map(Number)
    .sort((a, b) => a - b);
  return mainFirst.map((id) => getPriority(id));
}

describe("the thread of the history", () => {
  let folder: TempFolder;
  before(() => {
    folder = tempFolder();
  });
  after(() => folder.remove());

  test("answers by the name of a question, and closes the database", async () => {
    const { client, troubles, settled } = started(`sqlite:${folder.path}/a.sqlite`);
    await settled;
    assert.deepEqual(troubles, [undefined]);
    assert.equal(await client.call("guild.retention", { guildId: "1" }), 90);
    await client.stop();
    await assert.rejects(client.call("guild.retention", { guildId: "1" }), isFailure("store"));
  });

  test("it yields to the main thread where cores are short", {
    skip: process.platform !== "linux",
  }, async () => {
    const { client, settled } = started(`sqlite:${folder.path}/yields.sqlite`);
    await settled;
    const [main = 0, ...others] = threadPriorities();
    await client.stop();
    const expected = Math.min(19, Math.max(main, constants.priority.PRIORITY_BELOW_NORMAL));
    assert.ok(others.includes(expected), `${main} of the main thread, ${others} of the others`);
  });

  test("the wing answers from an empty database, and says that it is recorded", async () => {
    const opened = Promise.withResolvers<string>();
    const said = (_: object, message: string) => opened.resolve(message);
    const log: Log = { debug: said, info: said, warn: said, error: said, child: () => log };
    const history = createHistory({
      url: `sqlite:${folder.path}/b.sqlite`,
      markKey: new Uint8Array(32),
      bindings: { async *all() {}, list: async () => [] },
      demands: { put: () => undefined },
      isOurs: () => true,
      targetsOf: () => [],
      metrics: { count: () => undefined, observe: () => undefined },
      clock: systemClock,
      random: systemRandom,
      log,
    });
    await history.start();
    assert.equal(await opened.promise, "the history is recorded");
    assert.deepEqual(await history.players.search("1", "bob", 25), []);
    assert.deepEqual(await history.players.find("1", "17"), []);
    assert.equal(await history.cards.card("1", 17, { nowS: 0 }), undefined);
    assert.deepEqual(history.state(), { trouble: null, queued: 0, rowsStored: 0 });
    await history.stop();
  });

  test("a database that cannot be opened is said in words, and every call fails with them", async () => {
    mkdirSync(`${folder.path}/folder.sqlite`);
    const { client, troubles, settled } = started(`sqlite:${folder.path}/folder.sqlite`);
    await settled;
    assert.match(troubles[0] ?? "", /folder\.sqlite/);
    await assert.rejects(client.call("guild.retention", { guildId: "1" }), isFailure("store"));
    await client.stop();
    rmSync(`${folder.path}/folder.sqlite`, { recursive: true });
  });
});
