import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { BotExit, BotProcess } from "../../src/sandbox/bot-process.ts";
import type { Channel } from "../../src/sandbox/discord/types.ts";
import { addFeed, commandIsThere, linkServer } from "../../src/sandbox/moves.ts";
import { openStage, type Stage } from "../../src/sandbox/stage.ts";
import { cardIdOf } from "../support/card-id.ts";

/** Each call has a card in each channel, and a channel takes five in five seconds. */
const CHANNELS = 25;
const CALLS = 20;

const LOOK_EVERY_MS = 50;

const cardsIn = ({ discord }: Stage, channel: Channel) =>
  discord.messages(channel).flatMap(({ components }) => {
    const parts = components.flatMap((row) => row.components ?? []);
    return cardIdOf(parts.flatMap(({ custom_id: id }) => id ?? [])) ?? [];
  });

/**
 * Resolves when the history has stored what the bot has read, or the bot tells nothing of itself: it does not run. A machine with
 * other work gives the history's thread little time, and it leaves out what comes faster than it is stored, as it should.
 */
async function historyIsStored({ opsAddress }: Pick<BotProcess, "opsAddress">): Promise<void> {
  for (;;) {
    const state = await fetch(`http://${opsAddress}/state`).then(
      async (answer) => (await answer.json()) as { readonly history?: { readonly queued: number } },
      () => undefined,
    );
    if ((state?.history?.queued ?? 0) === 0) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Resolves when the bot has read the server so many times more. */
async function isRead({ service }: Stage, times: number): Promise<void> {
  const due = service.counts.requests + times;
  const read = Promise.withResolvers<void>();
  const looking = setInterval(() => service.counts.requests >= due && read.resolve(), 20);
  await read.promise.finally(() => clearInterval(looking));
}

test("a stop while 500 cards wait for Discord is in order, and the next start posts the rest, each once", async () => {
  const stage = await openStage({
    seed: 8,
    serverKey: "stop-key",
    traffic: "quiet",
    live: true,
    beforeAnswer: historyIsStored,
  });
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
    assert.doesNotMatch(said, /took too long|continues at the next start|"level":[45]0/);
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
