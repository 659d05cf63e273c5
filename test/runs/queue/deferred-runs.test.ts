import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import { settle } from "../../support/clock.ts";
import { binding, RunsRig, roles } from "../../support/runs-rig.ts";

/** A command that met an empty server; answers its run id. */
async function meetEmpty(rig: RunsRig, text: string, role: keyof typeof roles = "mod"): Promise<string> {
  rig.answering = async () => {
    throw new Failure("server-empty", "offline", { commandId: "c-1" });
  };
  const plan = await rig.runs.runner.plan({ actor: rig.actor(role), binding, text, origin: "command" });
  const submitted = await rig.runs.runner.submit(plan);
  let over = false;
  void submitted.outcome.then(() => {
    over = true;
  });
  await rig.clock.until(() => over);
  await settle();
  rig.answering = async () => "Success";
  return submitted.id;
}

const texts = (rig: RunsRig) => rig.posts.map(({ channelId, message }) => `${channelId} ${message.content}`);

describe("run when someone joins", () => {
  test("is a new audited attempt, sent once, answered in the channel", async () => {
    const rig = new RunsRig();
    const id = await meetEmpty(rig, ":h Welcome");
    assert.equal((await rig.runs.queue.defer(rig.actor("mod"), id)).ok, true);
    assert.ok(rig.demandsPut.has(`runs-deferred:${binding.source}`));
    await rig.journal.take(rig.snapshot(undefined, 0));
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    await rig.journal.take(rig.snapshot(undefined, 1));
    await rig.journal.take(rig.snapshot(undefined, 2));
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(texts(rig), ["c1 done :h Welcome Success"]);
    assert.equal([...rig.audit.rows.values()].at(-1)?.origin, "on-join");
    assert.equal(rig.demandsPut.has(`runs-deferred:${binding.source}`), false);
    await rig.runs.stop(0);
  });

  test("a hundred wait for a guild, and the next person is told so; one's own may still be replaced", async () => {
    const rig = new RunsRig();
    const id = await meetEmpty(rig, ":h Welcome");
    const row = rig.audit.rows.get(id);
    assert.ok(row !== undefined);
    const defer = async (count: number) => {
      const userId = `u${count}`;
      await rig.audit.put({ ...row, id: `run-${count}`, actorId: userId });
      return rig.runs.queue.defer(rig.actor("mod", { userId }), `run-${count}`);
    };
    for (let count = 0; count < 100; count += 1) assert.equal((await defer(count)).ok, true);
    assert.deepEqual(await defer(100), {
      ok: false,
      text: "100 commands are already waiting for someone to join. Cancel one first.",
    });
    assert.match((await defer(7)).text, /replaces the one that was waiting/);
    await rig.runs.stop(0);
  });

  test("is for who is named in full: nobody who joins first reads another's message", async () => {
    const rig = new RunsRig();
    const id = await meetEmpty(rig, ":pm Alic secret");
    await rig.runs.queue.defer(rig.actor("mod"), id);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.match(texts(rig)[0] ?? "", /^c1 failed :pm Alic secret Alic is not in the server.*for Alice/);
  });

  test("checks the permission anew", async () => {
    const rig = new RunsRig();
    const id = await meetEmpty(rig, ":h Welcome");
    await rig.runs.queue.defer(rig.actor("mod"), id);
    rig.memberRoles.set("u-mod", [roles.none]);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.match(texts(rig)[0] ?? "", /^c1 denied :h Welcome/);
  });

  test("is not sent when the roles cannot be read", async () => {
    const rig = new RunsRig();
    const id = await meetEmpty(rig, ":h Welcome");
    await rig.runs.queue.defer(rig.actor("mod"), id);
    rig.membersFailure = new Error("Discord is away");
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    assert.match(texts(rig)[0] ?? "", /^c1 failed/);
  });

  test("is for harmless verbs, one's own runs and an empty server only", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    const kick = await meetEmpty(rig, ":kick Alice");
    assert.equal((await queue.defer(rig.actor("mod"), kick)).ok, false);
    await rig.clock.advance(10_000);
    const hint = await meetEmpty(rig, ":h hi");
    assert.equal((await queue.defer(rig.actor("manager"), hint)).ok, false);
    assert.equal((await queue.defer(rig.actor("mod"), "nothing")).ok, false);
    await rig.clock.advance(10_000);
    const plan = await rig.runs.runner.plan({
      actor: rig.actor("mod"),
      binding,
      text: ":h fine",
      origin: "command",
    });
    const submitted = await rig.runs.runner.submit(plan);
    await settle();
    assert.equal((await queue.defer(rig.actor("mod"), submitted.id)).ok, false);
  });

  test("is one per person and server: the next replaces it", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h one"));
    await rig.clock.advance(10_000);
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h two"));
    const waiting = await rig.runs.queue.deferred("g1");
    assert.deepEqual(
      waiting.map(({ request }) => request.text),
      [":h two"],
    );
  });

  test("survives a restart, expires after an hour and says so", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    rig.crash();
    await rig.runs.start();
    assert.equal((await rig.runs.queue.deferred("g1")).length, 1);
    await rig.clock.advance(3_600_001);
    assert.deepEqual(rig.told, [{ userId: "u-mod", content: "nobody joined: :h Welcome" }]);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });

  test("waits no longer than its hour where the wall clock is set back, over a restart too", async () => {
    for (const isRestarted of [false, true]) {
      const rig = new RunsRig();
      const id = await meetEmpty(rig, ":h Welcome");
      await rig.runs.queue.defer(rig.actor("mod"), id);
      rig.clock.step(-24 * 3_600_000);
      if (isRestarted) {
        rig.crash();
        await rig.runs.start();
      }
      await rig.clock.advance(3_600_000 + 1_000);
      assert.deepEqual(await rig.runs.queue.deferred("g1"), [], `restarted: ${isRestarted}`);
      await rig.journal.take(rig.snapshot(undefined, 1));
      await rig.clock.advance(60_000);
      assert.equal(rig.sent.length, 1);
    }
  });

  test("whose outcome nobody was told when the process was killed is told by the next, once, and not sent again", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    rig.storesOwed = false;
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.deepEqual(texts(rig), []);
    rig.storesOwed = true;
    for (const _ of [1, 2]) {
      rig.crash();
      await rig.runs.start();
      await rig.journal.take(rig.snapshot());
      await rig.clock.advance(60_000);
    }
    assert.equal(texts(rig).length, 1);
    assert.equal(
      rig.sent.filter(({ text }) => text === ":h Welcome").length,
      2,
      "the first met an empty server",
    );
    await rig.runs.stop(0);
  });

  test("is not sent after the store was set back, because it may have been already: told as unknown", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    rig.crash({ isStoreInDoubt: true });
    await rig.runs.start();
    await settle();
    assert.deepEqual(await rig.runs.queue.deferred("g1"), []);
    assert.equal(rig.posts.filter(({ message }) => /:h Welcome/.test(message.content ?? "")).length, 1);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1, "only the attempt that met an empty server");
    rig.crash();
    await rig.runs.start();
    assert.deepEqual(await rig.runs.queue.deferred("g1"), []);
    await rig.runs.stop(0);
  });

  test("is not lost by a kill between the join and its sending: the next process sends it", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    await rig.clock.advance(10_000);
    rig.membersPause = () => new Promise(() => undefined);
    await rig.journal.take(rig.snapshot());
    await settle();
    rig.crash();
    rig.membersPause = () => Promise.resolve();
    await rig.runs.start();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(texts(rig), ["c1 done :h Welcome Success"]);
    await rig.runs.stop(0);
  });

  test("is not sent again after a kill, also where the store kept it: its row says what became of it", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    await rig.clock.advance(10_000);
    rig.answering = () => new Promise(() => undefined);
    rig.deferredDocuments.refuseWrites = new Error("the disk is full");
    await rig.journal.take(rig.snapshot());
    await rig.clock.until(() => rig.sent.length === 2);
    rig.crash();
    rig.answering = async () => "Success";
    await rig.runs.start();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    assert.deepEqual(
      texts(rig).map((text) => text.split(" ").slice(0, 3).join(" ")),
      ["c1 unknown :h"],
    );
    rig.crash();
    await rig.runs.start();
    assert.deepEqual(await rig.runs.queue.deferred("g1"), []);
    await rig.runs.stop(0);
  });

  test("one that is asked for while the one before is being sent waits on, over a restart too", async () => {
    const rig = new RunsRig();
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h one"));
    await rig.clock.advance(10_000);
    const two = await meetEmpty(rig, ":h two");
    await rig.clock.advance(10_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.membersPause = () => promise;
    await rig.journal.take(rig.snapshot());
    await settle();
    await rig.runs.queue.defer(rig.actor("mod"), two);
    resolve();
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 3);
    rig.crash();
    await rig.runs.start();
    const waiting = await rig.runs.queue.deferred("g1");
    assert.deepEqual(
      waiting.map(({ request }) => request.text),
      [":h two"],
    );
    await rig.runs.stop(0);
  });

  test("is sent once for one card, however often and whenever its button is pressed again", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    const id = await meetEmpty(rig, ":h Welcome");
    const press = () => queue.defer(rig.actor("mod"), id);
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.membersPause = () => promise;
    assert.equal((await press()).ok, true);
    await rig.journal.take(rig.snapshot());
    await settle();
    // Its roles are being read: no row says yet that it is on its way.
    assert.deepEqual(await press(), { ok: false, text: "It is on its way or was sent already." });
    resolve();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    // The card stands there still, also after a restart.
    rig.crash();
    await rig.runs.start();
    assert.equal((await rig.runs.queue.defer(rig.actor("mod"), id)).ok, false);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    // The same text, asked for anew, is another one.
    const next = await meetEmpty(rig, ":h Welcome");
    assert.equal((await rig.runs.queue.defer(rig.actor("mod"), next)).ok, true);
    await rig.runs.stop(0);
  });

  test("is sent once where somebody joins while its button is pressed again", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    const id = await meetEmpty(rig, ":h Welcome");
    await queue.defer(rig.actor("mod"), id);
    const { promise, resolve } = Promise.withResolvers<void>();
    const search = rig.audit.search.bind(rig.audit);
    rig.audit.search = async (...given) => {
      const found = await search(...given);
      await promise;
      return found;
    };
    const again = queue.defer(rig.actor("mod"), id);
    await settle();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(10_000);
    resolve();
    assert.equal((await again).ok, false);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    await rig.runs.stop(0);
  });

  test("is sent once where its button is pressed twice at once and somebody joins between the two", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    const id = await meetEmpty(rig, ":h Welcome");
    const { promise, resolve } = Promise.withResolvers<void>();
    const set = rig.deferredDocuments.set.bind(rig.deferredDocuments);
    let writes = 0;
    rig.deferredDocuments.set = async (...given) => {
      writes += 1;
      if (writes === 2) await promise;
      await set(...given);
    };
    const presses = [queue.defer(rig.actor("mod"), id), queue.defer(rig.actor("mod"), id)];
    await settle();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(10_000);
    resolve();
    await Promise.all(presses);
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    await rig.runs.stop(0);
  });

  test("that could not be taken out of the store waits on, where it can be cancelled again", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    await queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    const id = (await queue.deferred("g1"))[0]?.id ?? "";
    rig.deferredDocuments.refuseWrites = new Failure("store", "disk full");
    await assert.rejects(queue.cancel(rig.actor("mod"), id), { code: "store" });
    rig.deferredDocuments.refuseWrites = undefined;
    assert.equal((await queue.cancel(rig.actor("mod"), id)).ok, true);
    rig.crash();
    await rig.runs.start();
    await rig.journal.take(rig.snapshot());
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 1);
    await rig.runs.stop(0);
  });

  test("that is sent while a Manager's rights are read is not said to be cancelled", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    await queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    const id = (await queue.deferred("g1"))[0]?.id ?? "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const { of } = rig.settings;
    rig.settings.of = async (guildId) => {
      await promise;
      return await of(guildId);
    };
    const cancelled = queue.cancel(rig.actor("manager"), id);
    await rig.journal.take(rig.snapshot());
    rig.settings.of = of;
    resolve();
    assert.equal((await cancelled).ok, false);
    await rig.clock.advance(60_000);
    assert.equal(rig.sent.length, 2);
    await rig.runs.stop(0);
  });

  test("goes on when its server gets a new key, over a restart too", async () => {
    const rig = new RunsRig();
    const source = "b".repeat(64) as SourceId;
    await rig.runs.queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
    rig.linked = [{ ...binding, source }];
    await rig.runs.audit.event({
      id: "e1",
      guildId: "g1",
      atMs: rig.clock.nowMs(),
      actorId: "u-manager",
      actorName: "manager",
      action: "link",
      text: binding.name,
    });
    await settle();
    const demanded = () => [...rig.demandsPut.keys()].filter((owner) => owner.startsWith("runs-deferred"));
    assert.deepEqual(demanded(), [`runs-deferred:${source}`]);
    rig.crash();
    rig.demandsPut.clear();
    await rig.runs.start();
    assert.deepEqual(demanded(), [`runs-deferred:${source}`]);
    await rig.journal.take({ ...rig.snapshot(), source });
    await rig.clock.advance(60_000);
    assert.deepEqual(
      rig.sent.map((one) => one.source),
      [binding.source, source],
    );
    assert.deepEqual(texts(rig), ["c1 done :h Welcome Success"]);
    await rig.runs.stop(0);
  });

  test("can be cancelled by its person or a Manager, and ends with the link", async () => {
    const rig = new RunsRig();
    const { queue } = rig.runs;
    const defer = async () => {
      await queue.defer(rig.actor("mod"), await meetEmpty(rig, ":h Welcome"));
      await rig.clock.advance(10_000);
      return (await queue.deferred("g1"))[0]?.id ?? "";
    };
    const first = await defer();
    assert.equal((await queue.cancel(rig.actor("admin"), first)).ok, false);
    assert.equal((await queue.cancel(rig.actor("mod"), first)).ok, true);
    assert.equal((await queue.cancel(rig.actor("manager"), await defer())).ok, true);
    await defer();
    await rig.runs.onUnlinked(binding);
    assert.deepEqual(await queue.deferred("g1"), []);
  });
});
