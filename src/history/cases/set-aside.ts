import { Failure } from "../../domain/failure.ts";

/** A row that fails so often is set aside. */
const MOST_TRIES = 5;
const MOST_KEPT = 1_000;

/** Rows that fail again and again: one that can never be a case must not keep all later ones from theirs. */
export class SetAside {
  readonly #tries = new Map<string, number>();
  readonly #ports: { report(what: string, error: unknown): void };

  constructor(ports: { report(what: string, error: unknown): void }) {
    this.#ports = ports;
  }

  has(origin: string): boolean {
    return (this.#tries.get(origin) ?? 0) >= MOST_TRIES;
  }

  /** A database that is away says nothing of the row. */
  onFailed(origin: string, error: unknown): void {
    if (error instanceof Failure) return;
    const tries = (this.#tries.get(origin) ?? 0) + 1;
    this.#tries.set(origin, tries);
    if (tries === MOST_TRIES) {
      this.#ports.report("a command of the game's log gets no case: it failed too often", error);
    }
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > MOST_KEPT && oldest !== undefined) this.#tries.delete(oldest);
  }
}
