import { BackOff } from "../domain/back-off.ts";
import { lookAtEach, oneCount } from "../domain/counting.ts";
import type { ListName, SourceId } from "../domain/model.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { Failing } from "../domain/ports/snapshots.ts";
import { outsideRequests } from "../domain/request-scope.ts";
import type { DemandRegistry, Wanted } from "./demand-registry.ts";
import type { ReadRate } from "./read-rate.ts";
import { ReadsInFlight, type Wait, WHEN_WOKEN } from "./reads-in-flight.ts";
import { Schedule } from "./schedule/schedule.ts";
import { newSourceStats, type SourceStats, statsAfter } from "./schedule/source-stats.ts";
import { type ReaderParts, SourceReader } from "./source-reader.ts";

export interface PollerParts extends ReaderParts {
  readonly health: ServiceHealth;
  readonly demands: DemandRegistry;
  readonly rate: ReadRate;
  readonly random: Random;
  readonly metrics: Metrics;
  /** When the latest answer of a source was asked for, by a poll or by a person; monotonic. */
  readonly answeredMs: (source: SourceId) => number | undefined;
}

/** The result of the latest poll of a source; for /state. */
export interface LastPoll {
  readonly source: SourceId;
  readonly atMs: number;
  readonly lists: readonly ListName[];
  /** "ok", a failure code, "store" when a listener could not keep it, or "defect". */
  readonly outcome: string;
  readonly players?: number;
}

/** State of a source between its polls. Times are monotonic milliseconds. */
interface Watched {
  stats: SourceStats;
  /** Present after a failure, until a read is kept. */
  backOff: BackOff | undefined;
  /** With the time at which the latest failed poll asked. */
  failing: (Failing & { readonly askedMs: number }) | undefined;
  notBeforeMs: number;
  last: LastPoll | undefined;
}

/** A halt is checked again after this time, because it may end before its announced end. */
const CHECK_AGAIN_MS = 15_000;
/**
 * Where nothing halts, the gate refuses by itself: too many requests went unanswered, say. One answer, to another process
 * as well, may free it long before the time that it named.
 */
const LONGEST_PAUSE_MS = 60_000;

/** A quiet server is polled all the same. */
const LEAST_PER_S = 1 / 600;

/** A server that waits longer than this is not due: failed reads are repeated sooner, refused ones on purpose later. */
const DUE_WITHIN_MS = 2 * 60_000;

/** What to do after an attempt to start a poll. A demand, an answer or a read that leaves the gate calls `#pump`. */
type Next =
  /** A poll was started, or the source was put back; the next one can be chosen at once. */
  { readonly kind: "started" } | Wait;

/**
 * Polls the source that the schedule names next, as fast as the gate lets it. There is no loop: each event that could
 * change the choice (a demand, a read that left the gate, an answer, the end of a wait) calls `#pump`.
 */
