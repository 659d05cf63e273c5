import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { writePast } from "../../src/sandbox/past.ts";
import { type BenchResult, figure, quantile, table } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import type { Community } from "./communities.ts";
import { People } from "./people.ts";

/** The same load as bench `ack`. */
const GUILDS = 1_000;
const LIMIT_PER_S = 70;
const INTERACTIONS_PER_S = 30;
/** Each answer has two pictures, and a community gets one such answer a minute. */
const ASKING = 50;
const PICTURES = 2 * ASKING;
const P99_MS = 30;
const START_WITHIN_MS = 60_000;
/** PICTURES_S=10 for a look while something is changed. */
const MINUTE_MS = Number(process.env.PICTURES_S ?? 60) * 1_000;
const WARM_MS = 30_000;
const MOST_LOOKS = 20;
const LAST_PICTURE_MS = 10_000;

/** The time to the first answer of everybody while a hundred pictures are made in a minute, and in the minute before. */
export async function answersWhilePictures(): Promise<Pick<BenchResult, "ok" | "figures" | "lines">> {
  const world = await BotWorld.open({ guilds: GUILDS, perS: LIMIT_PER_S });
  const { discord, communities, storeUrl } = world;
  try {
    await world.startBot(START_WITHIN_MS);
    const crowd = new People(discord, communities, { perS: INTERACTIONS_PER_S, beside: () => undefined });
    await crowd.act(WARM_MS);
    const file = join(dirname(storeUrl.replace(/^sqlite:/, "")), "history.sqlite");
    for (let looks = 0; recordedGuilds(file).size < ASKING && looks < MOST_LOOKS; looks += 1) {
      await crowd.act(5_000);
    }
    const recorded = recordedGuilds(file);
    const asking = communities.filter(({ guild }) => recorded.has(guild.id)).slice(0, ASKING);
    const guildIds = asking.map(({ guild }) => guild.id);
    const past = writePast({ file, nowS: Math.floor(Date.now() / 1_000), seed: 1, guildIds });
    await crowd.act(2_000);

    crowd.forget();
    await crowd.act(MINUTE_MS);
    const before = [...crowd.times.values()].flat();
    crowd.forget();
    const pictures = askForPictures(asking);
    await crowd.act(MINUTE_MS);
    const made = await pictures;
    const during = [...[...crowd.times.values()].flat(), ...made.times];

    const p99MsWithPictures = figure(quantile(during, 0.99), 1);
    const rows = [
      ["without pictures", before],
      [`with ${made.pictures} pictures`, during],
      ["the answers with pictures alone", made.times],
    ] as const;
    const failures = [...crowd.failures, ...made.failures, ...world.errors];
    return {
      ok: p99MsWithPictures <= P99_MS && made.pictures >= PICTURES && failures.length === 0,
      figures: { pictures: made.pictures, p99MsWithPictures },
      lines: [
        `${past} communities with a past of three weeks ask for /stats server within ${MINUTE_MS / 1_000} s, beside the load of bench ack`,
        ...table(
          ["first answer, ms", "times", "p50", "p99", "longest"],
          rows.map(([what, times]) => [
            what,
            times.length,
            ...[0.5, 0.99, 1].map((part) => figure(quantile(times, part), 1)),
          ]),
        ),
        ...failures.slice(0, 5),
      ],
    };
  } finally {
    await world.close();
  }
}

/** Of which something is recorded by now. */
function recordedGuilds(file: string): ReadonlySet<string> {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    const rows = database.prepare("select guild_id from guilds g join scopes s on s.guild = g.id").all();
    return new Set(rows.map(({ guild_id: id }) => String(id)));
  } finally {
    database.close();
  }
}

/** One after the other over the minute. Answers how many pictures stood in the end. */
async function askForPictures(asking: readonly Community[]) {
  const times: number[] = [];
  const failures: string[] = [];
  let pictures = 0;
  const one = async ({ moderator, general }: Community) => {
    const exchange = await moderator.slash(general, "stats server");
    times.push(exchange.answeredAfterMs ?? Number.POSITIVE_INFINITY);
    const drawn = () => (exchange.message?.embeds ?? []).filter(({ image }) => image !== undefined).length;
    await exchange
      .settled(() => drawn() === 2, LAST_PICTURE_MS)
      .catch(() => void failures.push(`${drawn()} pictures after ${LAST_PICTURE_MS} ms: ${exchange.text}`));
    pictures += drawn();
  };
  const underWay = asking.map(async (community, index) => {
    await sleep((MINUTE_MS / asking.length) * index);
    await one(community).catch((error: unknown) => void failures.push(String(error)));
  });
  await Promise.all(underWay);
  return { times, failures, pictures };
}
