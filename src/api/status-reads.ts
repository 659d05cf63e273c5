import { Failure } from "../domain/failure.ts";
import { withoutFutureRows } from "../domain/future-rows.ts";
import type { ListName, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { KeyRing } from "../domain/ports/key-ring.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ReadOptions } from "../domain/ports/service-client.ts";
import type { ServiceEvent, ServiceHealth } from "../domain/ports/service-health.ts";
import type { Log } from "../log.ts";
import type { Gate } from "./gate.ts";
import { linkedKey } from "./gate-failures.ts";
import { RefusedReads, type StoredRefusedRead } from "./limits/refused-reads.ts";
import { RowNotes } from "./row-notes.ts";
import { LIST_FIELDS, readLists, readStatus } from "./schema.ts";

export interface StatusReadsParts {
  readonly gate: Pick<Gate, "send">;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log?: Log;
  readonly onEvent: (event: ServiceEvent) => void;
  /** Why the service does not let us read a server is to be kept, or no longer (undefined). */
  readonly keepRefused: (source: SourceId, record: StoredRefusedRead | undefined) => void;
}

/** How wrong our own clock may be where an answer does not state the service's time. */
const DATELESS_SLACK_MS = 24 * 3_600_000;

/** Reads the status of servers: which of them are not to be read, and which rows could not be. */
export class StatusReads {
  readonly #parts: StatusReadsParts;
  readonly #rowNotes: RowNotes;
  readonly #refusedReads = new RefusedReads();

  constructor(parts: StatusReadsParts) {
    this.#parts = parts;
    this.#rowNotes = new RowNotes(parts);
  }

  /** One snapshot with these lists; rejects with a Failure of reading. */
  async read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    try {
      return await this.#read(source, lists, options);
    } catch (error) {
      throw error instanceof Failure ? this.#readFailed(source, error) : error;
    }
  }

  async #read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    const key = linkedKey(await this.#parts.keys.keyOf(source));
    this.#refuseUnreadable(source);
    const answered = await this.#parts.gate.send({
      source,
      key,
      route: "read",
      waitingClass: options.priority,
      turn: options.guildId,
      path: readPath(lists),
      signal: options.signal,
      onSent: options.onSent,
    });
    this.#forgetRefused(source);
    const { lists: read, skippedRows } = readLists(answered.json, lists);
    // Without a Date only our own clock is left, which a host may have set wrong by hours: no row is lost for that.
    const presentMs = answered.dateMs ?? answered.readAtMs + DATELESS_SLACK_MS;
    const { lists: present, setAside } = withoutFutureRows(read, presentMs);
    this.#rowNotes.note(source, "unreadable", skippedRows);
    this.#rowNotes.note(source, "future", setAside);
    return {
      source,
      askedAtMs: answered.sentAtMs,
      takenAtMs: answered.readAtMs,
      serviceAtMs: answered.dateMs,
      status: readStatus(answered.json),
      lists: present,
      skippedRows,
      ...(present === read ? {} : { setAsideRows: setAside }),
    };
  }

  /** Why the service does not let us read a server, and until when it is not asked, wall time; undefined: it may be. */
  refused(source: SourceId): ReturnType<ServiceHealth["readRefused"]> {
    const { clock } = this.#parts;
    const refused = this.#refusedReads.standing(source, clock.monotonicMs());
    if (refused === undefined) return undefined;
    return { why: refused.failure.message, untilMs: Math.ceil(clock.nowMs() + refused.leftMs) };
  }

  /** A server that the service does not let us read is asked again rarely, for people and polls alike. */
  #refuseUnreadable(source: SourceId): void {
    const { clock } = this.#parts;
    const refused = this.#refusedReads.standing(source, clock.monotonicMs());
    if (refused === undefined) return;
    const { code, message, serviceCode } = refused.failure;
    const retryAtMs = Math.ceil(clock.nowMs() + refused.leftMs);
    throw new Failure(code, message, { retryAtMs, ...(serviceCode === undefined ? {} : { serviceCode }) });
  }

  /** The same failure as one of reading; the service's refusal to show a server is noted and announced once. */
  #readFailed(source: SourceId, error: Failure): Failure {
    const { code, message, retryAtMs, serviceCode, commandId, cause } = error;
    const failure = new Failure(code, message, {
      isRead: true,
      cause,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
      ...(serviceCode === undefined ? {} : { serviceCode }),
      ...(commandId === undefined ? {} : { commandId }),
    });
    const { clock, onEvent, keepRefused } = this.#parts;
    const isAnswer = code === "read-refused" && retryAtMs === undefined;
    if (!isAnswer) return failure;

    const isFirst = this.#refusedReads.onRefused(source, failure, clock.monotonicMs());
    keepRefused(source, this.#refusedReads.stored(source, nowOf(clock)));
    if (isFirst) onEvent({ kind: "read-refused", source, failure });
    return failure;
  }

  /** An earlier process was refused this server: its guilds know, and it is not asked before its time. */
  restoreRefused(source: SourceId, record: StoredRefusedRead): void {
    this.#refusedReads.restore(source, record, nowOf(this.#parts.clock));
  }

  /** The key was linked again: it is asked at once. */
  unpark(source: SourceId): void {
    this.#forgetRefused(source);
  }

  #forgetRefused(source: SourceId): void {
    if (this.#refusedReads.forget(source)) this.#parts.keepRefused(source, undefined);
  }

  /** Nobody has it linked any more. */
  forget(source: SourceId): void {
    this.#forgetRefused(source);
  }
}

function nowOf(clock: Clock): { readonly ms: number; readonly wallMs: number } {
  return { ms: clock.monotonicMs(), wallMs: clock.nowMs() };
}

function readPath(lists: readonly ListName[]): string {
  if (lists.length === 0) return "/v1/server";
  let query = "";
  for (const name of lists) query += `&${LIST_FIELDS[name]}=true`;
  return `/v2/server?${query.slice(1)}`;
}
