import { statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, systemRandom } from "../../src/clock.ts";
import type { MapPicture, ReplayPicture } from "../../src/domain/map.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { Spot } from "../../src/domain/track.ts";
import { openDatabase } from "../../src/history/database/open-database.ts";
import { imageOf } from "../../src/history/pictures/image.ts";
import { storeLookOf } from "../../src/history/positions/store-positions.ts";
import { createHistoryThread } from "../../src/history/worker/history-thread.ts";
import { Town } from "../../src/sandbox/service/town/town.ts";
import { seededRandom } from "../support/clock.ts";
import { spotOf } from "../support/map-scenes.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, quantile } from "./bench.ts";
import { BotWorld } from "./bot-world.ts";
import type { Community } from "./communities.ts";
import { guildOf, ROWS_AN_ANSWER, recordedAnswerOf, SERVERS, secondOf } from "./history-town.ts";
import { People } from "./people.ts";

export const name = "map";

const BOUNDS = {
  pictureP99Ms: 150,
  replayP99Ms: 4_000,
  replayKb: 2_048,
  mbPerServerDay: 3,
  ingestPerS: 5_000,
  ackP99Ms: 30,
} as const;
const PLAYERS = 40;
const PICTURES = 100;
const REPLAYS = 20;
const LOOK_EVERY_S = 10;
const INGEST_ROUNDS = Number(process.env.MAP_ROUNDS ?? 15);
/** The same load as bench `ack`. */
const GUILDS = 1_000;
const LIMIT_PER_S = 70;
const INTERACTIONS_PER_S = 30;
const MINUTE_MS = 60_000;

/** Pictures, replays, what positions take, and everybody's first answer meanwhile. */
export async function run(): Promise<BenchResult> {
  const drawn = drawAll();
  const stored = await storeDay();
  const ingestPerS = await ingest();
  const answers = await answersMeanwhile();
  const figures = { ...drawn.figures, mbPerServerDay: stored.mb, ingestPerS, ackP99Ms: answers.p99Ms };
  const most = ["pictureP99Ms", "replayP99Ms", "replayKb", "mbPerServerDay", "ackP99Ms"] as const;
  return {
    ok:
      most.every((one) => figures[one] <= BOUNDS[one]) &&
      ingestPerS >= BOUNDS.ingestPerS &&
      answers.failures.length === 0,
    figures,
    lines: [...drawn.lines, stored.line, ...answers.lines, ...answers.failures.slice(0, 5)],
  };
}

/** Times are those of the thread that draws: what else the machine does is not in them. */
function drawAll() {
  const random = seededRandom(3);
  const timed = (draw: () => Uint8Array) => {
    const before = process.threadCpuUsage();
    const bytes = draw();
    const { user, system } = process.threadCpuUsage(before);
    return { ms: (user + system) / 1_000, kb: bytes.length / 1_024 };
  };
  imageOf(mapOf(random, 0));
  const pictures = Array.from({ length: PICTURES }, (_, nth) => timed(() => imageOf(mapOf(random, nth))));
  const replays = Array.from({ length: REPLAYS }, (_, nth) => timed(() => imageOf(replayOf(nth))));
  const figures = {
    pictureP99Ms: msAt(pictures, 0.99),
    replayP99Ms: msAt(replays, 0.99),
    replayKb: figure(Math.max(...replays.map(({ kb }) => kb)), 0),
  };
  const kb = figure(Math.max(...pictures.map((one) => one.kb)), 0);
  return {
    figures,
    lines: [
      `${PICTURES} pictures of ${PLAYERS} players: p50 ${msAt(pictures, 0.5)} ms of the thread, at most ${kb} KB`,
      `${REPLAYS} replays of ${PLAYERS} players with 25 looks: p50 ${msAt(replays, 0.5)} ms, at most ${figures.replayKb} KB`,
    ],
  };
}

function msAt(all: readonly { readonly ms: number }[], share: number): number {
  const ms = all.map((one) => one.ms);
  return figure(quantile(ms, share), 1);
}

