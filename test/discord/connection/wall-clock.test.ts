import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { RateLimitError, REST } from "discord.js";
import { RequestLimits } from "../../../src/discord/connection/request-limits.ts";
import { steadyRest } from "../../../src/discord/connection/within-limits.ts";
import { createAnswerRests } from "../../../src/discord/interactions/answer-rests.ts";
import { md } from "../../../src/domain/escaped.ts";
import { defaultLimits, RateLimits } from "../../../src/sandbox/discord/rate-limits.ts";
import { VirtualClock } from "../../support/clock.ts";
import { startDiscordRig } from "../../support/discord-rig.ts";

const HOUR_MS = 3_600_000;
const MESSAGES = "POST /channels/:id/messages";
/** The real @discordjs/rest before Discord's limits, which count true time; the wall is the virtual clock's. */
function rig(t: TestContext, options: { readonly perSecond?: number; readonly startAheadMs?: number } = {}) {
  const clock = new VirtualClock();
  clock.step(options.startAheadMs ?? 0);
  t.mock.method(Date, "now", () => clock.nowMs());
  const discord = new RateLimits(defaultLimits("real"), () => clock.monotonicMs());
  const postedMs: number[] = [];
  let refused = 0;
  const refuseNext: { readonly seconds: string; readonly isGlobal: boolean }[] = [];
  const limits = new RequestLimits(clock, options.perSecond ?? 50);
  const rest = new REST({
    ...steadyRest(limits, async (url) => {
      await clock.sleep(40);
      const channel = /channels\/(\d+)/.exec(url)?.[1] ?? "";
      const verdict = discord.take(MESSAGES, channel, !url.includes("/interactions/"));
      const headers = new Headers({ ...verdict.headers, "content-type": "application/json" });
      const forced = refuseNext.shift();
      if (verdict.allowed && forced === undefined) {
        postedMs.push(clock.monotonicMs());
        return new Response("{}", { headers });
      }
      refused += 1;
      headers.set("retry-after", forced?.seconds ?? String(verdict.retryAfterMs / 1_000));
      if (forced?.isGlobal ?? verdict.global) headers.set("x-ratelimit-global", "true");
      return new Response("{}", { status: 429, headers });
    }),
  }).setToken("token");
  t.after(() => {
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
  });
  const post = (channel: number) => rest.post(`/channels/${10n ** 17n + BigInt(channel)}/messages`);
  /** Turns the clock until all have settled. */
  const settled = async (work: readonly Promise<unknown>[], withinMs: number) => {
    let isDone = false;
    const all = Promise.allSettled(work).then((outcomes) => {
      isDone = true;
      return outcomes;
    });
    await clock.until(() => isDone, withinMs);
    return await all;
  };
  return { clock, rest, limits, post, settled, postedMs, refuseNext, refused: () => refused };
}

/** The longest time in which nothing was posted. */
function longestSilenceMs(postedMs: readonly number[]): number {
  return Math.max(...postedMs.map((atMs, n) => atMs - (postedMs[n - 1] ?? atMs)));
}

