import { Failure } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { RemoteCommand, RunAuthor, RunAuthors } from "../../domain/ports/run-authors.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RunRecord } from "../../domain/run.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import { matchRuns, type SentRun } from "./match-runs.ts";

export interface RunAuthorsPorts {
  readonly audit: Pick<AuditLog, "search">;
  readonly bindings: Pick<Bindings, "list" | "bySource">;
  readonly settings: Pick<Settings, "of">;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  readonly clock: Clock;
  /** Of the time before, runs may be missing in the audit, epoch milliseconds; undefined: none is. */
  readonly wholeSinceMs: number | undefined;
}

const DAY_MS = 24 * 60 * 60_000;
/** A run is found by when it was asked for: it may have waited for its confirmation, its turn and the gate since. */
const ASKED_BEFORE_ROW_MS = 30 * 60_000;
/** The service's clock may be behind ours. */
const ASKED_AFTER_ROW_MS = 15_000;
/** A clock that is wrong by more may have been wrong by something else when a run was written down. */
const CLOCK_WRONG_MS = 10_000;
/** Rows that lie closer are looked up by one search. */
const ONE_SEARCH_S = 20 * 60;
const MOST_RUNS = 500;

/** Finds in the audit who had "Remote Server" run a command. Each look reads a bounded number of rows. */
export function createRunAuthors(ports: RunAuthorsPorts): RunAuthors {
  return {
    async of(guildId, rows) {
      const authors = new Map<RemoteCommand, RunAuthor>();
      const ofServers = Map.groupBy(rows, ({ bindingId }) => bindingId);
      for (const [bindingId, ofServer] of ofServers) {
        const isShared = rows.length > 0 && (await isSharedServer(ports, guildId, bindingId));
        // One after the other: the audit of a guild is searched once at a time, and refuses who asks for more.
        for (const near of stretches(ofServer)) {
          for (const [row, author] of await authorsOf(ports, { guildId, bindingId, rows: near, isShared }))
            authors.set(row, author);
        }
      }
      return rows.map((row) => authors.get(row) ?? { kind: "unknown" });
    },
  };
}

/** Where other guilds have linked it too, a row may be of their run, and nobody is told of that. */
async function isSharedServer(
  { bindings }: RunAuthorsPorts,
  guildId: string,
  bindingId: string,
): Promise<boolean> {
  const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
  return binding === undefined || (await bindings.bySource(binding.source)).length > 1;
}

/** Rows in the order of time, parted where a long time lies between two. */
function stretches(rows: readonly RemoteCommand[]): readonly (readonly RemoteCommand[])[] {
  const parts: RemoteCommand[][] = [];
  for (const row of rows.toSorted((a, b) => a.atS - b.atS)) {
    const last = parts.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || row.atS - before.atS > ONE_SEARCH_S) parts.push([row]);
    else last.push(row);
  }
  return parts;
}

interface Stretch {
  readonly guildId: string;
  readonly bindingId: string;
  /** At least one, the oldest first. */
  readonly rows: readonly RemoteCommand[];
  readonly isShared: boolean;
}

async function authorsOf(
  { audit, settings, clock, serviceTime, wholeSinceMs = 0 }: RunAuthorsPorts,
  { guildId, bindingId, rows, isShared }: Stretch,
): Promise<ReadonlyMap<RemoteCommand, RunAuthor>> {
  const nowMs = clock.nowMs();
  const aheadMs = (serviceTime.ms() ?? nowMs) - nowMs;
  const times = rows.map(({ atS }) => atS * 1_000 - aheadMs);
  const fromMs = Math.min(...times) - ASKED_BEFORE_ROW_MS;
  const toMs = Math.max(...times) + ASKED_AFTER_ROW_MS;
  let found: Awaited<ReturnType<AuditLog["search"]>>;
  try {
    found = await audit.search(guildId, { bindingId, fromMs, toMs, withoutDenied: true, limit: MOST_RUNS });
  } catch (error) {
    if (error instanceof Failure) return new Map();
    throw error;
  }
  const { auditRetentionDays } = await settings.of(guildId);
  const isWhole = found.next === undefined && found.stoppedAt === undefined;
  const isKept = fromMs >= Math.max(wholeSinceMs, nowMs - auditRetentionDays * DAY_MS);
  const isClockRight = Math.abs(aheadMs) < CLOCK_WRONG_MS;
  const isTold = isWhole && isKept && !isShared && isClockRight;
  return assign(rows, found.rows, { nowMs, aheadMs, other: { kind: isTold ? "outside" : "unknown" } });
}

/** Gives each row to the run that it is consistent with, one to one. */
function assign(
  rows: readonly RemoteCommand[],
  records: readonly RunRecord[],
  { nowMs, aheadMs, other }: { readonly nowMs: number; readonly aheadMs: number; readonly other: RunAuthor },
): ReadonlyMap<RemoteCommand, RunAuthor> {
  const byId = new Map(records.map((record) => [record.id, record]));
  const runs = records
    .flatMap((record) => sentRun(record, { nowMs, aheadMs }))
    .sort((a, b) => a.sentS - b.sentS);
  const { proofs } = matchRuns(runs, rows, undefined);
  const free = [...proofs];
  return new Map(
    rows.map((row): readonly [RemoteCommand, RunAuthor] => {
      const at = free.findIndex(([id, proof]) => {
        return proof.atS === row.atS && byId.get(id)?.text.trim() === row.text.trim();
      });
      const [[id] = [""]] = at === -1 ? [] : free.splice(at, 1);
      const record = byId.get(id);
      if (record === undefined) return [row, other];
      return [row, { kind: "member", userId: record.actorId, origin: record.origin }];
    }),
  );
}

/** By the service's time. What was never sent, or surely did not run, left no row. */
function sentRun(
  { id, text, sentAtMs, endedAtMs, status, ran }: RunRecord,
  { nowMs, aheadMs }: { readonly nowMs: number; readonly aheadMs: number },
): readonly SentRun[] {
  const isOpen = status === "sending";
  if (sentAtMs === undefined || (!isOpen && ran === "no")) return [];
  const endMs = isOpen ? nowMs : (endedAtMs ?? sentAtMs);
  const sentS = Math.floor((sentAtMs + aheadMs) / 1_000);
  return [{ id, text, sentS, endS: Math.ceil((endMs + aheadMs) / 1_000) }];
}