function townOf(seed: number): { readonly town: Town; at(second: number): void } {
  let nowMs = 1_763_755_200_000;
  const options = { info: { maxPlayers: PLAYERS }, initialPlayers: PLAYERS, intensity: "busy" as const };
  const town = new Town(seed, () => nowMs, options);
  return {
    town,
    at(second) {
      nowMs = 1_763_755_200_000 + second * 1_000;
      town.advanceTo(nowMs);
    },
  };
}

function mapOf(random: Random, nth: number): MapPicture {
  const { town } = townOf(nth + 1);
  const points = town.world.players.flatMap((player) => {
    const spot = spotOf(town, player.ref);
    const isStaff = town.world.staff.has(player.ref.id);
    const wantedStars = random.next() < 0.2 ? 3 : 0;
    return spot === null ? [] : [{ ...spot, name: player.ref.name, isStaff, wantedStars }];
  });
  return { kind: "map", look: nth % 2 === 0 ? "dark" : "light", title: "A busy server", points, calls: [] };
}

function replayOf(nth: number): ReplayPicture {
  const { town, at } = townOf(nth + 100);
  const { players } = town;
  const looksS: number[] = [];
  const spots: (Spot | null)[][] = players.map(() => []);
  for (let second = 0; second <= 120; second += 5) {
    at(second);
    looksS.push(second);
    players.forEach((player, index) => void spots[index]?.push(spotOf(town, player)));
  }
  const people = players.map((player, index) => ({
    name: player.name,
    isStaff: index < 3,
    isMeant: index < 2,
    spots: spots[index] ?? [],
  }));
  const events = [{ atS: 90, kind: "kill" as const, words: "One killed another", person: 1 }];
  const look = nth % 2 === 0 ? ("dark" as const) : ("light" as const);
  return {
    kind: "replay",
    look,
    title: "One killed another",
    times: looksS.map(String),
    looksS,
    people,
    events,
    caption: ["Times in UTC. Positions every 5 s."],
  };
}

/** Two hours of a full server in a database of its own, as a day. */
async function storeDay() {
  const folder = tempFolder();
  const HOURS = 2;
  try {
    const path = join(folder.path, "history.sqlite");
    const database = await openDatabase(`sqlite:${path}`);
    await database.close();
    const before = statSync(path).size;
    const { db, close } = await openDatabase(`sqlite:${path}`);
    const { town, at } = townOf(5);
    const numbers = new Map<number, number>();
    for (let second = 0; second < HOURS * 3_600; second += LOOK_EVERY_S) {
      at(second);
      const spots = new Map<number, Spot>();
      for (const player of town.players) {
        const spot = spotOf(town, player);
        const number = numbers.get(player.id) ?? 300 + numbers.size;
        numbers.set(player.id, number);
        if (spot !== null) spots.set(number, spot);
      }
      await storeLookOf(db, 1, { atS: 1_763_755_200 + second, spots });
    }
    await close();
    const mb = figure((((statSync(path).size - before) / HOURS) * 24) / 1_000_000, 2);
    return { mb, line: `${PLAYERS} players, a look each ${LOOK_EVERY_S} s: ${mb} MB a day in the file` };
  } finally {
    folder.remove();
  }
}

