import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";

/** Of so many command turns of a server one is for what nobody waits for. */
const TURNS_PER_AUTOMATIC = 4;
/** How often it is looked whether somebody still waits. */
const LOOK_AGAIN_MS = 1_000;

export interface SharePorts {
  readonly clock: Clock;
  /** Time between two commands of this server, in milliseconds. */
  windowMs(source: SourceId): number;
  /** Whether a command that a person asked for waits for this server or is being sent, of any guild. */
  isPersonWaiting(source: SourceId): boolean;
}

/**
 * The share of a server's command turns that all automatic runs together have: one of four, and none while a person
 * waits. Counted for the runs of this process.
 */
export class AutomaticShare {
  readonly #ports: SharePorts;
  /** When the latest automatic command of a server left, by the monotonic clock. */
  readonly #leftAtMs = new Map<SourceId, number>();

  constructor(ports: SharePorts) {
    this.#ports = ports;
  }

  /** Wait until an automatic command may leave, as far as is known; 0: now. */
  inMs(source: SourceId): number {
    const { clock, windowMs, isPersonWaiting } = this.#ports;
    if (isPersonWaiting(source)) return LOOK_AGAIN_MS;
    const leftAtMs = this.#leftAtMs.get(source);
    if (leftAtMs === undefined) return 0;
    const inMs = leftAtMs + TURNS_PER_AUTOMATIC * windowMs(source) - clock.monotonicMs();
    if (inMs <= 0) this.#leftAtMs.delete(source);
    return Math.max(0, inMs);
  }

  /** An automatic command leaves now. */
  onLeft(source: SourceId): void {
    this.#leftAtMs.set(source, this.#ports.clock.monotonicMs());
  }
}
