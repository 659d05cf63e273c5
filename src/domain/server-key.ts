/**
 * An open server key. Printing, logging or serialising it gives "[key]". Only `reveal` gives the value, and only api/
 * (the header) and store/ (the seal) call it.
 */
export class ServerKey {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[key]";
  }

  toJSON(): string {
    return "[key]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[key]";
  }
}
