import { type Guide, NotSeen, SETTLE_MS, type TourStep, textOf } from "./tour-guide.ts";

/** The end of the tour: what happened, on the map. */

/** Looks that a replay needs, and a few more. */
const LOOKS = 9;

export const MAP_STEP: TourStep = {
  title: "Who was where? /history retention positions, /server at replay",
  async run({ stage, say, show }: Guide): Promise<void> {
    const { owner, moderator, channels } = stage.cast;
    const olivia = stage.discord.as(owner);
    const asked = await olivia.slash(channels.staff, "history retention", { positions: "2" });
    await asked.settled(({ text }) => /Players are often children/.test(text), SETTLE_MS);
    const question = asked.message;
    if (question === undefined) throw new NotSeen("the question before positions are saved");
    show(question);
    const saved = await olivia.click(question, "Save them for 2 days");
    await saved.settled(({ text }) => /saved for \*\*2 days/.test(text), SETTLE_MS);

    const [killer, victim] = [stage.town.join("Casey_Holt"), stage.town.join("Drew_Park")];
    const nowS = Math.floor(stage.service.nowMs() / 1_000);
    stage.town.lead(victim, [[1_300, 1_560, nowS]]);
    stage.town.lead(killer, [
      [900, 1_560, nowS],
      [1_290, 1_566, nowS + 25],
    ]);
    say("Casey_Holt walks up to Drew_Park, who stands on Main Street.");
    await looked(stage, LOOKS);
    stage.town.kill(killer, victim);
    await looked(stage, 3);

    const replay = await stage.discord
      .as(moderator)
      .slash(channels.staff, "server at", { time: "now", replay: true });
    const done = await replay.settled(
      ({ message, pending }) =>
        !pending && message?.embeds.some(({ image }) => image?.content_type === "image/gif") === true,
      SETTLE_MS,
    );
    if (done.message === undefined || !/Casey_Holt killed Drew_Park|together/.test(textOf(done.message)))
      throw new NotSeen("the replay and its words");
    show(done.message);
  },
};

/** The bot has read the server so many times more. */
async function looked({ service }: Guide["stage"], times: number): Promise<void> {
  const from = service.counts.requests;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setInterval(() => service.counts.requests >= from + times && resolve(), 50);
  const limit = setTimeout(() => reject(new NotSeen("the bot reading the server")), 3 * SETTLE_MS);
  try {
    await promise;
  } finally {
    clearInterval(timer);
    clearTimeout(limit);
  }
}
