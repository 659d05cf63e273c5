/** Answers that are asked for again and again, by guild and question; those used longest ago go first. */
export class KeptAnswers<T> {
  readonly #most: number;
  readonly #kept = new Map<string, Promise<T>>();

  constructor(most: number) {
    this.#most = most;
  }

  get(guildId: string, question: string): Promise<T> | undefined {
    const key = `${guildId} ${question}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#keep(key, kept);
    return kept;
  }

  /** Keeps it until it fails. */
  put(guildId: string, question: string, answer: Promise<T>): void {
    const key = `${guildId} ${question}`;
    this.#keep(key, answer);
    answer.catch(() => {
      if (this.#kept.get(key) === answer) this.#kept.delete(key);
    });
  }

  forgetGuild(guildId: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(`${guildId} `)) this.#kept.delete(key);
  }

  #keep(key: string, answer: Promise<T>): void {
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
  }
}
