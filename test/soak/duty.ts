import { parseArgs } from "node:util";
import { checkMonth } from "../duty/month-checks.ts";
import { liveMonth } from "../duty/month-life.ts";
import { copySqlite, type Databases, track } from "../history/tracked-databases.ts";
import { PostgresDatabases } from "../support/postgres-databases.ts";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Most evenings are looked at each five minutes or half minute, and some each five seconds. */
const LOOKS_S = [300, 30, 300, 30, 5];

/**
 * A month of twelve people of staff on two servers, on sqlite and on PostgreSQL: every second of every shift beside the
 * towns' own record, and all of it worked out anew.
 *
 *   npm run soak -- duty [--days 30] [--hours 4] [--seed 1]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      days: { type: "string", default: "30" },
      hours: { type: "string", default: "4" },
      seed: { type: "string", default: "1" },
    },
  });
  const [days, hours, seed] = [values.days, values.hours, values.seed].map(Number) as [
    number,
    number,
    number,
  ];
  const folder = tempFolder();
  const programs = postgresPrograms();
  const postgres = programs === undefined ? undefined : await startPostgres(programs);
  const made = postgres && new PostgresDatabases(postgres.url);
  let isExact = true;
  try {
    let files = 0;
    const empty = async () => `sqlite:${folder.path}/duty${++files}.sqlite`;
    const make = made && ((likeUrl?: string) => made.fresh(likeUrl));
    const places = [
      { kind: "sqlite" as const, maker: { empty, copy: (url: string) => copySqlite(url, empty) } },
      ...(make === undefined ? [] : [{ kind: "postgres" as const, maker: { empty: make, copy: make } }]),
    ];
    // The clocks of Europe go back in the one month, and ahead in the other.
    const starts = { sqlite: Date.UTC(2026, 9, 5, 17), postgres: Date.UTC(2026, 2, 9, 17) };
    for (const { kind, maker } of places) {
      const databases = track(kind, maker);
      const plan = { startS: starts[kind] / 1_000, days, eveningS: hours * 3_600, looksS: LOOKS_S, seed };
      isExact = (await compare(databases, plan)) && isExact;
      await databases.close();
    }
  } finally {
    await made?.close();
    await postgres?.stop();
    folder.remove();
  }
  return isExact;
}

async function compare(databases: Databases, plan: Parameters<typeof liveMonth>[1]): Promise<boolean> {
  const month = await liveMonth(databases, plan);
  const events = [...month.counts].map(([what, times]) => `${times} ${what}`).join(", ");
  try {
    const { shifts, seconds, unsureParts } = await checkMonth(month);
    console.log(
      `${databases.kind}: ${shifts} shifts, ${Math.round(seconds / 3_600)} h, exact; ${unsureParts} ends between two looks; ${events}`,
    );
    return true;
  } catch (error) {
    console.error(`${databases.kind}: not exact (${events})`, error);
    return false;
  }
}
