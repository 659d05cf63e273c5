import type { KillEntry, Snapshot, SourceId } from "../../src/domain/model.ts";
import { Schedule } from "../../src/watch/schedule/schedule.ts";
import { newSourceStats, type SourceStats, statsAfter } from "../../src/watch/schedule/source-stats.ts";
import { seededRandom } from "../support/clock.ts";
import { serverStatus } from "../support/server-status.ts";

const QUIET = 200;
const LEAGUE = 50;
/** As many as a guild may link. */
const SERVERS = 10;
const POLLS_PER_S = 35;
const FOR_S = 1_200;
const WINDOW_ROWS = 100;
/** Of a quiet server, and of one whose log is new from one end to the other within a second. */
const QUIET_PER_S = 0.02;
const FAST_PER_S = 200;

interface Server {
  readonly source: SourceId;
  readonly guildId: string;
  readonly rowsPerS: number;
}

/**
 * The polls of quiet guilds beside a league of guilds whose logs are too fast to be saved, over their polls without it:
 * the project's own schedule and rates, on a virtual clock, over answers of such servers.
 */
export function pollsBesideLeague(): number {
  const quiet = servers("quiet", QUIET, 1, QUIET_PER_S);
  const league = servers("league", LEAGUE, SERVERS, FAST_PER_S);
  return pollsOfQuiet([...quiet, ...league]) / pollsOfQuiet(quiet);
}

function servers(name: string, guilds: number, each: number, rowsPerS: number): readonly Server[] {
  return Array.from({ length: guilds * each }, (_, index) => ({
    source: `${name}-${index}` as SourceId,
    guildId: `${name}-${index % guilds}`,
    rowsPerS,
  }));
}

function pollsOfQuiet(all: readonly Server[]): number {
  const random = seededRandom(5);
  const schedule = new Schedule();
  const known = new Map<SourceId, { readonly server: Server; readonly stats: SourceStats }>();
  const put = (server: Server, stats: SourceStats) => {
    const { source, guildId } = server;
    known.set(source, { server, stats });
    schedule.put({ source, guildId, stats, notBeforeMs: 0 });
  };
  for (const server of all) put(server, newSourceStats(0, random.next()));

  let polls = 0;
  for (let nowMs = 0; nowMs < FOR_S * 1_000; nowMs += 1_000 / POLLS_PER_S) {
    const choice = schedule.next({ nowMs, pollsPerS: POLLS_PER_S, peopleShare: 0 });
    const chosen = choice.kind === "poll" ? known.get(choice.source) : undefined;
    if (chosen === undefined) continue;
    if (chosen.server.rowsPerS === QUIET_PER_S) polls += 1;
    put(chosen.server, statsAfter(chosen.stats, answerOf(chosen.server, nowMs), nowMs));
  }
  return polls;
}

/** The latest rows of a log that grows evenly. */
function answerOf({ source, rowsPerS }: Server, nowMs: number): Snapshot {
  const player = { name: "player", id: 1 };
  const made = Math.floor((nowMs / 1_000) * rowsPerS);
  const killLogs = Array.from({ length: Math.min(WINDOW_ROWS, made) }, (_, index): KillEntry => {
    return { kind: "kill", atS: Math.floor((made - index) / rowsPerS), killer: player, killed: player };
  });
  return {
    source,
    askedAtMs: nowMs,
    takenAtMs: nowMs,
    status: serverStatus({ currentPlayers: 12 }),
    lists: { killLogs },
    skippedRows: {},
  };
}
