import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { systemClock } from "../../src/clock.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { seededRandom } from "../support/clock.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type BenchResult, figure, table } from "./bench.ts";
import { addCommunity, feedKinds, type Shape, settle } from "./communities.ts";

export const name = "footprint";

/** Costs are differences between few and many: what the process itself needs, and its code, falls out of them. */
const FEW_GUILDS = 100;
const FEW_SERVERS = 20;

/** The first of each is what the figures are about; the others show what makes the cost grow. */
const SHAPES = [
  {
    what: "30 channels, 20 roles",
    more: 1_000,
    shape: { textChannels: 22, voiceChannels: 5, roles: 18 },
  },
  {
    what: "60 channels, 40 roles",
    more: 300,
    shape: { textChannels: 49, voiceChannels: 8, roles: 38 },
  },
] as const;
const DAYS = [
  { what: "1,000 entries a day, as in the bench delivery", more: 150, perDay: 1_000 },
  { what: "3,000 entries a day", more: 50, perDay: 3_000 },
] as const;

/** What answers leave in memory: an ordinary server and one whose logs are full. */
const TOWNS = [
  { what: "an ordinary town", town: "ordinary", more: 100 },
  { what: "a busy town", town: "busy", more: 100 },
] as const;

const MOST_GUILD_KB = 100;
const MOST_FEED_STATE_KB = 40;
const MOST_LIVE_KB = 60;

const hostTold = z.object({
  heapBytes: z.number(),
  discord: z.object({ guilds: z.number() }),
  feeds: z.object({ live: z.number() }),
});
const liveTold = z.object({ heapBytes: z.number(), packedBytes: z.number() });
const feedsTold = z.object({
  heapBytes: z.number(),
  storedBytes: z.record(z.string(), z.number()),
  cards: z.number(),
  undelivered: z.number(),
});

/**
 * What one more guild costs the heap of the whole bot (a linked server, three feeds, settings, what discord.js keeps
 * of it), and what one more server costs the feeds wing after a day (journals, offsets, cards): in the heap, and in
 * the store; the figure is the greater of the two.
 */
export async function run(): Promise<BenchResult> {
  const guilds: { readonly what: string; readonly kb: number }[] = [];
  for (const { what, more, shape } of SHAPES) guilds.push({ what, kb: await guildKb(more, shape) });
  const servers: ({ readonly what: string } & FeedState)[] = [];
  for (const { what, more, perDay } of DAYS) servers.push({ what, ...(await feedState(more, perDay)) });
  const live: { readonly what: string; readonly kb: number; readonly packedKb: number }[] = [];
  for (const { what, town, more } of TOWNS) live.push({ what, ...(await liveKb(town, more)) });
  const figures = {
    heapKbPerGuild: figure(guilds[0]?.kb ?? Number.POSITIVE_INFINITY, 1),
    feedStateKbPerServer: figure(servers[0]?.worstKb ?? Number.POSITIVE_INFINITY, 1),
    liveKbPerServer: figure(live[0]?.kb ?? Number.POSITIVE_INFINITY, 1),
  };
  const ok =
    figures.heapKbPerGuild <= MOST_GUILD_KB &&
    figures.feedStateKbPerServer <= MOST_FEED_STATE_KB &&
    figures.liveKbPerServer <= MOST_LIVE_KB;
  const lines = [
    ...table(
      ["one more guild", "heap KB"],
      guilds.map(({ what, kb }) => [what, figure(kb, 1)]),
    ),
    ...table(
      [
        "one more server's feeds after a day",
        "heap KB",
        "stored KB",
        "journals",
        "offsets",
        "cards",
        "cards at hand",
      ],
      servers.map(({ what, heapKb, storedKb, by, cards }) => [
        what,
        ...[
          heapKb,
          storedKb,
          ...["journal-heads", "feed-offsets", "cards"].map((one) => by[one] ?? 0),
          cards,
        ].map((value) => figure(value, 1)),
      ]),
    ),
    ...table(
      ["one more server that answers", "snapshot KB", "a minute later"],
      live.map(({ what, kb, packedKb }) => [what, figure(kb, 1), figure(packedKb, 1)]),
    ),
  ];
  return { ok, figures, lines };
}

