import type { ListName, Lists, ServerState, Snapshot, SourceId } from "../domain/model.ts";
import { PackedRows } from "../domain/packed-rows.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { FreshOptions, Snapshots } from "../domain/ports/snapshots.ts";
import { shifted } from "./shifted-state.ts";

export interface SnapshotParts {
  readonly client: ServiceClient;
  readonly clock: Clock;
  /** Called when a read that people wait for has left the gate. */
  readonly onSent?: (() => void) | undefined;
}

/** The state of a source, and how far the wall clock was ahead of the monotonic clock when its times were written. */
interface Known {
  readonly state: ServerState;
  readonly aheadMs: number;
}

/** A read that several people wait for; it is cancelled when all of them are gone. */
interface SharedRead {
  readonly lists: ReadonlySet<ListName>;
  /** Monotonic. */
  readonly startedMs: number;
  readonly result: Promise<ServerState>;
  readonly abort: AbortController;
  waiters: number;
}

/** Logs are needed by the proof of a run within minutes; the other lists also serve people during a halt of hours. */
const LOG_KEPT_MS = 600_000;
const STATE_KEPT_MS = 6 * 3_600_000;
const SWEEP_MS = 60_000;
const MOST_SOURCES = 20_000;
/** The rows of thousands of servers would be most of the heap, and are asked for while they are young. */
const PACKED_AFTER_MS = 30_000;
/** Of more sources than so many, rows that live for seconds become old garbage by the megabyte: long pauses. */
const MANY_SOURCES = 1_000;
const LOOSE_OF_MANY = 3;
/** With each answer: more than come. */
const PACKED_AT_ONCE = 2;
/** Time synchronisation sets the wall clock by less than this all the time. */
const STEP_MS = 1_000;
const LOG_LISTS: ReadonlySet<ListName> = new Set(["joinLogs", "killLogs", "commandLogs", "modCalls"]);
/** Long lists of plain rows. */
const PACKED_LISTS: ReadonlySet<ListName> = LOG_LISTS.union(new Set<ListName>(["players", "vehicles"]));

/**
 * Keeps the latest answer of each source, list by list. Ages count from the moment of asking, on the safe side. Times
 * are wall times, as people read them. When the wall clock was set since, the times are shifted with it, so that the
 * difference to the present is still the age.
 */
export class LatestSnapshots implements Pick<Snapshots, "latest" | "fresh"> {
  readonly #parts: SnapshotParts;
  readonly #clock: Clock;
  /** In order of the latest answer, oldest first. */
  readonly #states = new Map<SourceId, Known>();
  /** Whose rows are not packed, since when, monotonic; oldest first. */
  readonly #loose = new Map<SourceId, number>();
  readonly #reads = new Map<SourceId, Set<SharedRead>>();
  #sweptMs = 0;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  /**
   * Takes in an answer that was asked for at `askedMs`, monotonic. Lists that are known from a later request stay.
   */
  record(snapshot: Snapshot, askedMs: number): ServerState {
    const known = this.#present(snapshot.source);
    const aheadMs = this.#aheadMs();
    const atMs = Math.floor(askedMs + aheadMs);
    const lists: { [L in ListName]?: { readonly atMs: number; readonly value: unknown } } = {
      ...known?.lists,
    };
    for (const list of Object.keys(snapshot.lists) as ListName[]) {
      const value = snapshot.lists[list];
      if (value !== undefined && atMs >= (lists[list]?.atMs ?? 0)) lists[list] = { atMs, value };
    }
    const { serviceAtMs } = snapshot;
    const newer = known === undefined || atMs >= known.statusAtMs;
    const state: ServerState = {
      source: snapshot.source,
      status: newer ? snapshot.status : known.status,
      statusAtMs: newer ? atMs : known.statusAtMs,
      serviceAheadMs: serviceAtMs === undefined ? known?.serviceAheadMs : serviceAtMs - snapshot.takenAtMs,
      // Built list by list from values of the same list: the pairing is lost on the type checker only.
      lists: lists as ServerState["lists"],
      ownerNames: ownerNames(snapshot, known?.ownerNames),
    };
    this.#states.delete(snapshot.source);
    this.#states.set(snapshot.source, { state, aheadMs });
    this.#loose.delete(snapshot.source);
    this.#loose.set(snapshot.source, this.#clock.monotonicMs());
    this.#packSome();
    this.#sweep();
    return state;
  }

