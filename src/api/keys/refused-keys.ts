import { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServiceEvent } from "../../domain/ports/service-health.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import * as refusals from "../gate-failures.ts";
import type { Outcome } from "../http/classify.ts";
import type { HaltCall } from "../limits/halt.ts";
import type { Job } from "../limits/in-flight.ts";
import type { KeyDesk } from "./key-desk.ts";
import type { KeyGuard } from "./key-guard.ts";
import type { RejectedKey } from "./rejected-keys.ts";

/** What the judge of refusals needs of the gate. */
export interface RefusedKeysParts {
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly onEvent: (event: ServiceEvent) => void;
  readonly onRejectedChanged: (source: SourceId) => void;
  readonly keyOf: (source: SourceId) => Promise<ServerKey | undefined>;
  /** Asks with a GET whether the key still works; resolves when the service took it. */
  readonly ask: (source: SourceId, key: ServerKey) => Promise<unknown>;
  /** Everything stops for one probe, at once. */
  readonly probeNow: (message: string) => void;
  readonly halt: (call: HaltCall) => void;
  /** The probe showed that the service answers us. */
  readonly resume: () => void;
  /** Requests that wait with this key are refused. */
  readonly refuseWaiting: (source: SourceId, failure: Failure) => void;
  readonly dropKey: (source: SourceId, failure: Failure) => void;
}

type KeyOutcome = Extract<Outcome, { kind: "key" }>;

/** When the first answer since the start is a refusal without a code, another key is asked after this. */
const FIRST_DOUBT_MS = 60_000;

/**
 * What follows when the service refuses a key. With a code it means that key: parked at once. Without one it may mean
 * us, since a banned address is answered in the same way: a second opinion is asked, and where two keys are refused
 * within a minute, or nothing was taken since the start, another key is asked before anything is believed.
 */
export class RefusedKeys {
  readonly #parts: RefusedKeysParts;
  /** Keys that a second opinion is being asked about. */
  readonly #confirming = new Map<SourceId, Promise<boolean>>();
  /** Keys whose refusal made us suspect ourselves, judged when the probe has been answered. */
  readonly #suspects = new Map<SourceId, { readonly key: ServerKey; readonly failure: Failure }>();
  #waitingForOpinion: (() => void)[] = [];
  /** Nothing is asked any more. */
  #isClosed = false;
  /** The service refused a key that stands in no doubt: until it takes one again, it is us. */
  #isUs = false;

  constructor(parts: RefusedKeysParts) {
    this.#parts = parts;
  }

  /** Keys that a probe is not made with while there are others. */
  get suspects(): ReadonlyMap<SourceId, { readonly key: ServerKey }> {
    return this.#suspects;
  }

