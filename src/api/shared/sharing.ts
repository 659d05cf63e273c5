import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import {
  type Departure,
  SHARE_MS,
  type SharedLimits,
  type SharedView,
} from "../../domain/ports/shared-limits.ts";
import type { Log } from "../../log.ts";
import { paused } from "../http/permitted-transport.ts";
import type { KeyBudget } from "../keys/budget.ts";
import type { KeyRecords } from "../keys/key-records.ts";
import type { RejectedKey } from "../keys/rejected-keys.ts";
import type { Risk } from "../keys/unit.ts";
import type { Wave } from "../keys/wave.ts";
import type { AnnouncedHalt } from "../limits/announced-halt.ts";
import type { Job } from "../limits/in-flight.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { parseHalt, parseRejected } from "../stored-records.ts";
import { ParkedLooks } from "./parked-looks.ts";

export interface SharingParts {
  readonly limits: SharedLimits;
  readonly clock: Clock;
  readonly log: Log | undefined;
  readonly budget: KeyBudget;
  readonly wave: Wave;
  readonly records: KeyRecords;
  readonly halt: AnnouncedHalt;
  readonly rateLimiter: RateLimiter;
  /** Keys that this process holds for bad. */
  readonly parked: () => Iterable<SourceId>;
  /** How much this process would like to ask, in a measure that is the same for all. */
  readonly demand: () => number;
  /** Another process saw this key refused. */
  readonly onRefusedKey: (source: SourceId, record: RejectedKey) => void;
  /** Another process has this key linked anew. */
  readonly onUnparked: (source: SourceId) => void;
  /** Something may be started that could not before. */
  readonly onChanged: () => void;
}

/** What becomes of a request whose turn has come. */
export type Leave =
  | { readonly kind: "go" }
  /** It may not now; its turn comes again. */
  | { readonly kind: "again" }
  | { readonly kind: "never"; readonly failure: Failure };

const LOOK_EVERY_MS = 1_000;
const LOOK_AGAIN_MS = 200;
const UNREACHABLE = "Marshal's database is not answering. Nothing is sent until it does.";

/**
 * This process's part in what it shares with others that ask from the same address: asked before each request leaves, and
 * looked at each second.
 */
export class Sharing {
  readonly #parts: SharingParts;
  readonly #parkedLooks: ParkedLooks;
  #cancel: () => void = () => {};
  #isLooking = false;
  #isClosed = false;

  constructor(parts: SharingParts) {
    this.#parts = parts;
    this.#parkedLooks = new ParkedLooks(parts.clock);
  }

  /** Looks now, and from then on each second. */
  start(): void {
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** After an answer: a limit that was met for the first time needs a share at once. */
  onAnswered(): void {
    const { rateLimiter, clock } = this.#parts;
    if (rateLimiter.sharedLimits(clock.monotonicMs()).some(({ hasNone }) => hasNone)) void this.#look();
  }

  /** Whether a request may leave at this moment, for all processes together. Never rejects. */
  async leave(
    job: Job,
    { risk, isCovered }: { readonly risk: Risk; readonly isCovered: boolean },
  ): Promise<Leave> {
    const { source, route, proving, isAskedAgain } = job.exchange;
    const { limits, budget, records } = this.#parts;
    const asksRefused = proving === true || isAskedAgain === true || job.probe;
    const request = {
      source,
      isCommand: route === "command",
      isProbe: job.probe,
      isCovered,
      own: records.own(),
      mostTogether: budget.mostTogether(risk),
    };
    try {
      const first = await limits.depart({ ...request, asksRefused });
      this.#see(first.view);
      if (first.departure.kind !== "refused-key") return this.#leaveBy(first.departure, source);
      const record = parseRejected(first.departure.document);
      if (record.parked) {
        this.#parts.onRefusedKey(source, record);
        return { kind: "again" };
      }
      // Doubted, or typed by somebody: what speaks against it is not known yet.
      const second = await limits.depart({ ...request, asksRefused: true });
      this.#see(second.view);
      return this.#leaveBy(second.departure, source);
    } catch (err) {
      this.#parts.log?.debug({ err }, "what processes share could not be asked");
      return { kind: "never", failure: paused(UNREACHABLE) };
    }
  }

  /** A command was answered or given up. */
  onCommandEnded(source: SourceId): void {
    const { limits, rateLimiter, clock, log } = this.#parts;
    const nowMs = clock.monotonicMs();
    const waitMs = Math.max(0, rateLimiter.commandReadyAtMs(source, nowMs) - nowMs);
    limits
      .endCommand(source, waitMs)
      .catch((err: unknown) => log?.debug({ err }, "the turn of a server's commands ends by itself"));
  }

  #leaveBy(departure: Departure, source: SourceId): Leave {
    if (departure.kind === "go") return departure;
    const { rateLimiter, clock, budget } = this.#parts;
    if (departure.kind === "outage-waits")
      budget.others.coveredFromMs = clock.monotonicMs() + departure.forMs;
    if (departure.kind === "command-waits")
      rateLimiter.holdCommand(source, clock.monotonicMs() + departure.forMs);
    return { kind: "again" };
  }

  #see({ others, halt }: SharedView): void {
    const { budget, wave, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    budget.others.see(others, nowMs);
    wave.hear(others, nowMs);
    if (halt !== undefined) this.#parts.halt.hear(parseHalt(halt.document), halt.leftMs);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    this.#cancel();
    const { limits, clock, rateLimiter, records, demand, log } = this.#parts;
    // Counted from before it is sent, as Redis counts from later.
    const sentMs = clock.monotonicMs();
    let againMs = LOOK_EVERY_MS;
    try {
      const shares = rateLimiter.sharedLimits(sentMs);
      const parked = this.#parkedLooks.due(this.#parts.parked());
      const seen = await limits.look({ own: records.own(), shares, demand: demand(), parked });
      this.#see(seen);
      rateLimiter.grantShares(seen.granted, sentMs + SHARE_MS, clock.monotonicMs());
      for (const source of seen.unparked) this.#parts.onUnparked(source);
    } catch (err) {
      log?.debug({ err }, "what processes share could not be looked at");
      // An answer that was lost may have granted less than before.
      rateLimiter.grantShares(undefined, sentMs, sentMs);
      againMs = LOOK_AGAIN_MS;
    }
    this.#isLooking = false;
    if (this.#isClosed) return;
    const nowMs = clock.monotonicMs();
    // Met while it looked, or granted nothing because the others hold all of it until they look.
    if (rateLimiter.sharedLimits(nowMs).some(({ hasNone }) => hasNone)) againMs = LOOK_AGAIN_MS;
    this.#cancel = clock.after(Math.max(1, sentMs + againMs - nowMs), () => void this.#look());
    this.#parts.onChanged();
  }
}
