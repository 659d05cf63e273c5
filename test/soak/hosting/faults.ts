import { execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BotEnvironment } from "../../../src/sandbox/bot-process.ts";
import { linkServer } from "../../../src/sandbox/moves.ts";
import type { Stage } from "../../../src/sandbox/stage.ts";
import { markBackup } from "../../../src/store/sqlite/backup-mark.ts";
import { postgresPrograms, startPostgres } from "../../support/postgres-server.ts";
import { startRedis } from "../../support/redis-server.ts";
import { fillDisk, smallDisk } from "../../support/small-disk.ts";
import { TcpWay } from "../../support/tcp-way.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Where a fault's processes run. What it opens is closed by `ends`, the last one first. */
export interface Place {
  readonly environment?: Partial<BotEnvironment>;
  readonly processes?: number;
  readonly dataFolder?: string;
  /** The community is served by another process, or by none: nothing is linked. */
  readonly isElsewhere?: boolean;
  /** Begins the fault, on processes that are at work. */
  begin(stage: Stage): void | Promise<void>;
  /** Called every half minute while it lasts. */
  goOn?(stage: Stage, sample: number): void | Promise<void>;
}

type Ends = (() => unknown)[];
/** Undefined: this machine lacks what it needs. */
type Open = (ends: Ends) => Promise<Place | undefined>;

const SECRET_KEY = Buffer.alloc(32, 5).toString("base64");
/** A disk for the store and the history of a town of some minutes. */
const DISK_KB = 16_384;
const HOUR_MS = 3_600_000;
const CGROUPS = "/sys/fs/cgroup/memory";

const alone =
  (begin: Place["begin"], environment: Partial<BotEnvironment> = {}): Open =>
  async () => ({ begin, environment });

async function onRedis(ends: Ends) {
  const redis = await startRedis({ appendfsync: "everysec" });
  const way = await TcpWay.open(() => Number(new URL(redis.url).port));
  ends.push(
    () => redis.stop(),
    () => way.close(),
  );
  return { redis, way, environment: { STORE_URL: `redis://127.0.0.1:${way.port}`, SECRET_KEY } };
}

async function onPostgres(ends: Ends) {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const server = await startPostgres(programs);
  const url = new URL(server.url);
  const folder = url.searchParams.get("host") ?? "";
  const way = await TcpWay.open(() => join(folder, ".s.PGSQL.5432"));
  ends.push(
    () => server.stop(),
    () => way.close(),
  );
  const HISTORY_URL = `postgres://${url.username}@127.0.0.1:${way.port}/postgres`;
  return { server, way, environment: { HISTORY_URL } };
}

