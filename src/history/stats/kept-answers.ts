import type { Clock } from "../../domain/ports/clock.ts";

/** Of answers that do not stay true. */
export interface Expiry {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly afterMs: number;
}

/** Answers that are asked for again and again, by guild and question; those used longest ago go first. */
export class KeptAnswers<T> {
  readonly #most: number;
  readonly #expiry: Expiry | undefined;
  readonly #kept = new Map<string, { readonly answer: Promise<T>; readonly untilMs: number }>();

  constructor(most: number, expiry?: Expiry) {
    this.#most = most;
    this.#expiry = expiry;
  }

  get(guildId: string, question: string): Promise<T> | undefined {
    const key = `${guildId} ${question}`;
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.untilMs <= this.#nowMs()) return undefined;
    this.#keep(key, kept);
    return kept.answer;
  }

  /** Keeps it until it fails. */
  put(guildId: string, question: string, answer: Promise<T>): void {
    const key = `${guildId} ${question}`;
    this.#keep(key, { answer, untilMs: this.#nowMs() + (this.#expiry?.afterMs ?? Number.POSITIVE_INFINITY) });
    answer.catch(() => {
      if (this.#kept.get(key)?.answer === answer) this.#kept.delete(key);
    });
  }

  forgetGuild(guildId: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(`${guildId} `)) this.#kept.delete(key);
  }

  #nowMs(): number {
    return this.#expiry?.clock.monotonicMs() ?? 0;
  }

  #keep(key: string, kept: { readonly answer: Promise<T>; readonly untilMs: number }): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
  }
}