  latest(source: SourceId): ServerState | undefined {
    const state = this.#present(source);
    return state === undefined ? undefined : withoutExpired(state, this.#clock.nowMs());
  }

  /** When the latest answer of a source was asked for, monotonic. */
  answeredMs(source: SourceId): number | undefined {
    const known = this.#states.get(source);
    return known && known.state.statusAtMs - known.aheadMs;
  }

  async fresh(
    source: SourceId,
    lists: readonly ListName[],
    { maxAgeMs, signal, guildId }: FreshOptions,
  ): Promise<ServerState> {
    signal?.throwIfAborted();
    const nowMs = this.#clock.nowMs();
    const startedMs = this.#clock.monotonicMs();
    const known = this.latest(source);
    const isYoung = (atMs: number | undefined) => atMs !== undefined && nowMs - atMs <= maxAgeMs;
    const missing = lists.filter((list) => !isYoung(known?.lists[list]?.atMs));
    if (known !== undefined && missing.length === 0 && (lists.length > 0 || isYoung(known.statusAtMs))) {
      return known;
    }
    const shared =
      this.#joinable(source, missing, startedMs - maxAgeMs) ?? this.#startRead(source, missing, guildId);
    const read = await waitFor(shared, signal);
    // A newer answer may have arrived in between; the caller gets at least what was read for it.
    return this.latest(source) ?? read;
  }

  /** Cancels every read that people wait for. */
  stop(): void {
    const reason = new DOMException("the bot is stopping", "AbortError");
    for (const reads of this.#reads.values()) for (const shared of reads) shared.abort.abort(reason);
  }

  get size(): number {
    return this.#states.size;
  }

  /** A read under way that has all the lists and began no earlier than `oldestMs`. */
  #joinable(source: SourceId, lists: readonly ListName[], oldestMs: number): SharedRead | undefined {
    for (const shared of this.#reads.get(source) ?? []) {
      const covers = lists.every((list) => shared.lists.has(list));
      if (covers && shared.startedMs >= oldestMs && !shared.abort.signal.aborted) return shared;
    }
    return undefined;
  }

  #startRead(source: SourceId, lists: readonly ListName[], guildId: string | undefined): SharedRead {
    const abort = new AbortController();
    const reads = this.#reads.get(source) ?? new Set<SharedRead>();
    this.#reads.set(source, reads);
    let askedMs = this.#clock.monotonicMs();
    const onSent = () => {
      askedMs = this.#clock.monotonicMs();
      this.#parts.onSent?.();
    };
    const read = async () => {
      try {
        const options = { priority: "person", signal: abort.signal, onSent, guildId } as const;
        const snapshot = await this.#parts.client.read(source, lists, options);
        return this.record(snapshot, askedMs);
      } finally {
        reads.delete(shared);
        if (reads.size === 0) this.#reads.delete(source);
      }
    };
    // The read starts in the next microtask, when it is registered, because it may end at once.
    const result = Promise.resolve().then(read);
    const shared: SharedRead = {
      lists: new Set(lists),
      startedMs: askedMs,
      result,
      abort,
      waiters: 0,
    };
    reads.add(shared);
    return shared;
  }

