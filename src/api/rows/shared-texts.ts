/** More than the game has of anything; an odd server may show others without end. */
const MOST = 1_000;

/** One text for all equal ones: each answer brings its own, and thousands of servers name the same few. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