  /** Keys that an earlier process left undecided are judged by a probe with another key; they are not asked again. */
  async restore(): Promise<void> {
    const { guard, keyOf, probeNow } = this.#parts;
    for (const source of guard.undecided()) {
      // A copy of a key that cannot be opened must not keep the process from starting.
      const key = await keyOf(source).catch(() => undefined);
      const failure = new Failure("key-rejected", "The server key is wrong or expired.");
      if (key !== undefined) this.#suspects.set(source, { key, failure });
    }
    if (this.#suspects.size > 0) probeNow("A working key was refused without a reason.");
  }

  /** A request was answered with a refusal of its key; its caller gets the failure when it is clear what that means. */
  onRefused(job: Job, outcome: KeyOutcome): void {
    const { exchange, probe } = job;
    const { coded, failure } = outcome;
    if (exchange.proving === true) this.#onTypedRefused(job, outcome);
    else if (exchange.isAskedAgain === true) this.#onRefusedAgain(job, outcome);
    else if (coded) this.#onCoded(job, outcome);
    else if (probe && this.#mayBeUs()) this.#onProbeRefused(job, outcome);
    else {
      if (probe) this.#parts.resume();
      this.#onBare(job, failure);
    }
  }

  /** The service took a key, or worked with it: it is not us. */
  onCleared(): void {
    this.#isUs = false;
    const suspects = [...this.#suspects];
    this.#suspects.clear();
    for (const [source, { key, failure }] of suspects) {
      if (this.#parts.guard.isConvicted(source)) this.#park(source, failure);
      else if (this.#parts.guard.isDoubtful(source)) void this.confirm(source, key);
    }
    this.#tellWaiting();
  }

  /** Asks with a GET whether a doubted key still works. At most one at a time for a key. */
  confirm(source: SourceId, key: ServerKey): Promise<boolean> {
    const known = this.#confirming.get(source);
    if (known !== undefined) return known;
    const { guard, ask, refuseWaiting } = this.#parts;
    const asked = ask(source, key)
      .then(
        () => true,
        () => !guard.isDoubtful(source) && guard.parked(source) === undefined,
      )
      .finally(() => {
        this.#confirming.delete(source);
        if (guard.isDoubtful(source)) refuseWaiting(source, refusals.stillDoubted());
      });
    this.#confirming.set(source, asked);
    return asked;
  }

  /** Another process that asks from the same address saw this key refused, and has kept it. */
  onParkedElsewhere(source: SourceId, record: RejectedKey): void {
    const { guard, onEvent, dropKey } = this.#parts;
    if (guard.parked(source) !== undefined) return;
    guard.rejectedKeys.set(source, record);
    const failure = refusals.parked(record);
    onEvent({ kind: "key-parked", source, failure });
    dropKey(source, failure);
  }

  /** Refuses those that wait for a second opinion, and whose refusal is still read: there will be none. */
  close(): void {
    this.#isClosed = true;
    this.#tellWaiting();
  }

  #mayBeUs(): boolean {
    return this.#isUs || this.#suspects.size > 0 || !this.#parts.guard.hasTakenAny;
  }

  #onTypedRefused(job: Job, { coded, failure }: KeyOutcome): void {
    const { guard, clock, onRejectedChanged, probeNow, resume } = this.#parts;
    const { source } = job.exchange;
    if (job.probe) resume();
    if (coded || guard.hasTakenAny) {
      guard.rejectTyped(source, recordOf(failure), clock.nowMs());
      onRejectedChanged(source);
    }
    if (!coded && guard.hasTakenAny) {
      const isOneOfTwo = guard.noteTypedBare(source, clock.monotonicMs());
      if (isOneOfTwo) probeNow("Two keys were refused without a reason.");
    }
    job.reject(failure);
  }

  #onRefusedAgain(job: Job, { failure }: KeyOutcome): void {
    this.#parts.desk.onConfirmed(job.exchange.source);
    job.reject(failure);
  }

  #onCoded(job: Job, { failure }: KeyOutcome): void {
    const { source } = job.exchange;
    if (job.probe) this.#parts.resume();
    this.#noteFirst(source);
    this.#park(source, failure);
    job.reject(failure);
  }

  /** The probe was refused without a reason, too: it is us, unless there is no other key to compare with. */
  #onProbeRefused(job: Job, { failure }: KeyOutcome): void {
    const { guard, halt, resume, onRejectedChanged } = this.#parts;
    const { source } = job.exchange;
    if (this.#suspects.size === 1 && this.#suspects.has(source)) {
      this.#suspects.clear();
      this.#park(source, failure);
      resume();
      job.reject(failure);
      return;
    }
    const absolved = [source, ...this.#suspects.keys()];
    this.#suspects.clear();
    this.#isUs = true;
    guard.absolve(absolved);
    for (const suspect of absolved) onRejectedChanged(suspect);
    const message =
      "The game service refuses one key after another without a reason. This host may be blocked.";
    halt({ cause: "suspicion", toldMs: undefined, saysBlocked: true, message });
    this.#tellWaiting();
    job.reject(failure);
  }

  #onBare(job: Job, failure: Failure): void {
    const { guard, clock, probeNow, halt, onRejectedChanged } = this.#parts;
    const { source, key, route } = job.exchange;
    this.#noteFirst(source);
    const meaning = guard.refusedBare(source, route === "read", clock.monotonicMs());
    onRejectedChanged(source);
    switch (meaning) {
      case "park":
        this.#park(source, failure);
        job.reject(failure);
        return;
      case "confirm": {
        const confirmed = this.confirm(source, key);
        if (route === "read") job.reject(failure);
        else void confirmed.then((isGood) => job.reject(isGood ? refusals.unauthorised(failure) : failure));
        return;
      }
      case "suspect-us":
        this.#suspects.set(source, { key, failure });
        // Its caller gets the failure when the probe has shown whether the key is parked.
        if (this.#isClosed) job.reject(failure);
        else this.#waitingForOpinion.push(() => job.reject(failure));
        probeNow("Working keys were refused without a reason.");
        return;
      case "nothing-known": {
        this.#suspects.set(source, { key, failure });
        const message =
          "The game service refused the first key without a reason. Marshal tries another in a minute.";
        halt({ cause: "doubt", toldMs: FIRST_DOUBT_MS, saysBlocked: false, message });
        job.reject(failure);
      }
    }
  }

  #noteFirst(source: SourceId): void {
    if (!this.#parts.guard.isRefused(source)) this.#parts.desk.noteFirstRefusal();
  }

  #park(source: SourceId, failure: Failure): void {
    const { guard, clock, desk, onEvent, dropKey } = this.#parts;
    if (guard.parked(source) !== undefined) return;
    guard.park(source, recordOf(failure), clock.nowMs());
    desk.onParked(source);
    onEvent({ kind: "key-parked", source, failure });
    dropKey(source, failure);
  }

  #tellWaiting(): void {
    const waiting = this.#waitingForOpinion;
    this.#waitingForOpinion = [];
    for (const tell of waiting) tell();
  }
}

function recordOf({ message, serviceCode }: Failure): {
  readonly why: string;
  readonly serviceCode?: number | undefined;
} {
  return { why: message, serviceCode };
}
