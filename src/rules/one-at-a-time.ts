/** Work for each of several things, one at a time; of what is asked for meanwhile the latest is done after it. */
export class OneAtATime {
  readonly #busy = new Map<string, (() => Promise<void>) | undefined>();
  readonly #running = new Set<Promise<void>>();
  readonly #report: (error: unknown) => void;
  #isStopped = false;

  /** `report`: of work that failed. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Waits for nothing. */
  begin(key: string, work: () => Promise<void>): void {
    if (this.#isStopped) return;
    if (this.#busy.has(key)) {
      this.#busy.set(key, work);
      return;
    }
    this.#busy.set(key, undefined);
    const running = work()
      .catch((error: unknown) => this.#report(error))
      .then(() => {
        this.#running.delete(running);
        const next = this.#busy.get(key);
        this.#busy.delete(key);
        if (next !== undefined) this.begin(key, next);
      });
    this.#running.add(running);
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }
}
