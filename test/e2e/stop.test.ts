import assert from "node:assert/strict";
import { test } from "node:test";
import type { BotExit } from "../../src/sandbox/bot-process.ts";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { addFeed, commandIsThere, linkServer } from "../../src/sandbox/moves.ts";
import { openStage, type Stage } from "../../src/sandbox/stage.ts";
import { cardIdOf } from "../support/card-id.ts";

/** Each call has a card in each channel, and a channel takes five in five seconds. */
const CHANNELS = 25;
const CALLS = 20;

/**
 * Before a stop a machine with other work may leave out rows of the history and say so, as it should.
 */
const HISTORY_IS_SLOW = /"reason":"its database is slower than answers come, so some are left out"/;

const cardsIn = ({ discord }: Stage, channel: Channel) =>
  discord.messages(channel).flatMap(({ components }) => {
    const parts = components.flatMap((row) => row.components ?? []);
    return cardIdOf(parts.flatMap(({ custom_id: id }) => id ?? [])) ?? [];
  });

/** Resolves when the bot has read the server so many times more. */
async function isRead({ service }: Stage, times: number): Promise<void> {
  const due = service.counts.requests + times;
  const read = Promise.withResolvers<void>();
  const looking = setInterval(() => service.counts.requests >= due && read.resolve(), 20);
  await read.promise.finally(() => clearInterval(looking));
}

test("a stop while 500 cards wait for Discord is in order, and the next start posts the rest, each once", async () => {
  const stage = await openStage({ seed: 8, serverKey: "stop-key", traffic: "quiet", live: true });
  try {
    const { bot, cast, discord, town } = stage;
    town.pause();
    const callers = Array.from({ length: CALLS }, (_, at) => town.join(`Caller${at}`));
    town.modCall(callers[0]);
    bot.start();
    await commandIsThere(stage, cast.owner, cast.channels.staff, "setup");
    await linkServer(stage);
    const channels = Array.from({ length: CHANNELS }, (_, at) =>
      cast.guild.addChannel({ name: `calls-${at}` }),
    );
    for (const channel of channels) await addFeed(stage, "mod-calls", channel);
    await isRead(stage, 3);

    for (const caller of callers) town.modCall(caller);
    const posted = () => channels.reduce((sum, channel) => sum + cardsIn(stage, channel).length, 0);
    await discord.until(() => posted() > CHANNELS);
    const ended = new Promise<BotExit>((resolve) => bot.onExit(resolve));
    await bot.stop();
    const { code } = await ended;
    const said = bot.lines.join("\n");
    assert.equal(code, 0, said);
    const stopsAt = bot.lines.findIndex((line) => line.includes('"msg":"stopping"'));
    assert.ok(stopsAt >= 0, said);
    const judged = bot.lines.filter((line, at) => at >= stopsAt || !HISTORY_IS_SLOW.test(line)).join("\n");
    assert.doesNotMatch(judged, /took too long|continues at the next start|"level":[45]0/);
    assert.ok(posted() < (CHANNELS * CALLS) / 2, `${posted()} were posted by then`);

    bot.start();
    await discord.until(() => posted() >= CHANNELS * CALLS, 120_000);
    await isRead(stage, 3);
    for (const channel of channels) {
      const cards = cardsIn(stage, channel);
      assert.equal(cards.length, CALLS, channel.name);
      assert.equal(new Set(cards).size, CALLS, channel.name);
    }
  } finally {
    await stage.close();
  }
});