async function guildKb(more: number, shape: Shape): Promise<number> {
  const few = await heapBytesWith(FEW_GUILDS, shape);
  const many = await heapBytesWith(FEW_GUILDS + more, shape);
  return (many - few) / more / 1_024;
}

/** The heap of a bot that has just logged in. Nothing answers for the service: no answer of it is in the heap. */
async function heapBytesWith(guilds: number, shape: Shape): Promise<number> {
  const folder = tempFolder();
  const discord = await EmulatedDiscord.start();
  try {
    const communities = Array.from({ length: guilds }, (_, index) => addCommunity(discord, index, shape));
    const storeUrl = `sqlite:${join(folder.path, "marshal.sqlite")}`;
    await settle(storeUrl, communities, { clock: systemClock, random: seededRandom(1) });
    const told = hostTold.parse(
      await childTells("./footprint-host.ts", [], {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        SERVICE_URL: await deafUrl(),
        STORE_URL: storeUrl,
        OPS_ADDRESS: "",
      }),
    );
    if (told.discord.guilds !== guilds || told.feeds.live !== guilds * feedKinds.length)
      throw new Error(`the bot did not come up with ${guilds} guilds: ${JSON.stringify(told)}`);
    return told.heapBytes;
  } finally {
    await discord.close();
    folder.remove();
  }
}

interface FeedState {
  readonly heapKb: number;
  readonly storedKb: number;
  readonly worstKb: number;
  /** Stored, by namespace. */
  readonly by: Readonly<Record<string, number>>;
  readonly cards: number;
}

async function feedState(moreServers: number, perDay: number): Promise<FeedState> {
  const [few, many] = await Promise.all(
    [FEW_SERVERS, FEW_SERVERS + moreServers].map(async (servers) =>
      feedsTold.parse(await childTells("./footprint-feeds.ts", [String(servers), String(perDay)], {})),
    ),
  );
  if (few === undefined || many === undefined) throw new Error("two worlds were asked for");
  if (many.undelivered > 0) throw new Error(`${many.undelivered} entries were never delivered`);
  const kb = (more: number, less: number) => (more - less) / moreServers / 1_024;
  const by = Object.fromEntries(
    Object.entries(many.storedBytes).map(([one, bytes]) => [one, kb(bytes, few.storedBytes[one] ?? 0)]),
  );
  const storedKb = Object.values(by).reduce((sum, one) => sum + one, 0);
  const heapKb = kb(many.heapBytes, few.heapBytes);
  const cards = (many.cards - few.cards) / moreServers;
  return { heapKb, storedKb, worstKb: Math.max(heapKb, storedKb), by, cards };
}

/** What one more server's answers keep in the heap: its latest snapshot. */
async function liveKb(
  town: string,
  more: number,
): Promise<{ readonly kb: number; readonly packedKb: number }> {
  const server = fork(fileURLToPath(new URL("./canned-server.ts", import.meta.url)), [town, "whole"]);
  try {
    const [{ port }] = (await once(server, "message")) as [{ readonly port: number }];
    const heapOf = async (servers: number) => {
      const args = [`http://127.0.0.1:${port}`, String(servers)];
      return liveTold.parse(await childTells("./footprint-live.ts", args, {}));
    };
    const [many, few] = [await heapOf(FEW_SERVERS + more), await heapOf(FEW_SERVERS)];
    const kb = (one: number, other: number) => (one - other) / more / 1_024;
    return { kb: kb(many.heapBytes, few.heapBytes), packedKb: kb(many.packedBytes, few.packedBytes) };
  } finally {
    server.disconnect();
  }
}

/** Runs a file beside this one in a process of its own and gives what it tells; resolves once it has ended. */
async function childTells(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<unknown> {
  // The parent's environment stays out: a real token of this machine must not be used by a bench.
  const env = { PATH: process.env.PATH, ...environment };
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { env, execArgv: ["--expose-gc"] });
  let told: unknown;
  child.on("message", (message) => {
    told = message;
  });
  const [code] = await once(child, "exit");
  if (code !== 0 || told === undefined) throw new Error(`${file} ended with ${code} and told nothing`);
  return told;
}

/** An address of the loopback that refuses every connection. */
async function deafUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return `http://127.0.0.1:${address.port}`;
}
