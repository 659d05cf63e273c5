import type { Clock } from "../domain/ports/clock.ts";
import type { WorkPermit } from "../domain/ports/work-permit.ts";
import type { Log } from "../log.ts";
import { LeaseValidity, type Reading } from "./lease-times.ts";
import type { LeaseId, Leases } from "./leases.ts";
import { nameOf } from "./shard-block.ts";

const RENEW_EVERY_MS = 3_000;
const RETRY_MS = 500;
/** Discord waits 3 s for a first answer: a successor takes the first half. */
const OTHERS_FIRST_MS = 1_500;

/** Why a lease ended. taken: another holds it. expired: it could not be renewed in time. */
export type LeaseEnd = "taken" | "gone" | "changed" | "expired" | "released";

export interface HeldLeaseParts {
  readonly leases: Leases;
  readonly lease: LeaseId;
  /** When the claim was sent. */
  readonly sent: Reading;
  readonly isStoreInDoubt: boolean;
  readonly isOlderCopy: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const NOT_RENEWED = "Marshal's database is not answering. Nothing is posted or sent until it does.";
const OVER = "Another Marshal process is taking over. That takes a few seconds.";

/** A lease that was claimed, from its claim to its end; it renews itself. */
export class HeldLease implements WorkPermit {
  readonly #parts: HeldLeaseParts;
  readonly #time: LeaseValidity;
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<LeaseEnd>();
  #waiting: (() => void)[] = [];
  #cancel: () => void = () => undefined;
  #isRenewing = false;
  #why: LeaseEnd | undefined;

  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
    this.#time = new LeaseValidity(parts.sent);
    this.#schedule(RENEW_EVERY_MS);
  }

  get lease(): LeaseId {
    return this.#parts.lease;
  }

  /** Redis changed since the store was last looked through: what it says may be a second or two old. */
  get isStoreInDoubt(): boolean {
    return this.#parts.isStoreInDoubt;
  }

  /** What it says may be of long ago. */
  get isOlderCopy(): boolean {
    return this.#parts.isOlderCopy;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves with the reason when it is over. */
  get ended(): Promise<LeaseEnd> {
    return this.#ended.promise;
  }

  refusal(): string | undefined {
    const now = this.#read();
    if (!this.over.aborted && this.#time.isOver(now)) this.#end("expired");
    if (this.over.aborted) return this.#why === "expired" ? NOT_RENEWED : OVER;
    if (this.#time.mayWork(now)) return undefined;
    // After a sleep the next renewal must not be waited for.
    if (this.#time.hasSlept(now)) void this.#renew();
    return NOT_RENEWED;
  }

  granted(): Promise<void> {
    if (this.refusal() === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  othersFirst(): Promise<void> {
    return this.#parts.clock.sleep(OTHERS_FIRST_MS);
  }

  /** A write was refused because another's token stands there, or none. */
  onFenceRefused(): void {
    void this.#renew();
  }

  /** Whether Redis answers at this moment, so that a failure has another cause. */
  async isReachable(): Promise<boolean> {
    await this.#renew();
    return !this.over.aborted && this.#time.mayWork(this.#read());
  }

  /** The store was looked through. Rejects while Redis cannot be reached. */
  async settle(): Promise<void> {
    if (this.isStoreInDoubt) await this.#parts.leases.settle(this.lease);
  }

  /** Gives it up; nobody has to wait it out. */
  async release(): Promise<void> {
    this.#end("released");
    const { leases, lease, log } = this.#parts;
    await leases
      .release(lease)
      .catch((err: unknown) => log.warn({ err }, "the lease could not be released; it expires by itself"));
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.over.aborted) return;
    this.#isRenewing = true;
    this.#cancel();
    const { leases, lease, log } = this.#parts;
    const sent = this.#read();
    try {
      const renewal = await leases.renew(lease);
      if (renewal !== "renewed") return this.#end(renewal);
      if (this.over.aborted) return;
      this.#time.renewed(sent);
      // Counted from the sending, as the lease itself is: a slow answer does not make the next one late.
      this.#schedule(Math.max(0, sent.monotonicMs + RENEW_EVERY_MS - this.#read().monotonicMs));
      if (this.refusal() === undefined) this.#wakeAll();
    } catch (err) {
      if (this.over.aborted) return;
      log.debug({ err, block: nameOf(lease.block) }, "the lease could not be renewed");
      if (this.#time.isOver(this.#read())) this.#end("expired");
      else this.#schedule(RETRY_MS);
    } finally {
      this.#isRenewing = false;
    }
  }

  #end(why: LeaseEnd): void {
    if (this.over.aborted) return;
    this.#cancel();
    this.#why = why;
    const { log, lease } = this.#parts;
    log[why === "released" ? "info" : "warn"]({ block: nameOf(lease.block), why }, "the lease is over");
    this.#waiting = [];
    this.#over.abort(new Error(`the lease is over: ${why}`));
    this.#ended.resolve(why);
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#parts.clock.after(delayMs, () => void this.#renew());
  }

  #read(): Reading {
    const { clock } = this.#parts;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
  }
}