  /** The known state with its times by the present wall clock. */
  #present(source: SourceId): ServerState | undefined {
    const known = this.#states.get(source);
    if (known === undefined) return undefined;
    const aheadMs = this.#aheadMs();
    const stepMs = aheadMs - known.aheadMs;
    if (Math.abs(stepMs) < STEP_MS) return known.state;
    const state = shifted(known.state, stepMs);
    this.#states.set(source, { state, aheadMs });
    return state;
  }

  /** How far the wall clock is ahead of the monotonic one. */
  #aheadMs(): number {
    return this.#clock.nowMs() - this.#clock.monotonicMs();
  }

  #packSome(): void {
    const oldestMs = this.#clock.monotonicMs() - PACKED_AFTER_MS;
    const most = this.#states.size > MANY_SOURCES ? LOOSE_OF_MANY : Number.POSITIVE_INFINITY;
    for (const [source, sinceMs] of [...this.#loose.entries().take(PACKED_AT_ONCE)]) {
      if (sinceMs > oldestMs && this.#loose.size <= most) break;
      this.#loose.delete(source);
      const known = this.#states.get(source);
      if (known !== undefined) this.#states.set(source, { ...known, state: packed(known.state) });
    }
  }

  #sweep(): void {
    for (const source of this.#states.keys()) {
      if (this.#states.size <= MOST_SOURCES) break;
      this.#states.delete(source);
    }
    const monotonicMs = this.#clock.monotonicMs();
    if (monotonicMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = monotonicMs;
    const nowMs = this.#clock.nowMs();
    for (const source of [...this.#states.keys()]) {
      const state = this.#present(source);
      const left = state === undefined ? undefined : withoutExpired(state, nowMs);
      if (left === undefined) this.#states.delete(source);
      else if (left !== state) this.#states.set(source, { state: left, aheadMs: this.#aheadMs() });
    }
  }
}

function packed(state: ServerState): ServerState {
  const lists = Object.entries(state.lists).map(([list, known]) => {
    const isLoose = PACKED_LISTS.has(list as ListName) && !(known instanceof PackedRows);
    return [list, isLoose ? PackedRows.of<object>(known) : known];
  });
  return { ...state, lists: Object.fromEntries(lists) };
}

/** As this answer or one before it told them: the logs and players end with a restart of the game server. */
function ownerNames(
  { status, lists }: Snapshot,
  before: ReadonlyMap<number, string> | undefined,
): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const id of [status.ownerId, ...status.coOwnerIds]) {
    const name = nameIn(lists, id) ?? before?.get(id);
    if (name !== undefined) names.set(id, name);
  }
  const isSame = names.size === before?.size && [...names].every(([id, name]) => before.get(id) === name);
  return isSame ? before : names;
}

/** The name of one person in these lists, without looking at more of them than it takes. */
function nameIn(lists: Partial<Lists>, id: number): string | undefined {
  const { players, staff, joinLogs, commandLogs, modCalls, killLogs } = lists;
  return (
    players?.find(({ player }) => player.id === id)?.player.name ??
    staff?.helpers.get(id) ??
    staff?.mods.get(id) ??
    staff?.admins.get(id) ??
    joinLogs?.find(({ player }) => player.id === id)?.player.name ??
    commandLogs?.find(({ player }) => player.id === id)?.player.name ??
    modCalls?.find(({ caller }) => caller.id === id)?.caller.name ??
    killLogs?.find(({ killer }) => killer.id === id)?.killer.name ??
    killLogs?.find(({ killed }) => killed.id === id)?.killed.name
  );
}

function withoutExpired(state: ServerState, nowMs: number): ServerState | undefined {
  const names = Object.keys(state.lists) as ListName[];
  const live = names.filter((list) => {
    const keptMs = LOG_LISTS.has(list) ? LOG_KEPT_MS : STATE_KEPT_MS;
    return nowMs - (state.lists[list]?.atMs ?? 0) <= keptMs;
  });
  if (live.length === names.length && nowMs - state.statusAtMs <= STATE_KEPT_MS) return state;
  if (live.length === 0 && nowMs - state.statusAtMs > STATE_KEPT_MS) return undefined;
  return { ...state, lists: Object.fromEntries(live.map((list) => [list, state.lists[list]])) };
}

/** Waits for a shared read. A caller that leaves does not end it for the others; after the last it is cancelled. */
function waitFor(shared: SharedRead, signal: AbortSignal | undefined): Promise<ServerState> {
  shared.waiters += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      shared.waiters -= 1;
      if (shared.waiters === 0) shared.abort.abort(signal?.reason);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    shared.result.finally(() => signal?.removeEventListener("abort", leave)).then(resolve, reject);
  });
}
