import type { SourceId } from "../../domain/model.ts";

interface Drawn {
  readonly text: string;
  /** Another key was taken since. */
  isOtherTaken: boolean;
}

/** The network's own page is longer, or names each request, so that no two are alike. */
const LONGEST_CHARS = 2_000;
/** Texts by which a service refuses keys: it has one, or a few. */
const MOST_KNOWN = 10;
/** After the first everybody waits, so that few are on their way. */
const MOST_DRAWN = 100;

/**
 * A 403 that is no JSON stops everybody, since it may be the page of the network in front of the service (spec: Errors 3). Nothing
 * shows the body of a 403 for a bad key, which may be such a text too: then one bad key would stop everybody again and again.
 * A text is known for that once a key has drawn it twice and others were taken in between. Pure.
 */
export class RefusalPages {
  readonly #known = new Set<string>();
  readonly #drawn = new Map<SourceId, Drawn>();

  /** Keys that drew a page and were not taken since: a probe is made with another. */
  get drawn(): Iterable<SourceId> {
    return this.#drawn.keys();
  }

  /** A key was answered with a page. Whether that is how the service refuses a key. */
  isRefusal(source: SourceId, text: string): boolean {
    if (this.#known.has(text)) return true;
    const before = this.#drawn.get(source);
    const isAgain = before?.text === text && before.isOtherTaken;
    if (isAgain && text.length <= LONGEST_CHARS && this.#known.size < MOST_KNOWN) {
      this.#known.add(text);
      this.#drawn.delete(source);
      return true;
    }
    this.#drawn.set(source, { text, isOtherTaken: false });
    const [oldest] = this.#drawn.keys();
    if (this.#drawn.size > MOST_DRAWN && oldest !== undefined) this.#drawn.delete(oldest);
    return false;
  }

  onTaken(source: SourceId): void {
    if (this.#drawn.size === 0) return;
    this.#drawn.delete(source);
    for (const drawn of this.#drawn.values()) drawn.isOtherTaken = true;
  }
}
