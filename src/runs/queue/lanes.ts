import type { Binding } from "../../domain/guild.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { haltAt, type ServiceHealth } from "../../domain/ports/service-health.ts";
import type { RunProgress } from "../../domain/run.ts";
import type { ActiveRun } from "./active-run.ts";
import { Lane } from "./lane.ts";

/** Time between commands, assumed until the window of a server's command bucket was seen (spec: Limits 3). */
const UNSEEN_WINDOW_MS = 5_000;

interface LaneOfServer {
  readonly guildId: string;
  readonly bindingId: string;
  readonly lane: Lane;
}

/** All lanes: one for each guild and linked server with a run that waits or is being sent. */
export class Lanes {
  readonly #clock: Clock;
  readonly #health: ServiceHealth;
  readonly #lanes = new Map<string, LaneOfServer>();
  readonly #runs = new Map<string, ActiveRun>();
  /** Seen time from an answer to the next command, by server. */
  readonly #windowsMs = new Map<SourceId, number>();

  constructor(clock: Clock, health: ServiceHealth) {
    this.#clock = clock;
    this.#health = health;
  }

  isFull(binding: Binding): boolean {
    return this.#lanes.get(key(binding.guildId, binding.id))?.lane.full === true;
  }

  /** @throws Failure "queue-full" */
  add(run: ActiveRun): void {
    const { guildId, bindingId } = run.record;
    const name = key(guildId, bindingId);
    let row = this.#lanes.get(name);
    if (row === undefined) {
      const lane = new Lane(this.#clock, () => this.#showPlaces(name));
      row = { guildId, bindingId, lane };
      this.#lanes.set(name, row);
    }
    this.#runs.set(run.id, run);
    row.lane.add(run);
  }

  /** Removes a run that is over, and its lane when that is empty. */
  remove(run: ActiveRun): void {
    const { guildId, bindingId, source, endedAtMs, status } = run.record;
    this.#runs.delete(run.id);
    const row = this.#lanes.get(key(guildId, bindingId));
    row?.lane.remove(run.id);
    if (status === "done" && endedAtMs !== undefined) this.#learnWindow(source, endedAtMs);
  }

  get(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  all(): readonly ActiveRun[] {
    return [...this.#runs.values()];
  }

  ofSource(source: SourceId): readonly ActiveRun[] {
    return this.all().filter((run) => run.record.source === source);
  }

  /** Wakes the lanes of a server, because what held them may be over. */
  wake(source: SourceId): void {
    const names = new Set(this.ofSource(source).map(({ record }) => key(record.guildId, record.bindingId)));
    for (const name of names) this.#lanes.get(name)?.lane.wake();
  }

  /** Time from an answer to the next command of this server. */
  windowMs(source: SourceId): number {
    return this.#windowsMs.get(source) ?? UNSEEN_WINDOW_MS;
  }

  waiting(guildId: string): readonly RunProgress[] {
    return [...this.#lanes.values()]
      .filter((row) => row.guildId === guildId)
      .flatMap((row) => this.#places(row));
  }

  /** How long a command that is asked for now would wait. */
  expectedWaitMs(binding: Binding): number {
    const row = this.#lanes.get(key(binding.guildId, binding.id));
    const before = row === undefined ? 0 : row.lane.waiting.length;
    const busy = row?.lane.running !== undefined;
    return this.#expectedAtMs(binding.source, before + 1, busy) - this.#clock.nowMs();
  }

  state(): readonly object[] {
    return [...this.#lanes.values()].map(({ guildId, bindingId, lane }) => ({
      guildId,
      bindingId,
      waiting: lane.waiting.length,
      running: lane.running !== undefined,
    }));
  }

  gauges(): { readonly waiting: number; readonly running: number } {
    const gauges = { waiting: 0, running: 0 };
    for (const { lane } of this.#lanes.values()) {
      gauges.waiting += lane.waiting.length;
      gauges.running += lane.running === undefined ? 0 : 1;
    }
    return gauges;
  }

  close(): void {
    for (const { lane } of this.#lanes.values()) lane.close();
  }

  #places({ lane }: LaneOfServer): readonly RunProgress[] {
    const nowMs = this.#clock.nowMs();
    const running = lane.running === undefined ? undefined : this.#runs.get(lane.running.id);
    const under =
      running === undefined || running.over
        ? []
        : [{ record: running.record, place: 0, expectedAtMs: nowMs }];
    const halt = haltAt(this.#health, nowMs);
    const held = halt === undefined ? {} : { heldBy: halt.why };
    const waiting = lane.waiting.flatMap(({ id }, index) => {
      const run = this.#runs.get(id);
      if (run === undefined) return [];
      const place = index + 1;
      const expectedAtMs = this.#expectedAtMs(run.record.source, place, under.length > 0);
      return [{ record: run.record, place, expectedAtMs, ...held }];
    });
    return [...under, ...waiting];
  }

  #expectedAtMs(source: SourceId, place: number, busy: boolean): number {
    const windowMs = this.windowMs(source);
    const readyAtMs = Math.max(
      this.#clock.nowMs() + (busy ? windowMs : 0),
      this.#health.halt()?.untilMs ?? 0,
      this.#health.commandReadyAtMs(source),
    );
    return readyAtMs + (place - 1) * windowMs;
  }

  #learnWindow(source: SourceId, answeredAtMs: number): void {
    const windowMs = this.#health.commandReadyAtMs(source) - answeredAtMs;
    if (windowMs > 0 && windowMs < 60_000) this.#windowsMs.set(source, windowMs);
  }

  #showPlaces(name: string): void {
    const row = this.#lanes.get(name);
    if (row === undefined) return;
    for (const progress of this.#places(row)) this.#runs.get(progress.record.id)?.submitted.update(progress);
    if (row.lane.waiting.length === 0 && row.lane.running === undefined) {
      row.lane.close();
      this.#lanes.delete(name);
    }
  }
}

function key(guildId: string, bindingId: string): string {
  return `${guildId}:${bindingId}`;
}
