import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { KeyDesk } from "./key-desk.ts";
import type { KeyGuard } from "./key-guard.ts";
import type { KeyCheck } from "./unit.ts";

/** With which key a request of our own is made. */
export type KeyQuestion = Pick<Exchange, "source" | "key" | "proving" | "typedBy" | "isAskedAgain">;

/** How soon what is due, and held up all the same, is looked at again. */
const LOOK_AGAIN_MS = 1_000;

export interface KeyErrandsParts {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly keyOf: (source: SourceId) => Promise<ServerKey | undefined>;
  /** Every server that somebody has linked. */
  readonly sources: () => Iterable<SourceId>;
  /** Whether a probe may be made with a key that only an earlier process saw taken. */
  readonly usesEarlierKeys: () => boolean;
  /** Keys that raised the suspicion that it is us. */
  readonly suspects: () => readonly SourceId[];
  readonly ask: (question: KeyQuestion) => Promise<unknown>;
  readonly onChecked: () => void;
}

/** Requests of our own: whether a key is good, and with which key a halt is probed. */
export class KeyErrands {
  readonly #parts: KeyErrandsParts;

  constructor(parts: KeyErrandsParts) {
    this.#parts = parts;
  }

  /** Asks whether a key is good, where the budget has room for it; one at a time. Returns when to look again. */
  checkNext(): number {
    const { desk, clock } = this.#parts;
    const check = desk.nextCheck();
    if (check !== undefined) void this.#check(check);
    const [nowMs, atMs] = [clock.monotonicMs(), desk.wakeAtMs()];
    // What is due and was not asked just now waits for what answers show: a look each millisecond would take a core.
    return atMs > nowMs ? atMs : nowMs + LOOK_AGAIN_MS;
  }

  /**
   * The key that was taken last. Where a refusal raised a suspicion, else another linked one, and the suspect itself
   * only where there is no other.
   */
  async keyForProbe(): Promise<KeyQuestion | undefined> {
    const { guard, keyOf, sources, usesEarlierKeys } = this.#parts;
    const suspects = new Set(this.#parts.suspects());
    const taken =
      guard.lastTaken(suspects) ?? (usesEarlierKeys() ? takenEarlier(guard, sources()) : undefined);
    const candidates = taken === undefined ? [] : [taken];
    if (suspects.size > 0) candidates.push(...this.#otherThan(suspects), ...suspects);
    for (const source of candidates) {
      const key = await keyOf(source);
      if (key !== undefined) return { source, key };
    }
    return undefined;
  }

  async #check(check: KeyCheck): Promise<void> {
    const { desk, keyOf, ask, onChecked } = this.#parts;
    const { source, risk } = check;
    try {
      const key = await keyOf(source);
      if (key === undefined) desk.forget(source);
      else await ask({ source, key, isAskedAgain: risk === "again" });
    } catch {
      // The gate has taken in its answer, or that there was none, like that of any request.
    } finally {
      desk.checkEnded(check);
      onChecked();
    }
  }

  /** A linked key in no doubt besides these, if there is one. */
  #otherThan(suspects: ReadonlySet<SourceId>): readonly SourceId[] {
    const { guard, sources } = this.#parts;
    for (const source of sources()) if (!suspects.has(source) && !guard.isRefused(source)) return [source];
    return [];
  }
}

/** The linked key in no doubt that any process saw taken last. */
export function takenEarlier(guard: KeyGuard, sources: Iterable<SourceId>): SourceId | undefined {
  let [found, atMs]: [SourceId | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const source of sources) {
    if (guard.takenMs(source) <= atMs || guard.isRefused(source) || guard.isDoubtful(source)) continue;
    [found, atMs] = [source, guard.takenMs(source)];
  }
  return found;
}
