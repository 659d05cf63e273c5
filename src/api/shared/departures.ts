import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyDesk } from "../keys/key-desk.ts";
import type { KeyGuard } from "../keys/key-guard.ts";
import type { RejectedKey } from "../keys/rejected-keys.ts";
import type { AnnouncedHalt } from "../limits/announced-halt.ts";
import type { InFlightRequest, Job } from "../limits/in-flight.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import { Sharing, type SharingParts } from "./sharing.ts";

export interface DeparturesParts {
  /** Absent: this process asks alone, and nothing here does anything. */
  readonly sharing?:
    | Pick<SharingParts, "limits" | "log" | "budget" | "wave" | "records" | "demand">
    | undefined;
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly halt: AnnouncedHalt;
  readonly rateLimiter: RateLimiter;
  /** The request is not written; `reason` says why. */
  readonly callBack: (request: InFlightRequest, reason: unknown) => void;
  readonly onParkedElsewhere: (source: SourceId, record: RejectedKey) => void;
  readonly onTakenAgain: (source: SourceId) => void;
  readonly onChanged: () => void;
}

/** Why a request was called back whose turn comes again. */
export const NOT_NOW = Symbol("all processes together may not send it now");
/** Another process probes whether a halt is over: its answer is there within moments. */
export const PROBED_ELSEWHERE_MS = 150;
/** What keeps all processes together from sending ends within moments. */
const AGAIN_MS = 20;

/** Requests on their way out, where several processes ask from one address: each leaves when it may for all of them. */
export class Departures {
  readonly #parts: DeparturesParts;
  readonly #sharing: Sharing | undefined;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(parts: DeparturesParts) {
    this.#parts = parts;
    const { sharing, guard, onParkedElsewhere, onTakenAgain } = parts;
    this.#sharing =
      sharing &&
      new Sharing({
        ...parts,
        ...sharing,
        parked: () => guard.rejectedKeys.parked(),
        onRefusedKey: onParkedElsewhere,
        onUnparked: onTakenAgain,
      });
  }

  /** Nothing is started before that, monotonic. */
  get notBeforeMs(): number {
    return this.#notBeforeMs;
  }

  /** Resolves when the request may be written, or was called back; absent where this process asks alone. */
  get mayLeave(): ((request: InFlightRequest) => Promise<void>) | undefined {
    const sharing = this.#sharing;
    return sharing && ((request) => this.#leave(request, sharing));
  }

  start(): void {
    this.#sharing?.start();
  }

  close(): void {
    this.#sharing?.close();
  }

  /** A request was answered or given up. */
  onEnded({ exchange }: Job): void {
    if (exchange.route === "command") this.#sharing?.onCommandEnded(exchange.source);
    this.#sharing?.onAnswered();
  }

  async #leave(request: InFlightRequest, sharing: Sharing): Promise<void> {
    const { desk, clock, callBack } = this.#parts;
    const leave = await sharing.leave(request.job, {
      risk: desk.riskOf(request),
      isCovered: desk.isCovered(request),
    });
    if (request.hasEnded || (leave.kind === "go" && desk.mayStillLeave(request))) return;
    if (leave.kind !== "never") this.#notBeforeMs = clock.monotonicMs() + AGAIN_MS;
    callBack(request, leave.kind === "never" ? leave.failure : NOT_NOW);
  }
}
