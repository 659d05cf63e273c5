import type { ListName, ServerState, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";

export interface SnapshotParts {
  readonly client: ServiceClient;
  readonly clock: Clock;
}

/** A read that people wait for; it is given up when all of them are gone. */
interface Flight {
  readonly lists: ReadonlySet<ListName>;
  readonly startedAtMs: number;
  readonly result: Promise<Snapshot>;
  readonly abort: AbortController;
  waiters: number;
}

/** Logs are read by the proof of a run, soon or never; the rest also serves people during a halt of hours. */
const LOG_KEPT_MS = 600_000;
const STATE_KEPT_MS = 6 * 3_600_000;
const SWEEP_MS = 60_000;
const MOST_SOURCES = 20_000;
const logs: ReadonlySet<ListName> = new Set(["joinLogs", "killLogs", "commandLogs", "modCalls"]);

/** The latest answer of each source, list by list; ages count from the moment of asking, on the safe side. */
export class LatestSnapshots implements Snapshots {
  readonly #client: ServiceClient;
  readonly #clock: Clock;
  /** In order of the latest answer, oldest first. */
  readonly #states = new Map<SourceId, ServerState>();
  readonly #flights = new Map<SourceId, Set<Flight>>();
  #sweptAtMs = 0;

  constructor({ client, clock }: SnapshotParts) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Takes an answer in; one that was asked for earlier than what is known changes nothing. */
  record(snapshot: Snapshot): ServerState {
    const known = this.#states.get(snapshot.source);
    const atMs = snapshot.askedAtMs;
    const lists: { [L in ListName]?: { readonly atMs: number; readonly value: unknown } } = {
      ...known?.lists,
    };
    for (const list of Object.keys(snapshot.lists) as ListName[]) {
      const value = snapshot.lists[list];
      if (value !== undefined && atMs >= (lists[list]?.atMs ?? 0)) lists[list] = { atMs, value };
    }
    const newer = known === undefined || atMs >= known.statusAtMs;
    const state: ServerState = {
      source: snapshot.source,
      status: newer ? snapshot.status : known.status,
      statusAtMs: newer ? atMs : known.statusAtMs,
      // Built list by list from values of the same list: the pairing is lost on the type checker only.
      lists: lists as ServerState["lists"],
    };
    this.#states.delete(snapshot.source);
    this.#states.set(snapshot.source, state);
    this.#sweep();
    return state;
  }

  latest(source: SourceId): ServerState | undefined {
    const state = this.#states.get(source);
    return state === undefined ? undefined : withoutExpired(state, this.#clock.nowMs());
  }

  async fresh(
    source: SourceId,
    lists: readonly ListName[],
    maxAgeMs: number,
    signal?: AbortSignal,
  ): Promise<ServerState> {
    signal?.throwIfAborted();
    const nowMs = this.#clock.nowMs();
    const known = this.latest(source);
    const isYoung = (atMs: number | undefined) => atMs !== undefined && nowMs - atMs <= maxAgeMs;
    const missing = lists.filter((list) => !isYoung(known?.lists[list]?.atMs));
    if (known !== undefined && missing.length === 0 && (lists.length > 0 || isYoung(known.statusAtMs))) {
      return known;
    }
    const flight = this.#joinable(source, missing, nowMs - maxAgeMs) ?? this.#depart(source, missing);
    const snapshot = await waitFor(flight, signal);
    // What arrived meanwhile may be newer still; but at the least the caller gets what was read for it.
    return this.latest(source) ?? this.record(snapshot);
  }

  /** Gives up every read that people wait for. */
  stop(): void {
    const reason = new DOMException("the bot is stopping", "AbortError");
    for (const flights of this.#flights.values()) for (const flight of flights) flight.abort.abort(reason);
  }

  get size(): number {
    return this.#states.size;
  }

  /** One that began before the caller's oldest acceptable moment may show the world before it. */
  #joinable(source: SourceId, lists: readonly ListName[], oldestMs: number): Flight | undefined {
    for (const flight of this.#flights.get(source) ?? []) {
      const covers = lists.every((list) => flight.lists.has(list));
      if (covers && flight.startedAtMs >= oldestMs && !flight.abort.signal.aborted) return flight;
    }
    return undefined;
  }

  #depart(source: SourceId, lists: readonly ListName[]): Flight {
    const abort = new AbortController();
    const flights = this.#flights.get(source) ?? new Set<Flight>();
    this.#flights.set(source, flights);
    const read = async () => {
      try {
        const snapshot = await this.#client.read(source, lists, { priority: "person", signal: abort.signal });
        this.record(snapshot);
        return snapshot;
      } finally {
        flights.delete(flight);
        if (flights.size === 0) this.#flights.delete(source);
      }
    };
    // The read starts only once its flight is known: it may end before this function does.
    const result = Promise.resolve().then(read);
    const flight: Flight = {
      lists: new Set(lists),
      startedAtMs: this.#clock.nowMs(),
      result,
      abort,
      waiters: 0,
    };
    flights.add(flight);
    return flight;
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const source of this.#states.keys()) {
      if (this.#states.size <= MOST_SOURCES) break;
      this.#states.delete(source);
    }
    if (nowMs - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [source, state] of this.#states) {
      const left = withoutExpired(state, nowMs);
      if (left === undefined) this.#states.delete(source);
      else if (left !== state) this.#states.set(source, left);
    }
  }
}

function withoutExpired(state: ServerState, nowMs: number): ServerState | undefined {
  const names = Object.keys(state.lists) as ListName[];
  const live = names.filter((list) => {
    const keptMs = logs.has(list) ? LOG_KEPT_MS : STATE_KEPT_MS;
    return nowMs - (state.lists[list]?.atMs ?? 0) <= keptMs;
  });
  if (live.length === names.length && nowMs - state.statusAtMs <= STATE_KEPT_MS) return state;
  if (live.length === 0 && nowMs - state.statusAtMs > STATE_KEPT_MS) return undefined;
  return { ...state, lists: Object.fromEntries(live.map((list) => [list, state.lists[list]])) };
}

/** Each caller may leave; the read itself goes on for the others, and is given up after the last. */
function waitFor(flight: Flight, signal: AbortSignal | undefined): Promise<Snapshot> {
  flight.waiters += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiters -= 1;
      if (flight.waiters === 0) flight.abort.abort(signal?.reason);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    flight.result.finally(() => signal?.removeEventListener("abort", leave)).then(resolve, reject);
  });
}
