import type { BanEnd } from "../../domain/ban-end.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import type { WaitEnd } from "./check-lift.ts";
import type { KeptBanEnds } from "./kept-ban-ends.ts";

export interface DueTimesPorts {
  readonly kept: Pick<KeptBanEnds, "ofServer">;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  readonly clock: Clock;
}

interface Wait {
  /** By the monotonic clock. */
  readonly untilMs: number;
  readonly why: string;
}

/** When the bans of each server may be lifted: never before any clock that is known says that their time is over. */
export class DueTimes {
  readonly #ports: DueTimesPorts;
  readonly #ofEnd = new Map<string, Wait>();
  readonly #ofServer = new Map<string, Wait & { readonly endsBy?: WaitEnd | undefined }>();
  /** When the time of a ban is over by the monotonic clock, counted from when this process first saw it. */
  readonly #overAtMs = new Map<string, number>();

  constructor(ports: DueTimesPorts) {
    this.#ports = ports;
  }

  /** The one to lift now. */
  due(bindingId: string): BanEnd | undefined {
    return this.#liftable(bindingId).find((end) => this.#inMs(end) <= 0);
  }

  /** Time until one may be lifted; undefined: none is to be. */
  nextInMs(bindingId: string): number | undefined {
    const ends = this.#liftable(bindingId);
    return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends.map((end) => this.#inMs(end))));
  }

  /** What one waits for whose time is over. */
  whyOf(end: BanEnd): string | undefined {
    const { clock } = this.#ports;
    if (end.endsAtMs > clock.nowMs()) return undefined;
    const nowMs = clock.monotonicMs();
    const waits = [this.#ofServer.get(end.bindingId), this.#ofEnd.get(end.id)];
    return waits.find((wait) => wait !== undefined && wait.untilMs > nowMs)?.why;
  }

  waitFor({ id }: Pick<BanEnd, "id">, inMs: number, why: string): void {
    this.#ofEnd.set(id, { untilMs: this.#ports.clock.monotonicMs() + inMs, why });
  }

  /** All of that server wait. */
  serverWaitsFor(
    bindingId: string,
    inMs: number,
    { why, endsBy }: Omit<Wait, "untilMs"> & { readonly endsBy?: WaitEnd | undefined },
  ) {
    this.#ofServer.set(bindingId, { untilMs: this.#ports.clock.monotonicMs() + inMs, why, endsBy });
  }

  /** That has happened. Answers whether anything waited for it. */
  forgetWait(bindingId: string, endsBy: WaitEnd): boolean {
    return this.#ofServer.get(bindingId)?.endsBy === endsBy && this.#ofServer.delete(bindingId);
  }

  forget(id: string): void {
    this.#ofEnd.delete(id);
    this.#overAtMs.delete(id);
  }

  #liftable(bindingId: string): readonly BanEnd[] {
    return this.#ports.kept.ofServer(bindingId).filter(({ state, laterId }) => {
      return state === "armed" && laterId === undefined;
    });
  }

  #inMs(end: BanEnd): number {
    const { clock, serviceTime } = this.#ports;
    const monotonicMs = clock.monotonicMs();
    const wallMs = end.endsAtMs - clock.nowMs();
    const serviceMs = serviceTime.ms();
    const overAtMs = this.#overAtMs.get(end.id) ?? monotonicMs + wallMs;
    this.#overAtMs.set(end.id, overAtMs);
    const waits = [this.#ofServer.get(end.bindingId), this.#ofEnd.get(end.id)];
    return Math.max(
      wallMs,
      // Without the service's word a wall clock that was set is found out by the other one.
      serviceMs === undefined ? overAtMs - monotonicMs : end.endsAtMs - serviceMs,
      ...waits.map((wait) => (wait === undefined ? 0 : wait.untilMs - monotonicMs)),
    );
  }
}