/** Each fault by its name, with the real processes that it happens to. */
export const FAULTS: Readonly<Record<string, Open>> = {
  none: alone(() => undefined),
  "service-429-now-and-then": alone(({ service }) => service.faults.set({ tooMany: 0.2 })),
  "service-429-for-an-hour": alone(({ service }) =>
    service.faults.set({ tooMany: 1, tooManyRetryAfterMs: HOUR_MS }),
  ),
  "service-block-page": alone(({ service }) => service.blocks.showPage("127.0.0.1", Date.now(), HOUR_MS)),
  "service-away": alone(({ service }) => service.faults.set({ resetBefore: 1 })),
  "keys-refused": async () => ({
    environment: { BAD_KEY_BUDGET: "4" },
    async begin(stage) {
      for (const key of ["hostSecond-hostKeyTwo", "hostThird-hostKeyThree"]) {
        stage.service.addServer(key);
        await linkServer(stage, {}, key);
      }
      stage.service.faults.set({ refuseKey: 1 });
    },
  }),
  "discord-away": alone(({ discord }) => discord.faults.set({ outage: "down" })),
  "discord-takes-nothing": alone(({ discord }) => discord.faults.set({ outage: "5xx" })),
  "discord-refuses": alone(({ discord }) => {
    discord.limits.globalPerSecond = 1;
    Object.assign(discord.limits.routes, { "POST /channels/:id/messages": { limit: 50, windowMs: 1_000 } });
  }),
  "discord-few-messages": alone(({ discord, town }) => {
    Object.assign(discord.limits.routes, { "POST /channels/:id/messages": { limit: 1, windowMs: 240_000 } });
    town.setIntensity("frenzy");
  }),
  "discord-comes-and-goes": async () => ({
    begin: ({ discord }) => discord.faults.set({ outage: "5xx" }),
    goOn({ discord }, sample) {
      // Away for eleven minutes and a half, back for half a minute.
      const isBack = sample % 24 < 1;
      discord.faults.set({ outage: isBack ? undefined : "5xx" });
    },
  }),
  "discord-slow": async () => ({
    begin: ({ discord }) => discord.faults.set({ latencyMs: 1_900 }),
    async goOn({ discord, cast }) {
      await discord.as(cast.owner).slash(cast.channels.staff, "help");
    },
  }),
  "disk-full": async (ends) => {
    const path = smallDisk({ after: (end) => ends.push(end) }, DISK_KB);
    if (path === undefined) return undefined;
    return { dataFolder: path, begin: () => void fillDisk(path) };
  },
  "redis-gone": async (ends) => {
    const { redis, environment } = await onRedis(ends);
    return { environment, processes: 2, begin: () => redis.kill() };
  },
  "redis-slow": async (ends) => {
    const { way, environment } = await onRedis(ends);
    return {
      environment,
      processes: 2,
      begin() {
        way.delayMs = 800;
      },
    };
  },
  "postgres-gone": async (ends) => {
    const opened = await onPostgres(ends);
    if (opened === undefined) return undefined;
    return { environment: opened.environment, begin: () => opened.server.goAway() };
  },
  "postgres-slow": async (ends) => {
    const opened = await onPostgres(ends);
    if (opened === undefined) return undefined;
    return {
      environment: opened.environment,
      begin() {
        opened.way.delayMs = 3_000;
      },
    };
  },
  "crash-loop": async () => ({
    begin: () => undefined,
    async goOn({ bot }, sample) {
      if (sample % 3 === 0) await bot.restart("kill");
    },
  }),
  "all-gone": alone(({ bot }) => bot.kill()),
  "standby-gone": async (ends) => {
    const { environment } = await onRedis(ends);
    return {
      environment,
      processes: 2,
      async begin({ bots }) {
        for (const bot of bots) if (/standing by|serves these/.test(await bot.readiness())) await bot.kill();
      },
    };
  },
  "block-unserved": async (ends) => {
    const { environment } = await onRedis(ends);
    return { environment: { ...environment, SHARDS: "0/2" }, isElsewhere: true, begin: () => undefined };
  },
  "cpu-stolen": async () => ({
    begin({ bot }) {
      // As a machine does that has too little of it: nothing for most of each second.
      const stolen = setInterval(() => {
        bot.freeze();
        setTimeout(() => bot.unfreeze(), 900);
      }, 1_200);
      bot.onExit(() => clearInterval(stolen));
    },
  }),
  "backups-fail": async (ends) => {
    const { path, remove } = tempFolder();
    ends.push(remove);
    // Of three days ago, and none since.
    return {
      dataFolder: path,
      begin: () => markBackup(join(path, "marshal.sqlite"), Date.now() - 72 * HOUR_MS),
    };
  },
  "memory-nearly-full": async (ends) => {
    const group = join(CGROUPS, `marshal-${process.pid}`);
    try {
      mkdirSync(group);
    } catch {
      return undefined;
    }
    ends.push(() => rmdirSync(group));
    return {
      async begin({ bot }) {
        const limit = await residentBytes(bot.opsAddress);
        writeFileSync(join(group, "memory.limit_in_bytes"), String(Math.ceil(limit * 1.1)));
        execFileSync("sh", ["-c", `echo ${bot.pid} > ${join(group, "cgroup.procs")}`]);
      },
    };
  },
};

/** What a process says of its memory. */
export async function residentBytes(opsAddress: string): Promise<number> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
}
