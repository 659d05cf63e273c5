import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createClient } from "@redis/client";
import { systemClock } from "../../src/clock.ts";
import type { RunRecord } from "../../src/domain/run.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { createAuditLog } from "../../src/store/audit/audit-log.ts";
import * as schemas from "../../src/store/document-schemas.ts";
import { openStore } from "../../src/store/open-store.ts";
import { seededRandom } from "../support/clock.ts";
import { needsRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { type BenchResult, figure } from "./bench.ts";
import { addCommunity, settle } from "./communities.ts";

export const name = "valkey";

const COMMUNITIES = 200;
const SHAPE = { textChannels: 1, voiceChannels: 0, roles: 1 };
const SERVERS = 100;
const ENTRIES_A_DAY = 1_000;
const DAYS = 30;
const COMMANDS_A_DAY = 100;
const STAFF = 10;
const DAY_MS = 86_400_000;
const KB = 1_024;

/**
 * What a community takes of the memory of a Redis or Valkey: what it has set up (a linked server, three feeds), its feeds after a
 * day of 1,000 entries, and a command that was run, which stays for 90 days.
 */
export async function run(): Promise<BenchResult> {
  const { skip } = needsRedis();
  if (skip !== undefined) return { ok: true, figures: {}, lines: [`not measured: ${skip}`] };
  const setUpKb = await perPiece(COMMUNITIES, setUp);
  const feedsKb = await perPiece(SERVERS, feedsOfADay);
  const commandKb = await perPiece(DAYS * COMMANDS_A_DAY, runCommands);
  const figures = {
    setUpKbPerCommunity: figure(setUpKb, 1),
    feedsKbPerServer: figure(feedsKb, 1),
    kbPerCommand: figure(commandKb, 2),
  };
  return { ok: true, figures, lines: ["memory of the database, KB"] };
}

/** In an empty database of its own: what that adds to its memory, for each of them. */
async function perPiece(pieces: number, fill: (url: string) => Promise<void>): Promise<number> {
  const redis = await startRedis({ appendfsync: "everysec" });
  try {
    const before = await usedBytes(redis);
    await fill(redis.url);
    return ((await usedBytes(redis)) - before) / pieces / KB;
  } finally {
    await redis.stop();
  }
}

/** What counts against maxmemory. */
async function usedBytes({ url }: RedisServer): Promise<number> {
  const client = await createClient({ url }).connect();
  const info = await client.info("memory");
  client.destroy();
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

async function setUp(url: string): Promise<void> {
  const discord = await EmulatedDiscord.start();
  try {
    const communities = Array.from({ length: COMMUNITIES }, (_, index) =>
      addCommunity(discord, index, SHAPE),
    );
    const secretKey = new Uint8Array(32);
    await settle(url, communities, { clock: systemClock, random: seededRandom(1), secretKey });
  } finally {
    await discord.close();
  }
}

async function feedsOfADay(url: string): Promise<void> {
  const file = fileURLToPath(new URL("./footprint-feeds.ts", import.meta.url));
  const child = fork(file, [String(SERVERS), String(ENTRIES_A_DAY), url], { execArgv: ["--expose-gc"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`footprint-feeds.ts ended with ${code}`);
}

async function runCommands(url: string): Promise<void> {
  const store = await openStore(url, { runsIn: "caller" });
  const audit = createAuditLog({
    runs: store.documents("audit-runs", schemas.parseRun, "normal"),
    events: store.documents("audit-events", schemas.parseEvent, "normal"),
    lists: store.documents("audit-lists", schemas.parseDayList, "normal"),
    pages: store.documents("audit-pages", schemas.parseListPage, "normal"),
    open: store.documents("audit-open", schemas.parseOpenMark, "normal"),
    pause: () => Promise.resolve(),
  });
  const nowMs = systemClock.nowMs();
  for (let made = 0; made < DAYS * COMMANDS_A_DAY; made += 1)
    await audit.put(commandOf(made, nowMs - DAYS * DAY_MS + made * (DAY_MS / COMMANDS_A_DAY)));
  await store.close();
}

const VERBS = ["pm", "kick", "warn", "tp", "h"];

function commandOf(made: number, askedAtMs: number): RunRecord {
  const verb = VERBS[made % VERBS.length] ?? "";
  return {
    id: `run${String(made).padStart(9, "0")}`,
    guildId: "1000000000000000000",
    bindingId: "b".repeat(12),
    verb,
    source: "s".repeat(64) as RunRecord["source"],
    serverName: "A town of the bench",
    actorId: String(10n ** 18n + BigInt(made % STAFF)),
    actorName: `Moderator ${made % STAFF}`,
    actorRoleIds: ["1000000000000000001", "1000000000000000002"],
    origin: "command",
    text: `:${verb} SomePlayer${made % 500} please mind the rules of the road`,
    channelId: "1000000000000000003",
    askedAtMs,
    sentAtMs: askedAtMs + 1_000,
    endedAtMs: askedAtMs + 1_300,
    status: "done",
    ran: "yes",
    proof: "seen",
  };
}
