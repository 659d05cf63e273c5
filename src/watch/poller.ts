import { Failure } from "../domain/failure.ts";
import type { ListName, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceClient } from "../domain/ports/service-client.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";
import type { DemandRegistry } from "./demands.ts";
import { type Candidate, choose, type EmptyDebt } from "./schedule.ts";
import { newSourceStats, observed, type SourceStats } from "./source-stats.ts";

export interface PollerParts {
  readonly client: ServiceClient;
  readonly health: ServiceHealth;
  readonly demands: DemandRegistry;
  /** Each is awaited before the source is polled again: a slow store slows polling and loses nothing. */
  readonly listeners: readonly SnapshotListener[];
  /** Told of each answer at once, before the listeners. */
  readonly record: (snapshot: Snapshot) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** The event loop's: between two answers it hears whoever else has something to say. Absent: they do not wait. */
  readonly nextTurn?: () => Promise<void>;
  /** Something that is not a Failure: logged with its stack by whoever gives this. */
  readonly onDefect: (error: unknown) => void;
}

/** What became of the latest poll of a source; for /state. */
export interface LastPoll {
  readonly source: SourceId;
  readonly atMs: number;
  readonly lists: readonly ListName[];
  /** "ok", a failure code, "store" when a listener could not keep it, or "defect". */
  readonly outcome: string;
  readonly players?: number;
}

interface Watched {
  track: SourceStats;
  failures: number;
  notBeforeMs: number;
  polling: boolean;
  last: LastPoll | undefined;
}

/**
 * Reads that may be under way at once. A window's opening lets a whole second of them go at the same moment, and their
 * answers come back together: so few are worked off before anybody who types a command notices.
 */
const MOST_IN_FLIGHT = 16;
/** How many may wait at the gate when the client does not tell which have left it. */
const MOST_WAITING_UNTOLD = 8;
const FIRST_BACK_OFF_MS = 2_000;
const LONGEST_BACK_OFF_MS = 60_000;
/** Halts and parked keys are looked at again after this, whatever was said about their end. */
const LOOK_AGAIN_MS = 15_000;
const BUDGET_OVER_S = 30;
const FIRST_BUDGET_PER_S = 5;

/**
 * Polls whatever the schedule names next, as fast as the gate lets it (design 5, Watch). There is no loop: each
 * thing that could change the choice (a demand, a read that left the gate, an answer, the end of a wait) pumps.
 */
