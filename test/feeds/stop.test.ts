import assert from "node:assert/strict";
import { test } from "node:test";
import { cardIdIn } from "../support/card-id.ts";
import { settle } from "../support/clock.ts";
import { FeedsRig } from "../support/feeds-rig.ts";

const CALLS = 500;

/** Whether it ends although nobody moves the clock. */
async function endsAtOnce(ending: Promise<void>): Promise<boolean> {
  let ended = false;
  void ending.then(() => {
    ended = true;
  });
  for (let rounds = 0; rounds < 100 && !ended; rounds++) await settle();
  return ended;
}

/** The calls whose cards stand there, each as often as it does. */
function cardsIn(rig: FeedsRig): readonly string[] {
  return rig.sink.messages("channel-1").flatMap(({ body }) => cardIdIn(body) || []);
}

test("a stop does not wait for 500 cards that wait for their turns, and the next start posts each once", async () => {
  const rig = await new FeedsRig().start();
  await rig.add({ kind: "modCalls" });
  await rig.pollAndFlush(30_000);
  for (let call = 0; call < CALLS; call++) rig.callModerators(`Caller${call}`);
  await rig.pollAndFlush(10_000);
  assert.ok(cardsIn(rig).length < CALLS / 10);
  const warned = rig.warnings.length;
  assert.ok(await endsAtOnce(rig.stop()), "the stop waits for turns");
  assert.deepEqual(rig.warnings.slice(warned), [], "a turn that is withdrawn is no failure");

  await rig.restart();
  await rig.clock.advance(CALLS * 5_000);
  assert.equal(cardsIn(rig).length, CALLS);
  assert.equal(new Set(cardsIn(rig)).size, CALLS);
  assert.ok(await endsAtOnce(rig.stop()));
});

test("a turn that the stop withdraws leaves no doubt: the next start reads no channel for it", async () => {
  const rig = await new FeedsRig().start();
  await rig.add({ kind: "joins" });
  await rig.pollAndFlush(30_000);
  rig.join("Alice");
  await rig.pollAndFlush(0);
  const { posts } = rig.outbox;
  const sent = Array.from({ length: 5 }, () => posts.tryOnce("channel-1", {}));
  await rig.clock.advance(2_500);
  await Promise.all(sent);
  assert.equal(rig.sink.messages("channel-1").length, 5, "a channel takes five in five seconds");
  assert.ok(await endsAtOnce(rig.stop()));
  const calls = rig.sink.calls.length;
  await rig.restart();
  await rig.pollAndFlush(30_000);
  assert.deepEqual(rig.sink.calls.slice(calls), ["send channel-1"]);
  await rig.stop();
});

test("a batch that was frozen when the stop withdrew its turn is sent by the next process, unchanged and unread", async () => {
  const rig = await new FeedsRig().start();
  const feed = await rig.add({ kind: "joins" });
  await rig.pollAndFlush(30_000);
  const { offsets } = rig.stores;
  const set = offsets.set.bind(offsets);
  let stopped: Promise<void> | undefined;
  offsets.set = async (key, record) => {
    await set(key, record);
    if (record.frozen !== undefined) stopped ??= rig.stop();
  };
  rig.join("Alice");
  await rig.pollAndFlush(30_000);
  await stopped;
  assert.equal(rig.sink.messages("channel-1").length, 0);
  const frozen = (await offsets.get(feed.id))?.frozen;
  assert.ok(frozen !== undefined);

  offsets.set = set;
  const calls = rig.sink.calls.length;
  await rig.restart();
  rig.join("Bob");
  await rig.pollAndFlush(30_000);
  const [first, second] = rig.sink.messages("channel-1");
  assert.equal(first?.nonce, frozen.nonce);
  assert.match(first?.body.content ?? "", /Alice/);
  assert.doesNotMatch(first?.body.content ?? "", /Bob/);
  assert.match(second?.body.content ?? "", /Bob/);
  assert.deepEqual(new Set(rig.sink.calls.slice(calls)), new Set(["send channel-1"]));
  await rig.stop();
});

test("a message whose answer does not come keeps only its own feed in doubt", async () => {
  const rig = await new FeedsRig().start();
  await rig.add({ kind: "joins" });
  await rig.add({ kind: "kills", channelId: "channel-2" });
  await rig.pollAndFlush(30_000);
  rig.join("Alice");
  rig.sink.answer = (call, channelId) =>
    call === "send" && channelId === "channel-1" ? new Promise(() => undefined) : Promise.resolve();
  await rig.pollAndFlush(5_000);
  const stopping = rig.wing.stop(2_500);
  await rig.clock.advance(2_500);
  assert.ok(await endsAtOnce(stopping));
  const calls = rig.sink.calls.length;
  rig.sink.answer = () => Promise.resolve();
  await rig.restart();
  rig.log.killLogs.push({
    kind: "kill",
    atS: rig.nowS,
    killer: { name: "Bob", id: 2 },
    killed: { name: "Alice", id: 1 },
  });
  await rig.pollAndFlush(30_000);
  assert.deepEqual(rig.sink.calls.slice(calls).sort(), ["readBack channel-1", "send channel-2"]);
  assert.equal(rig.sink.messages("channel-1").length, 1);
  await rig.stop();
});
