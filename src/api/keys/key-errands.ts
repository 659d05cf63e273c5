import type { SourceId } from "../../domain/model.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { KeyCheck, KeyDesk } from "./key-desk.ts";
import type { KeyGuard } from "./key-guard.ts";

/** With which key a request of our own is made. */
export type KeyQuestion = Pick<Exchange, "source" | "key" | "proving" | "guildId" | "isAskedAgain">;

export interface KeyErrandsParts {
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly keyOf: (source: SourceId) => Promise<ServerKey | undefined>;
  /** Every server that somebody has linked. */
  readonly sources: () => Iterable<SourceId>;
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

  /** Asks whether a key is good, where the budget has room for it; one at a time. */
  checkNext(): void {
    const check = this.#parts.desk.nextCheck();
    if (check !== undefined) void this.#check(check);
  }

  /**
   * The key that was taken last. Where a refusal raised a suspicion, else another linked one, and the suspect itself
   * only where there is no other.
   */
  async keyForProbe(): Promise<KeyQuestion | undefined> {
    const { guard, keyOf } = this.#parts;
    const suspects = new Set(this.#parts.suspects());
    const taken = guard.lastTaken(suspects);
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