export class Poller {
  readonly #parts: PollerParts;
  readonly #schedule: Schedule;
  readonly #reader: SourceReader;
  readonly #watched = new Map<SourceId, Watched>();
  readonly #polls = new Map<SourceId, Promise<void>>();
  readonly #pace: ReadsInFlight;
  #abort = new AbortController();
  #running = false;
  #pumping = false;
  #cancelTimer: (() => void) | undefined;
  #pausedUntilMs = 0;
  #kept = 0;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#reader = new SourceReader(parts);
    this.#pace = new ReadsInFlight(parts.clock, parts.rate);
    this.#schedule = new Schedule((source) => mayNotBeRead(parts.health, source));
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#abort = new AbortController();
    this.#parts.rate.start();
    this.#pump();
  }

  /** Cancels reads that wait, finishes answers that are being kept, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelTimer?.();
    this.#abort.abort(new DOMException("the bot is stopping", "AbortError"));
    await Promise.all(this.#polls.values());
  }

  onDemandChanged(source: SourceId): void {
    if (this.#polls.has(source)) return;
    this.#place(source);
    this.#pump();
  }

  /** The latest polls, newest first. */
  async lastPolls(limit: number): Promise<readonly LastPoll[]> {
    const newest: LastPoll[] = [];
    await lookAtEach(this.#watched.values(), ({ last }) => {
      if (last === undefined) return;
      const at = newest.findLastIndex(({ atMs }) => atMs >= last.atMs) + 1;
      if (at >= limit) return;
      newest.splice(at, 0, last);
      if (newest.length > limit) newest.pop();
    });
    return newest;
  }

  get inFlight(): number {
    return this.#polls.size;
  }

  /** See Snapshots. What a person's read brought since, or a poll that is still being kept, ends the trouble too. */
  failing(source: SourceId): Failing | undefined {
    const failing = this.#watched.get(source)?.failing;
    if (failing === undefined) return undefined;

    const { sinceMs, code, askedMs } = failing;
    const answeredMs = this.#parts.answeredMs(source) ?? Number.NEGATIVE_INFINITY;
    return answeredMs > askedMs ? undefined : { sinceMs, code };
  }

  /** How many servers are polled, how many of them are due and may be read, and how many reads were kept since the start. */
  readonly progress = oneCount(async () => {
    const { clock, health } = this.#parts;
    const soonMs = clock.monotonicMs() + DUE_WITHIN_MS;
    let due = 0;
    await lookAtEach(this.#watched, ([source, { notBeforeMs }]) => {
      const isParked = health.parked(source) !== undefined || health.readRefused(source) !== undefined;
      if (notBeforeMs <= soonMs && !isParked) due += 1;
    });
    return { sources: this.#watched.size, due, kept: this.#kept };
  });

  /**
   * The sum of the roots of all rates: that is how the least mean delay divides polls between servers, so it divides them
   * between processes as well.
   */
  appetite(): number {
    let sum = 0;
    for (const { stats } of this.#watched.values())
      sum += Math.sqrt(Math.max(stats.weighedPerS, LEAST_PER_S));
    return sum;
  }

  /** Puts a source into the schedule by its present demands, or removes it when there are none. */
  #place(source: SourceId): void {
    const wanted = this.#parts.demands.wanted(source);
    if (wanted === undefined) {
      this.#watched.delete(source);
      this.#schedule.remove(source);
      return;
    }
    const { clock, random } = this.#parts;
    let watched = this.#watched.get(source);
    if (watched === undefined) {
      const stats = newSourceStats(clock.monotonicMs(), random.next());
      watched = { stats, backOff: undefined, failing: undefined, notBeforeMs: 0, last: undefined };
      this.#watched.set(source, watched);
    }
    const { stats, notBeforeMs } = watched;
    const { guildId, maxAgeMs, finerMs } = wanted;
    this.#schedule.put({ source, guildId, stats, maxAgeMs, finerMs, notBeforeMs });
  }

  /** Starts as many polls as may be started now. Polls are nobody's, also where what a person asked led to them. */
  #pump(): void {
    outsideRequests(() => this.#startDue());
  }

  #startDue(): void {
    if (!this.#running || this.#pumping) return;
    this.#pumping = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    let next: Next;
    do next = this.#pace.waitBefore(this.#polls.size) ?? this.#startNext();
    while (next.kind === "started");
    if (next.kind === "wait") {
      this.#cancelTimer = this.#parts.clock.after(next.waitMs, () => this.#pump());
    }
    this.#pumping = false;
  }

  /** Starts the poll that the schedule chooses, if it may be started now. */
  #startNext(): Next {
    const { clock, health, rate, demands } = this.#parts;
    const nowMs = clock.monotonicMs();
    const haltMs = (health.halt()?.untilMs ?? Number.NEGATIVE_INFINITY) - clock.nowMs();
    const pauseMs = Math.max(this.#pausedUntilMs - nowMs, haltMs);
    if (pauseMs > 0) return { kind: "wait", waitMs: Math.min(pauseMs, CHECK_AGAIN_MS) };

    const { pollsPerS, peopleShare } = rate;
    const choice = this.#schedule.next({ nowMs, pollsPerS, peopleShare });
    if (choice.kind === "wait") {
      return choice.untilMs === undefined ? WHEN_WOKEN : { kind: "wait", waitMs: choice.untilMs - nowMs };
    }

    const { source, why } = choice;
    const wanted = demands.wanted(source);
    const watched = this.#watched.get(source);
    // The demand, or what it named, may have ended since; then the source only goes back into the schedule.
    const hasReasonEnded =
      (why === "overdue" && wanted?.maxAgeMs === undefined) ||
      (why === "finer" && wanted?.finerMs === undefined);
    if (wanted === undefined || watched === undefined || hasReasonEnded) this.#place(source);
    else this.#start(source, watched, wanted);
    return { kind: "started" };
  }

  #start(source: SourceId, watched: Watched, wanted: Wanted): void {
    const poll = this.#poll(source, watched, wanted).finally(() => {
      this.#polls.delete(source);
      this.#place(source);
      this.#pump();
    });
    this.#polls.set(source, poll);
  }

  /** Never rejects. */
  async #poll(source: SourceId, watched: Watched, { lists }: Wanted): Promise<void> {
    const { clock, metrics } = this.#parts;
    this.#pace.onStarted(source);
    const onSent = () => {
      this.#pace.onSent(source);
      this.#pump();
    };
    const outcome = await this.#reader.read({ source, lists, signal: this.#abort.signal, onSent });
    this.#pace.onEnded(source);

    const nowMs = clock.monotonicMs();
    switch (outcome.kind) {
      case "kept":
        this.#kept += 1;
        watched.stats = statsAfter(watched.stats, outcome.snapshot, outcome.askedMs);
        watched.backOff = undefined;
        watched.failing = undefined;
        break;
      case "failed":
        // An answer that could not be kept here says nothing of the service.
        if (outcome.code !== "defect" && outcome.code !== "store") {
          const { code, askedMs } = outcome;
          watched.failing = { sinceMs: this.failing(source)?.sinceMs ?? nowMs, code, askedMs };
        }
        watched.notBeforeMs = nowMs + Math.max(outcome.leastWaitMs, this.#backOffMs(watched));
        break;
      case "halted":
        this.#pausedUntilMs = Math.max(
          this.#pausedUntilMs,
          nowMs + Math.min(outcome.waitMs, LONGEST_PAUSE_MS),
        );
        break;
      case "stopped":
        break;
    }

    const code = outcome.kind === "kept" ? "ok" : outcome.kind === "stopped" ? "stopped" : outcome.code;
    const last = { source, atMs: clock.nowMs(), lists, outcome: code };
    const players = outcome.kind === "kept" ? outcome.snapshot.status.currentPlayers : undefined;
    watched.last = players === undefined ? last : { ...last, players };
    metrics.count("marshal_polls_total", { outcome: code });
  }

  #backOffMs(watched: Watched): number {
    const { clock, random } = this.#parts;
    watched.backOff ??= new BackOff(clock, random);
    return watched.backOff.next();
  }
}

/** Whether a key is parked, is held because too many others were refused, or opens a server that we may not read. */
function mayNotBeRead(health: ServiceHealth, source: SourceId): boolean {
  return (
    health.parked(source) !== undefined ||
    health.held(source) !== undefined ||
    health.readRefused(source) !== undefined
  );
}
