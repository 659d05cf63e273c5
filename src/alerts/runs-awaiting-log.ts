import type { CommandEntry } from "../domain/model.ts";
import type { MemberRun } from "./facts.ts";
import { LATE_S } from "./windows/sprees.ts";

/** More wait only where a log stands still for hours; the oldest are counted, later ones are not. */
const MOST_WAITING_RUNS = 1_000;

/** Runs that are not counted yet, since the game's log has not reached them; a start finds them in the audit. */
export class RunsAwaitingLog {
  readonly #byBinding = new Map<string, MemberRun[]>();

  add(bindingId: string, run: MemberRun): void {
    const waiting = this.#byBinding.get(bindingId) ?? [];
    // The audit row of a run changes several times, and each change comes here.
    if (waiting.length >= MOST_WAITING_RUNS || waiting.some(({ id }) => id === run.id)) return;
    this.#byBinding.set(bindingId, [...waiting, run]);
  }

  /** Those that the log has reached, by their own rows or later ones; it may also show none for a while. */
  reached(
    bindingId: string,
    log: readonly CommandEntry[],
    { presentS, serviceAheadS }: { readonly presentS: number; readonly serviceAheadS: number },
  ): readonly MemberRun[] {
    const waiting = this.#byBinding.get(bindingId);
    if (waiting === undefined) return [];
    const reachedS = log.reduce((newestS, { atS }) => Math.max(newestS, atS), presentS - LATE_S);
    return waiting.filter(({ atS }) => atS + serviceAheadS <= reachedS);
  }

  /** These were counted. */
  remove(bindingId: string, runs: readonly MemberRun[]): void {
    if (runs.length === 0) return;
    const left = this.#byBinding.get(bindingId)?.filter((run) => !runs.includes(run)) ?? [];
    if (left.length === 0) this.#byBinding.delete(bindingId);
    else this.#byBinding.set(bindingId, left);
  }

  forget(bindingId: string): void {
    this.#byBinding.delete(bindingId);
  }
}
