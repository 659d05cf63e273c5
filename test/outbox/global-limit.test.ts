import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownOfOurs } from "../../src/domain/escaped.ts";
import { settle } from "../support/clock.ts";
import { startDiscordRig } from "../support/discord-rig.ts";
import { outboxOver } from "../support/outbox.ts";

const WAIT_MS = 20_000;
const POSTS = 60;

for (const rateLimitIsPage of [false, true])
  test(`a 429 of ${rateLimitIsPage ? "the network in front of Discord" : "all channels"} with posts due is waited for: hardly anything is asked meanwhile, and each stands once`, async (t) => {
    const { emulated, discord, guild, world } = await startDiscordRig(t, []);
    const { clock } = world;
    const outbox = outboxOver(discord.sink, clock);
    discord.listenToLimits({
      onRefused: ({ isGlobal, waitMs }) => isGlobal && outbox.onTooMany(waitMs),
      onSpent: () => undefined,
    });
    const channels = Array.from({ length: POSTS }, (_, at) => guild.addChannel({ name: `c${at}` }));
    const stands = new Map<string, string>();
    const line = outbox.posts.line<string>({
      name: "a message",
      classes: { post: "first", edit: "change" },
      keyOf: (channelId) => channelId,
      guildOf: () => guild.id,
      wanted: async (channelId) =>
        stands.has(channelId)
          ? undefined
          : { channelId, nonce: channelId, body: { content: markdownOfOurs("due") } },
      isIt: () => false,
      onStands: async (channelId, { messageId }) => void stands.set(channelId, messageId),
      onRefused: async () => "over",
    });

    const asked = () => emulated.traffic.filter(({ path }) => path.endsWith("/messages")).length;
    emulated.faults.set({
      rateLimitNext: 1,
      rateLimitIsGlobal: true,
      rateLimitIsPage,
      rateLimitRetryAfterMs: WAIT_MS,
    });
    const atMs = clock.monotonicMs();
    for (const { id } of channels) line.show(id);
    let whileRefused = 0;
    for (let n = 0; n < 3_000 && stands.size < POSTS; n++) {
      await clock.advance(50);
      await settle();
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.monotonicMs() - atMs < WAIT_MS) whileRefused = asked();
    }

    assert.ok(whileRefused <= 10, `${whileRefused} were asked while Discord refused all`);
    assert.deepEqual(
      channels.map((channel) => emulated.messages(channel).length),
      channels.map(() => 1),
    );
    await outbox.stop();
  });