/** Rows a second through the worker, each answer with forty places. */
async function ingest(): Promise<number> {
  const folder = tempFolder();
  const opened = Promise.withResolvers<string | undefined>();
  const client = createHistoryThread({
    options: { url: `sqlite:${join(folder.path, "history.sqlite")}`, markKey: new Uint8Array(32) },
    clock: systemClock,
    random: systemRandom,
    onTrouble: opened.resolve,
    onDefect: (message) => process.stderr.write(`${message}\n`),
  });
  try {
    client.start();
    const trouble = await opened.promise;
    if (trouble !== undefined) throw new Error(trouble);
    for (let server = 0; server < SERVERS; server += 1)
      await client.call("positions.setDays", { guildId: guildOf(server), days: 2 });
    const round = async (nth: number) => {
      const random = seededRandom(7 + nth);
      const times = secondOf(nth, 2_000);
      for (let server = 0; server < SERVERS; server += 16) {
        const answers = Array.from({ length: Math.min(16, SERVERS - server) }, (_, at) => {
          const answer = recordedAnswerOf(server + at, times, random);
          const players = (answer.players ?? []).map((player) => ({ ...player, spot: anySpot(random) }));
          return { ...answer, players };
        });
        await client.call("ingest.take", { answers }, { withinMs: 120_000 });
      }
    };
    await round(0);
    const startMs = performance.now();
    for (let nth = 1; nth <= INGEST_ROUNDS; nth += 1) await round(nth);
    const seconds = (performance.now() - startMs) / 1_000;
    return figure((INGEST_ROUNDS * SERVERS * ROWS_AN_ANSWER) / seconds, 0);
  } finally {
    await client.stop();
    folder.remove();
  }
}

function anySpot(random: Random): Spot {
  const part = () => Math.floor(random.next() * 3_121);
  return {
    x: part(),
    z: part(),
    team: "Police",
    street: `Street ${Math.floor(random.next() * 16)}`,
    postal: String(100 + Math.floor(random.next() * 169)),
  };
}

/** First answers of everybody while twenty pictures and two replays are made in a minute. */
async function answersMeanwhile() {
  const world = await BotWorld.open({ guilds: GUILDS, perS: LIMIT_PER_S });
  const { discord, communities } = world;
  try {
    await world.startBot(60_000);
    const crowd = new People(discord, communities, { perS: INTERACTIONS_PER_S, beside: () => undefined });
    const [asking, replaying] = [communities.slice(0, 20), communities.slice(20, 22)];
    for (const community of replaying) await savePositions(community);
    await crowd.act(2 * MINUTE_MS);
    crowd.forget();
    const made = ask([
      ...asking.map((community) => ({ community, command: "server map", options: {} })),
      ...replaying.map((community) => ({
        community,
        command: "server at",
        options: { time: "now", replay: true },
      })),
    ]);
    await crowd.act(MINUTE_MS);
    const { times, failures } = await made;
    const all = [...[...crowd.times.values()].flat(), ...times];
    const p99Ms = figure(quantile(all, 0.99), 1);
    return {
      p99Ms,
      failures: [...crowd.failures, ...failures, ...world.errors],
      lines: [
        `${asking.length} pictures and ${replaying.length} replays in a minute beside the load of bench ack: p99 of ${all.length} first answers ${p99Ms} ms`,
      ],
    };
  } finally {
    await world.close();
  }
}

async function savePositions({ owner, general }: Community): Promise<void> {
  const asked = await owner.slash(general, "history retention", { positions: "2" });
  const { message } = await asked.settled(({ pending }) => !pending, 20_000);
  if (message === undefined) throw new Error(`no question: ${asked.text}`);
  await (await owner.click(message, "Save them for 2 days")).settled(({ pending }) => !pending, 20_000);
}

interface Question {
  readonly community: Community;
  readonly command: string;
  readonly options: Readonly<Record<string, string | boolean>>;
}

async function ask(questions: readonly Question[]) {
  const times: number[] = [];
  const failures: string[] = [];
  const underWay = questions.map(async ({ community, command, options }, index) => {
    await sleep((MINUTE_MS / questions.length) * index);
    const exchange = await community.moderator.slash(community.general, command, options);
    times.push(exchange.answeredAfterMs ?? Number.POSITIVE_INFINITY);
    const isDrawn = () => (exchange.message?.embeds ?? []).some(({ image }) => image !== undefined);
    await exchange
      .settled(isDrawn, 30_000)
      .catch(() => void failures.push(`no picture: ${exchange.text.slice(0, 200)}`));
  });
  await Promise.all(underWay.map((one) => one.catch((error: unknown) => void failures.push(String(error)))));
  return { times, failures };
}
