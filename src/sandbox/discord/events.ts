import type { DiscordEvent } from "./types.ts";

type Listener = (event: DiscordEvent) => void;

/** For what never comes: on a busy machine a bot may start for a minute. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** The stream of what happens, and ways to wait on it instead of sleeping. */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  readonly #recent: string[] = [];
  readonly #closers = new Set<() => void>();

  emit(event: DiscordEvent): void {
    this.#recent.push(event.type);
    if (this.#recent.length > 12) this.#recent.shift();
    // A copy, since a listener may remove itself or add others while the event is handed round.
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Returns the function that ends it. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The next event that fits; only events after the call count. */
  waitFor(
    predicate: (event: DiscordEvent) => boolean,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<DiscordEvent> {
    return this.#wait((event) => (event !== undefined && predicate(event) ? event : undefined), timeoutMs);
  }

  /** Resolves with what the probe gives as soon as that is neither undefined, null nor false; asked now and after each event. */
  until<T>(probe: () => T | undefined | false | null, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<T> {
    return this.#wait(() => probe(), timeoutMs);
  }

  /** Ends every wait that is still open with an error. */
  close(): void {
    for (const closer of [...this.#closers]) closer();
    this.#listeners.clear();
  }

  #wait<T>(
    probe: (event: DiscordEvent | undefined) => T | undefined | false | null,
    timeoutMs: number,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (act: () => void): void => {
        clearTimeout(timer);
        stop();
        this.#closers.delete(closed);
        act();
      };
      const look = (event: DiscordEvent | undefined): void => {
        try {
          const found = probe(event);
          if (found !== undefined && found !== null && found !== false) end(() => resolve(found));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const fail = (why: string) => () =>
        end(() => reject(new Error(`${why}; the last events were: ${this.#recent.join(", ") || "none"}`)));
      const closed = fail("the emulated Discord was closed while something waited on it");
      const timer = setTimeout(fail(`nothing fitting happened within ${timeoutMs} ms`), timeoutMs);
      const stop = this.on(look);
      this.#closers.add(closed);
      look(undefined);
    });
  }
}