describe("the wall clock of the machine is set while posts wait", () => {
  for (const stepMs of [-HOUR_MS, HOUR_MS, -10_000, 10_000])
    test(`by ${stepMs / 1_000} s: nothing is silent for longer than the channels' windows, nothing refused`, async (t) => {
      const { clock, post, settled, postedMs, refused } = rig(t);
      const posts = Array.from({ length: 240 }, (_, n) => post(n % 12));
      for (const atMs of [700, 6_100, 11_300])
        clock.after(atMs, () => clock.step(atMs === 6_100 ? -stepMs : stepMs));
      const outcomes = await settled(posts, 60_000);
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(["fulfilled"]));
      assert.equal(postedMs.length, posts.length);
      assert.ok(longestSilenceMs(postedMs) <= 6_000, `${longestSilenceMs(postedMs)}`);
      assert.equal(refused(), 0);
    });

  test("a machine that boots an hour ahead and is then corrected goes on posting", async (t) => {
    const { clock, post, settled } = rig(t, { startAheadMs: HOUR_MS });
    await settled([post(1)], 10_000);
    clock.step(-HOUR_MS);
    const posts = Array.from({ length: 120 }, (_, n) => post(n % 60));
    const outcomes = await settled(posts, 10_000);
    assert.ok(outcomes.every(({ status }) => status === "fulfilled"));
  });

  test("during a refusal of everything: the wait is as long as Discord said", async (t) => {
    const { clock, post, settled, refuseNext } = rig(t);
    refuseNext.push({ seconds: "3", isGlobal: true });
    clock.after(1_000, () => clock.step(-HOUR_MS));
    const startMs = clock.monotonicMs();
    await settled([post(1), clock.sleep(100).then(() => post(2))], 10_000);
    assert.ok(clock.monotonicMs() - startMs >= 3_000);
    assert.ok(clock.monotonicMs() - startMs <= 4_000);
  });

  test("the real client posts on", async (t) => {
    const { discord, emulated, world, channel } = await startDiscordRig(t, []);
    const { now } = Date;
    await discord.sink.send(channel.id, { content: md`first`, nonce: "first" });
    t.mock.method(Date, "now", () => now() - HOUR_MS);
    let isDone = false;
    const nonces = Array.from({ length: 60 }, (_, n) => `n${n}`);
    const posts = nonces.map((nonce) => discord.sink.send(channel.id, { content: md`more`, nonce }));
    const all = Promise.all(posts).finally(() => {
      isDone = true;
    });
    while (!isDone) await world.clock.advance(50);
    await all;
    assert.equal(emulated.messages(channel).length, 61);
  });
});

describe("Discord's limits", () => {
  test("no more requests a second than the bot has, and answers to people do not wait behind them", async (t) => {
    const { clock, rest, post, settled, postedMs } = rig(t, { perSecond: 2 });
    const answers = createAnswerRests(rest);
    const startMs = clock.monotonicMs();
    const posts = [1, 2, 3, 4, 5].map((channel) => post(channel));
    const callback = answers.callbacks.post("/interactions/123456789012345678/a/callback", { auth: false });
    await settled([callback], 500);
    assert.equal(clock.monotonicMs() - startMs, 40);
    await settled(posts, 10_000);
    const times = postedMs.map((atMs) => atMs - startMs);
    assert.deepEqual(times, [40, 40, 40, 1_040, 1_040, 2_040]);
    answers.close();
  });

  test("a refusal is waited out and the request made again; where that takes long, its sender decides", async (t) => {
    const { clock, post, settled, refuseNext, postedMs } = rig(t);
    refuseNext.push({ seconds: "1.5", isGlobal: false });
    const startMs = clock.monotonicMs();
    await settled([post(1)], 10_000);
    assert.equal(postedMs.length, 1);
    assert.ok(clock.monotonicMs() - startMs >= 1_500);
    refuseNext.push({ seconds: "30", isGlobal: false });
    const [outcome] = await settled([post(1)], 10_000);
    assert.ok(outcome?.status === "rejected" && outcome.reason instanceof RateLimitError);
    assert.ok(outcome.reason.retryAfter >= 30_000);
  });

  test("a read that is refused for an hour holds its turn no longer than a new message would", async (t) => {
    const { clock, rest, settled, refuseNext } = rig(t);
    const read = () => rest.get(`/channels/${10n ** 17n + 1n}/messages`);
    refuseNext.push({ seconds: "1.5", isGlobal: false });
    const [waited] = await settled([read()], 10_000);
    assert.equal(waited?.status, "fulfilled");
    refuseNext.push({ seconds: "3600", isGlobal: false });
    const startMs = clock.monotonicMs();
    const [outcome] = await settled([read()], 2 * HOUR_MS);
    assert.ok(outcome?.status === "rejected" && outcome.reason instanceof RateLimitError);
    assert.ok(clock.monotonicMs() - startMs <= 20_000);
  });

  test("refusals one after the other hold a new message back no longer than one long refusal does", async (t) => {
    const { clock, post, settled, refuseNext, postedMs } = rig(t);
    for (let n = 0; n < 40; n++) refuseNext.push({ seconds: "6", isGlobal: false });
    const startMs = clock.monotonicMs();
    const [outcome] = await settled([post(1)], 400_000);
    // Discord may know its nonce no longer: only its sender can tell whether an earlier try stands there.
    assert.ok(outcome?.status === "rejected" && outcome.reason instanceof RateLimitError);
    assert.ok(clock.monotonicMs() - startMs <= 20_000);
    assert.deepEqual(postedMs, []);
  });
});
