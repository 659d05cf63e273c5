import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { after, before, describe, test } from "node:test";
import { systemClock, systemRandom } from "../../src/clock.ts";
import { failureBody } from "../../src/discord/render/errors.ts";
import { Failure } from "../../src/domain/failure.ts";
import { createHistoryThread } from "../../src/history/worker/history-thread.ts";
import { WorkerClient } from "../../src/history/worker/worker-client.ts";
import type { Log } from "../../src/log.ts";
import { VirtualClock } from "../support/clock.ts";
import { isFailure } from "../support/failures.ts";
import { type TempFolder, tempFolder } from "../support/temp-folder.ts";
import { WakeUp } from "../support/wake-up.ts";
import { kick } from "./cases/case-samples.ts";
import { silent, wingAt } from "./wing-rig.ts";

/** A client, and what it said of its trouble, in order. */
function started(url: string) {
  const troubles: (string | undefined)[] = [];
  const settled = Promise.withResolvers<void>();
  const client = createHistoryThread({
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

/** The niceness of each thread of this process. The main one has the id of the process; the others' ids are any. */
function threadPriorities(): { readonly main: number; readonly others: readonly number[] } {
  const ids = readdirSync("/proc/self/task").map(Number);
  const others = ids.filter((id) => id !== process.pid).map((id) => getPriority(id));
  return { main: getPriority(process.pid), others };
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

  test("erases what was asked for before, also a case that waits for others to be added with it", async () => {
    const { client, settled } = started(`sqlite:${folder.path}/erases.sqlite`);
    await settled;
    const add = (origin: string) =>
      client.call("cases.add", { draft: kick({ origin }), card: undefined, most: 9 });
    await add("first");
    await client.call("guild.linked", { links: [], guildIds: ["g1"], endedMs: 0 });
    const waiting = add("waits");
    await client.call("cases.eraseDeparted", { guildId: "g1" });
    const added = await waiting;
    const found = await client.call("cases.search", { guildId: "g1", filter: { limit: 9 } });
    await client.stop();
    assert.equal(added.one.number, 2);
    assert.deepEqual(found, []);
  });

  test("it yields to the main thread where cores are short", {
    skip: process.platform !== "linux",
  }, async () => {
    const { client, settled } = started(`sqlite:${folder.path}/yields.sqlite`);
    await settled;
    const { main, others } = threadPriorities();
    await client.stop();
    const expected = Math.min(19, Math.max(main, constants.priority.PRIORITY_BELOW_NORMAL));
    assert.ok(others.includes(expected), `${main} of the main thread, ${others} of the others`);
  });

  test("the wing answers from an empty database, and says that it is recorded", async () => {
    const opened = Promise.withResolvers<string>();
    const said = (_: object, message: string) => opened.resolve(message);
    const log: Log = { debug: said, info: said, warn: said, error: said, child: () => log };
    const history = wingAt(`sqlite:${folder.path}/b.sqlite`, log);
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

  test("a database that is away is named to the operator and never to a community", async () => {
    const url = "postgres://marshal:secret@127.0.0.1:9/people";
    const { client, troubles, settled } = started(url);
    await settled;
    assert.match(troubles[0] ?? "", /127\.0\.0\.1:9\/people/);
    const failure: unknown = await client.call("guild.retention", { guildId: "1" }).catch((error) => error);
    await client.stop();
    assert.ok(failure instanceof Failure);
    const shown = `${failure.message} ${JSON.stringify(failureBody(failure, { reference: "r" }))}`;
    assert.match(shown, /cannot be read/);
    assert.doesNotMatch(shown, /127\.0|:9\b|people|marshal:|secret|PostgreSQL|ECONNREFUSED/i);
  });

  test("pictures are drawn where the database cannot be opened: their thread is another, which ends with the wing", async () => {
    mkdirSync(`${folder.path}/none.sqlite`);
    const history = wingAt(`sqlite:${folder.path}/none.sqlite`, silent);
    await history.start();
    const picture = { kind: "staff", look: "dark", title: "Hours", rows: [] } as const;
    const drawn = await history.stats.draw("1", [picture, { ...picture, look: "light" }]);
    assert.ok(drawn.kind === "made");
    assert.deepEqual(
      drawn.pngs.map((png) => Buffer.from(png.slice(1, 4)).toString()),
      ["PNG", "PNG"],
    );
    await history.stop();
    await assert.rejects(history.stats.draw("2", [picture]), isFailure("store"));
    rmSync(`${folder.path}/none.sqlite`, { recursive: true });
  });
});

describe("a thread that ends", () => {
  /** On a clock that stands: nothing comes back before it is moved. */
  function fragile() {
    const clock = new VirtualClock();
    const troubles: (string | undefined)[] = [];
    const told = new WakeUp();
    const client = new WorkerClient<{
      readonly say: { readonly args: string; readonly answer: string };
      readonly end: { readonly args: undefined; readonly answer: undefined };
    }>({
      file: new URL("./fragile-worker.ts", import.meta.url),
      options: undefined,
      heapMb: 64,
      whatFails: "It cannot be said",
      clock,
      random: systemRandom,
      onTrouble(message) {
        troubles.push(message);
        told.call();
      },
      onDefect: (message) => assert.fail(message),
    });
    client.start();
    return { client, clock, troubles, told };
  }

  test("fails all that wait for it, once says why, and is there again after a while", async () => {
    const { client, clock, troubles, told } = fragile();
    assert.equal(await client.call("say", "hello"), "hello");
    const ended = client.call("end", undefined);
    const behind = client.call("say", "behind it");
    await assert.rejects(ended, isFailure("store"));
    await assert.rejects(behind, /It cannot be said: its thread ended/);
    await assert.rejects(client.call("say", "too early"), isFailure("store"));
    assert.deepEqual(troubles, [undefined, "its thread ended"]);

    const back = told.next();
    await clock.advance(1_000);
    await back;
    assert.equal(await client.call("say", "again"), "again");
    assert.deepEqual(troubles, [undefined, "its thread ended", undefined]);
    await client.stop();
  });

  test("one that was stopped never comes back, whoever starts it", async () => {
    const { client, clock, told } = fragile();
    await told.next();
    await client.stop();
    client.start();
    await clock.advance(60_000);
    await assert.rejects(client.call("say", "hello"), isFailure("store"));
  });
});
