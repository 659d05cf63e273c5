import assert from "node:assert/strict";
import { test } from "node:test";
import { feedRenderer } from "../../src/discord/render/feed.ts";
import { componentIdsOf, type MessageBody } from "../../src/domain/message.ts";
import type { LogEntry } from "../../src/domain/model.ts";
import { sameMessage, snowflakeBefore } from "../../src/feeds/delivery/read-back.ts";
import { startDiscordRig } from "../support/discord-rig.ts";
import { joinFeed as feed } from "../support/join-feed.ts";

const names = ["Ann", "@everyone **x** <@1>", "  spaced   out ", "שלום", "a\u202eb", "👩‍🚒", "http://x.y/z"];
const entries: LogEntry[] = names.flatMap((name, n): LogEntry[] => [
  { kind: "join", atS: 1_700_000_000 + n, player: { name, id: n + 1 }, joined: n % 2 === 0 },
  { kind: "command", atS: 1_700_000_000 + n, player: { name }, text: `:pm ${name} \`hi\`` },
]);
const plain = { stayedS: new Map([[2, 90]]), serverName: "Town *two*" };
const modCall = {
  cardId: "0123456789ab",
  caller: { name: "Ann" },
  calls: [{ atS: 1 }],
  escalated: true,
  hasReplay: true,
};

const emergency = {
  team: "Police * 1",
  callerId: 5,
  unitIds: [7],
  startedAtS: 1_700_000_000,
  callNumber: 12,
  description: "Robbery · in progress",
};

const bodies: readonly MessageBody[] = [
  feedRenderer.lines(feed, entries, plain).body,
  feedRenderer.lines({ ...feed, style: "cards" }, entries, plain).body,
  feedRenderer.digest(feed, entries, "backlog"),
  feedRenderer.digest(feed, entries.slice(2), "refused"),
  feedRenderer.gap("kills", { fromS: 1, toS: 2 }),
  feedRenderer.late("kills", 1_000),
  feedRenderer.ofServer(feedRenderer.late("kills", 1_000), "Town *two*"),
  feedRenderer.modCall(modCall),
  feedRenderer.modCall({ ...modCall, cardId: "ba9876543210" }),
  feedRenderer.emergencyCall({ cardId: "ab0123456789", bindingId: "b1", call: emergency, unitNames: ["7"] }),
];

test("every message of a feed is known again when it is read back through Discord, and taken for no other", async (t) => {
  const { discord, channel, world } = await startDiscordRig(t, []);
  const before = snowflakeBefore(world.clock.nowMs());
  for (const [index, body] of bodies.entries()) {
    await discord.sink.send(channel.id, { ...body, nonce: `nonce-${index}` });
  }
  const posted = await discord.sink.readBack(channel.id, before, 100);
  assert.equal(posted.length, bodies.length, "a message is found by time alone");
  for (const [index, body] of bodies.entries()) {
    const same = posted.map((message) => sameMessage(body, message));
    assert.deepEqual(
      same,
      bodies.map((_, other) => other === index),
      `message ${index}`,
    );
  }
});

test("an open emergency card is known by its message alone, and can be ended from it", async (t) => {
  const { discord, channel } = await startDiscordRig(t, []);
  const view = {
    cardId: "ab0123456789",
    bindingId: "b1",
    call: emergency,
    unitNames: ["7"],
    serverName: "Town",
  };
  for (const [index, callerName] of ["Ann", " called <t:1:T> (<t:1:R>)"].entries()) {
    const body = feedRenderer.emergencyCall({ ...view, callerName });
    await discord.sink.send(channel.id, { ...body, nonce: `nonce-${index}` });
  }
  const posted = await discord.sink.readBack(channel.id, "0", 100);
  const known = { cardId: view.cardId, bindingId: view.bindingId, callNumber: 12, startedAtS: 1_700_000_000 };
  assert.deepEqual(posted.map(feedRenderer.openEmergencyOf), [known, known]);
  const [first] = posted;
  assert.ok(first !== undefined);
  const endedAtMs = 1_700_000_090_000;
  const ended = feedRenderer.endedEmergency(first, endedAtMs);
  assert.deepEqual(ended, feedRenderer.emergencyCall({ ...view, callerName: "Ann", endedAtMs }));
  const cards = ended.cards ?? [];
  assert.equal(feedRenderer.openEmergencyOf({ cards, componentIds: componentIdsOf(ended) }), undefined);
});
