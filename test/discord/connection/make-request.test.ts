import assert from "node:assert/strict";
import { test } from "node:test";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { md } from "../../../src/domain/escaped.ts";
import { startDiscordRig } from "../../support/discord-rig.ts";

test("a file reaches Discord although npm's undici, which api/ imports, sends for the whole process", async (t) => {
  // What importing it does; said again here, because another test may have imported another undici since.
  setGlobalDispatcher(getGlobalDispatcher());
  const { discord, emulated, channel } = await startDiscordRig(t, []);
  const data = "name,second\nRiley — ü,1\n";
  await discord.sink.send(channel.id, { content: md`all`, files: [{ name: "all.csv", data }], nonce: "n" });
  const [message] = emulated.messages(channel);
  assert.equal(message?.content, "all");
  assert.equal(Buffer.from(message?.attachments[0]?.bytes ?? []).toString("utf8"), data);
});
