import type { SourceId } from "../../domain/model.ts";
import type {
  Departing,
  Departure,
  Look,
  Looked,
  SharedLimits,
  SharedUnits,
  SharedView,
} from "../../domain/ports/shared-limits.ts";
import type { Cell, CellRead } from "./cell.ts";
import { grantShare } from "./grants.ts";
import {
  commandEnded,
  departed,
  type LimitsState,
  othersOf,
  parseLimits,
  pruned,
  takenOver,
  withMember,
} from "./limits-state.ts";

/** Others may change the state between reading and writing; more often than this in a row is a storm. */
const MOST_TRIES = 12;

/** What becomes of a state that was read; without a state nothing is written. */
interface Change<T> {
  readonly state?: LimitsState | undefined;
  readonly result: T;
}

/**
 * The shared limits on one state in Redis: each change is computed here and written only if nobody changed anything since
 * it was read, which makes it one step for all.
 */
export class StoredLimits implements SharedLimits {
  readonly #cell: Cell;
  readonly #token: string;
  #turn: Promise<unknown> = Promise.resolve();
  /** The end of the halt that a probe of this process was let through under. */
  #probed: string | undefined;

  /** `token`: of this process, fresh for each lease. */
  constructor(cell: Cell, token: string) {
    this.#cell = cell;
    this.#token = token;
  }

  takeOver(
    isOurs: (source: SourceId) => boolean,
  ): Promise<{ readonly units: SharedUnits; readonly isNew: boolean }> {
    return this.#change((state, { nowMs, text }) => {
      const { state: after, units } = takenOver(state, this.#token, { isOurs, nowMs });
      return { state: after, result: { units, isNew: text === "" } };
    });
  }

  async depart(request: Departing): Promise<{ readonly departure: Departure; readonly view: SharedView }> {
    return await this.#change((state, read) => {
      const view = this.#viewOf(state, read);
      if (read.rejected !== undefined && !request.asksRefused)
        return { result: { departure: { kind: "refused-key", document: read.rejected } as const, view } };
      const asker = {
        token: this.#token,
        nowMs: read.nowMs,
        isHalted: read.halt !== undefined,
        haltLeftMs: view.halt?.leftMs ?? 0,
      };
      const { departure, state: after } = departed(state, request, asker);
      const isProbe = departure.kind === "go" && read.halt !== undefined;
      if (isProbe) this.#probed = read.halt?.ends;
      return { state: after, result: { departure, view } };
    }, request.source).catch((error: unknown) => {
      if (error !== STORM) throw error;
      return { departure: { kind: "busy" }, view: { others: NOTHING, halt: undefined } };
    });
  }

  async look({ own, shares, demand, parked }: Look): Promise<Looked> {
    const seen = await this.#change((state, read) => {
      const granted = new Map<string, number>();
      let after = withMember(state, this.#token, own, read.nowMs);
      for (const { bucket, limit } of shares) {
        const asking = { token: this.#token, limit, demand };
        const { grants, share } = grantShare(after.shares[bucket] ?? {}, asking, read.nowMs);
        after = { ...after, shares: { ...after.shares, [bucket]: { ...grants } } };
        granted.set(bucket, share);
      }
      return { state: after, result: { ...this.#viewOf(after, read), granted } };
    });
    const unparked = parked.length === 0 ? [] : await this.#cell.notRejected(parked);
    return { ...seen, unparked };
  }

  keep(own: SharedUnits): Promise<void> {
    return this.#change((state, { nowMs }) => ({
      state: withMember(state, this.#token, own, nowMs),
      result: undefined,
    }));
  }

  endCommand(source: SourceId, waitMs: number): Promise<void> {
    return this.#change((state, { nowMs }) => ({
      state: commandEnded(state, this.#token, { source, waitMs, nowMs }),
      result: undefined,
    }));
  }

  async clearHalt(): Promise<void> {
    const ends = this.#probed;
    this.#probed = undefined;
    if (ends !== undefined) await this.#cell.clearHalt(ends);
  }

  #viewOf(state: LimitsState, { nowMs, halt }: CellRead): SharedView {
    return {
      others: othersOf(state, this.#token, nowMs),
      halt: halt && { document: halt.document, leftMs: Math.max(0, halt.endsMs - nowMs) },
    };
  }

  /** One after the other: changes of one process would only get in each other's way. */
  #change<T>(change: (state: LimitsState, read: CellRead) => Change<T>, source?: SourceId): Promise<T> {
    const work = this.#turn.then(() => this.#exchange(change, source));
    this.#turn = work.catch(() => undefined);
    return work;
  }

  async #exchange<T>(
    change: (state: LimitsState, read: CellRead) => Change<T>,
    source?: SourceId,
  ): Promise<T> {
    let read: CellRead = await this.#cell.exchange(undefined, source);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { state, result } = change(pruned(parseLimits(read.text), read.nowMs), read);
      if (state === undefined) return result;
      const answer = await this.#cell.exchange({ from: read, text: JSON.stringify(state) }, source);
      if (answer.isWritten) return result;
      read = answer;
    }
    throw STORM;
  }
}

const STORM = new Error("too many processes change the shared limits at once");
const NOTHING: SharedUnits = { refusals: [], open: [], firstsAgeMs: [] };
