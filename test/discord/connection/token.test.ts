import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { md } from "../../../src/domain/escaped.ts";
import { SinkRefusal } from "../../../src/domain/failure.ts";
import { eventually, startDiscordRig } from "../../support/discord-rig.ts";

const asks = (traffic: readonly { readonly path: string }[]) =>
  traffic.filter(({ path }) => path === "/users/@me").length;

describe("the token of the running bot", () => {
  test("one 401 on a message is checked once: the token is good, and the message goes out under its nonce", async (t) => {
    const { discord, emulated, channel, log } = await startDiscordRig(t, []);
    emulated.faults.set({ unauthorizedSends: 1 });
    await discord.sink.send(channel.id, { content: md`first`, nonce: "n1" });
    await discord.sink.send(channel.id, { content: md`second`, nonce: "n2" });
    assert.deepEqual(
      emulated.messages(channel).map(({ content, nonce }) => [content, nonce]),
      [
        ["first", "n1"],
        ["second", "n2"],
      ],
    );
    assert.equal(asks(emulated.traffic), 1);
    assert.equal(log.lines.filter(({ message }) => message.includes("401")).length, 1);
    assert.equal(discord.state().ready, true);
  });

  test("a file goes out as well after a 401", async (t) => {
    const { discord, emulated, channel } = await startDiscordRig(t, []);
    emulated.faults.set({ unauthorizedSends: 1 });
    await discord.sink.send(channel.id, {
      content: md``,
      files: [{ name: "a.txt", data: "all" }],
      nonce: "n",
    });
    assert.deepEqual(
      emulated.messages(channel).map(({ attachments }) => attachments.map(({ filename }) => filename)),
      [["a.txt"]],
    );
  });

  test("several that are refused at one moment ask once", async (t) => {
    const { discord, emulated, guild } = await startDiscordRig(t, []);
    const channels = ["a", "b", "c"].map((name) => guild.addChannel({ name }));
    emulated.faults.set({ unauthorizedSends: 3, latencyMs: 20 });
    await Promise.all(
      channels.map(({ id }, index) => discord.sink.send(id, { content: md`x`, nonce: `${index}` })),
    );
    assert.deepEqual(
      channels.map((channel) => emulated.messages(channel).length),
      [1, 1, 1],
    );
    assert.ok(asks(emulated.traffic) < 3, `${asks(emulated.traffic)} checks`);
  });

  test("a request that is refused twice with a good token is a refusal of that request alone", async (t) => {
    const { discord, emulated, channel } = await startDiscordRig(t, []);
    emulated.faults.set({ unauthorizedSends: 2 });
    await assert.rejects(
      discord.sink.send(channel.id, { content: md`first`, nonce: "n1" }),
      (error: unknown) => error instanceof SinkRefusal && error.reason === "rejected",
    );
    await discord.sink.send(channel.id, { content: md`second`, nonce: "n2" });
    assert.equal(emulated.messages(channel).length, 1);
  });

  test("a token that was reset ends the bot, in words that name the variable", async (t) => {
    const { discord, emulated, channel } = await startDiscordRig(t, []);
    emulated.faults.set({ tokenRevoked: true });
    await assert.rejects(discord.sink.send(channel.id, { content: md`x`, nonce: "n" }));
    assert.match(await discord.ended, /DISCORD_TOKEN/);
    assert.equal(discord.state().ready, false);
  });

  test("each final close of the gateway ends the bot, with words of its own", async (t) => {
    const words = {
      4004: /TOKEN/,
      4010: /SHARDS/,
      4011: /SHARDS/,
      4012: /Update Marshal/,
      4013: /intents/,
      4014: /intents/,
    };
    for (const code of [4004, 4010, 4011, 4012, 4013, 4014] as const) {
      const { discord, emulated } = await startDiscordRig(t, []);
      emulated.faults.endGateway(code);
      assert.match(await discord.ended, words[code]);
      assert.equal(discord.state().ready, false);
    }
  });

  test("a connection that is only cut ends nothing", async (t) => {
    const { discord, emulated } = await startDiscordRig(t, []);
    const back = emulated.waitFor((event) => event.type === "gateway-connected");
    emulated.faults.dropGateway();
    await back;
    await eventually(() => discord.state().shards.every(({ status }) => status === 0));
    assert.equal(await Promise.race([discord.ended, Promise.resolve("on")]), "on");
  });
});