export class Poller {
  readonly #parts: PollerParts;
  readonly #watched = new Map<SourceId, Watched>();
  readonly #polls = new Set<Promise<void>>();
  /** Answers come in after one another. */
  #turns: Promise<void> = Promise.resolve();
  #abort = new AbortController();
  #running = false;
  #pumping = false;
  /** Reads that wait at the gate. */
  #waiting = 0;
  #mostWaiting = 1;
  #lanes: EmptyDebt = { owedToEmpty: 0 };
  #cancelTimer: (() => void) | undefined;
  #pausedUntilMs = 0;
  #startedAtMs = 0;
  /** Polls of the last half minute, fading. */
  #recent = { count: 0, atMs: 0 };

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#abort = new AbortController();
    this.#startedAtMs = this.#parts.clock.nowMs();
    this.#pump();
  }

  /** Gives up reads that wait, lets answers that are being kept be kept, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelTimer?.();
    this.#abort.abort(new DOMException("the bot is stopping", "AbortError"));
    await Promise.all(this.#polls);
  }

  /** The demands on a source are others now. */
  demandChanged(source: SourceId): void {
    const watched = this.#watched.get(source);
    if (watched?.polling === false && this.#parts.demands.wanted(source) === undefined) {
      this.#watched.delete(source);
    }
    this.#pump();
  }

  /** Starts as many polls as may be started now. */
  #pump(): void {
    if (!this.#running || this.#pumping) return;
    this.#pumping = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#waiting < this.#mostWaiting && this.#polls.size < MOST_IN_FLIGHT) {
      const waitMs = this.#startNext();
      if (waitMs === undefined) continue;
      if (Number.isFinite(waitMs)) this.#cancelTimer = this.#parts.clock.after(waitMs, () => this.#pump());
      break;
    }
    this.#pumping = false;
  }

  /** The latest polls, newest first. */
  lastPolls(limit: number): readonly LastPoll[] {
    const polls = [...this.#watched.values()].flatMap((watched) => watched.last ?? []);
    return polls.sort((a, b) => b.atMs - a.atMs).slice(0, limit);
  }

  get inFlight(): number {
    return this.#polls.size;
  }

  get sources(): number {
    return this.#watched.size;
  }

  /** Starts a poll, or says how long to wait (infinitely: until something changes). */
  #startNext(): number | undefined {
    const { clock, health } = this.#parts;
    const nowMs = clock.nowMs();
    const untilMs = Math.max(this.#pausedUntilMs, health.halt()?.untilMs ?? 0);
    if (untilMs > nowMs) return Math.min(untilMs - nowMs, LOOK_AGAIN_MS);
    const seen = { parked: false };
    const choice = choose(this.#candidates(nowMs, seen), this.#lanes, this.#pollsPerS(nowMs), nowMs);
    if (choice.kind === "wait") {
      const waitMs = (choice.untilMs ?? Number.POSITIVE_INFINITY) - nowMs;
      return seen.parked ? Math.min(waitMs, LOOK_AGAIN_MS) : waitMs;
    }
    this.#lanes = choice.lanes;
    const poll = this.#poll(choice.source).finally(() => {
      this.#polls.delete(poll);
      this.#pump();
    });
    this.#polls.add(poll);
    return undefined;
  }

  *#candidates(nowMs: number, seen: { parked: boolean }): Iterable<Candidate> {
    const { demands, health, random } = this.#parts;
    for (const source of demands.sources()) {
      const wanted = demands.wanted(source);
      if (wanted === undefined) continue;
      if (health.parked(source) !== undefined) {
        seen.parked = true;
        continue;
      }
      let watched = this.#watched.get(source);
      if (watched === undefined) {
        const track = newSourceStats(nowMs, random.next());
        watched = { track, failures: 0, notBeforeMs: 0, polling: false, last: undefined };
        this.#watched.set(source, watched);
      }
      if (watched.polling) continue;
      yield { source, track: watched.track, maxAgeMs: wanted.maxAgeMs, notBeforeMs: watched.notBeforeMs };
    }
  }

  /** Never rejects. */
  async #poll(source: SourceId): Promise<void> {
    const { client, clock, demands, metrics } = this.#parts;
    const watched = this.#watched.get(source);
    const wanted = demands.wanted(source);
    if (watched === undefined || wanted === undefined) return;
    watched.polling = true;
    this.#waiting += 1;
    let left = false;
    const leave = () => {
      if (!left) this.#waiting -= 1;
      left = true;
    };
    const onSent = () => {
      if (left) return;
      leave();
      this.#count(clock.nowMs());
      this.#pump();
    };
    let outcome = "ok";
    let players: number | undefined;
    try {
      const options = { priority: "poll", signal: this.#abort.signal, onSent } as const;
      const snapshot = await client.read(source, wanted.lists, options);
      if (!left) {
        // This client does not tell when a read leaves the gate: let several wait there instead.
        this.#mostWaiting = MOST_WAITING_UNTOLD;
        this.#count(clock.nowMs());
      }
      leave();
      players = snapshot.status.currentPlayers;
      outcome = await this.#keep(watched, snapshot);
    } catch (error) {
      outcome = this.#failed(watched, error);
    } finally {
      leave();
      watched.polling = false;
      const last = { source, atMs: clock.nowMs(), lists: wanted.lists, outcome };
      watched.last = players === undefined ? last : { ...last, players };
      metrics.count("marshal_polls_total", { outcome });
      if (demands.wanted(source) === undefined) this.#watched.delete(source);
    }
  }

  /** The track moves on only when every listener has kept the answer: what was not kept is still to be polled. */
  async #keep(watched: Watched, snapshot: Snapshot): Promise<string> {
    const { nextTurn } = this.#parts;
    if (nextTurn !== undefined) {
      this.#turns = this.#turns.then(nextTurn);
      await this.#turns;
    }
    this.#parts.record(snapshot);
    const kept = await Promise.allSettled(this.#parts.listeners.map((listener) => listener.take(snapshot)));
    const refused = kept.find((result) => result.status === "rejected");
    if (refused !== undefined) {
      this.#backOff(watched);
      this.#parts.onDefect(refused.reason);
      return "store";
    }
    watched.track = observed(watched.track, snapshot);
    watched.failures = 0;
    watched.notBeforeMs = 0;
    return "ok";
  }

  #failed(watched: Watched, error: unknown): string {
    if (this.#abort.signal.aborted) return "stopped";
    if (!(error instanceof Failure)) {
      this.#backOff(watched);
      this.#parts.onDefect(error);
      return "defect";
    }
    if (error.code === "rate-limited" || error.code === "blocked") {
      // Not this server's fault: everything waits, and it keeps its place.
      const nowMs = this.#parts.clock.nowMs();
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, error.retryAtMs ?? nowMs + FIRST_BACK_OFF_MS);
    } else this.#backOff(watched);
    return error.code;
  }

  #backOff(watched: Watched): void {
    const { clock, random } = this.#parts;
    const longestMs = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** watched.failures);
    watched.failures += 1;
    watched.notBeforeMs = clock.nowMs() + longestMs * (0.5 + random.next() / 2);
  }

  #count(nowMs: number): void {
    this.#recent = { count: this.#faded(nowMs) + 1, atMs: nowMs };
  }

  #faded(nowMs: number): number {
    return this.#recent.count * Math.exp((this.#recent.atMs - nowMs) / 1_000 / BUDGET_OVER_S);
  }

  /** What the gate let through lately. */
  #pollsPerS(nowMs: number): number {
    const sinceStartS = (nowMs - this.#startedAtMs) / 1_000;
    if (sinceStartS < BUDGET_OVER_S) return FIRST_BUDGET_PER_S;
    return this.#faded(nowMs) / (BUDGET_OVER_S * (1 - Math.exp(-sinceStartS / BUDGET_OVER_S)));
  }
}
