import type { DiscordEvent, Exchange } from "./types.ts";

type Listener = (event: DiscordEvent) => void;

/** For what never comes: on a busy machine a bot may start for a minute. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** The stream of what happens, and ways to wait on it instead of sleeping. */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  /** Of one exchange each: where thousands wait for an answer, each event would otherwise be shown to all of them. */
  readonly #ofExchange = new Map<Exchange, Set<Listener>>();
  readonly #recent: string[] = [];
  readonly #closers = new Set<() => void>();

  emit(event: DiscordEvent): void {
    this.#recent.push(event.type);
    if (this.#recent.length > 12) this.#recent.shift();
    // A copy, since a listener may remove itself or add others while the event is handed round.
    const ofExchange = "exchange" in event ? this.#ofExchange.get(event.exchange) : undefined;
    for (const listener of [...this.#listeners, ...(ofExchange ?? [])]) listener(event);
  }

  /** Returns the function that ends it. `exchange`: only what happens to that one. */
  on(listener: Listener, exchange?: Exchange): () => void {
    if (exchange === undefined) {
      this.#listeners.add(listener);
      return () => {
        this.#listeners.delete(listener);
      };
    }
    const listeners = this.#ofExchange.get(exchange) ?? new Set();
    this.#ofExchange.set(exchange, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#ofExchange.delete(exchange);
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

  /** Resolves when it holds, which only what happens to this exchange can change. */
  async untilOf(exchange: Exchange, holds: () => boolean, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    await this.#wait(holds, timeoutMs, exchange);
  }

  /** Ends every wait that is still open with an error. */
  close(): void {
    for (const closer of [...this.#closers]) closer();
    this.#listeners.clear();
    this.#ofExchange.clear();
  }

  #wait<T>(
    probe: (event: DiscordEvent | undefined) => T | undefined | false | null,
    timeoutMs: number,
    exchange?: Exchange,
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
      const stop = this.on(look, exchange);
      this.#closers.add(closed);
      look(undefined);
    });
  }
}
