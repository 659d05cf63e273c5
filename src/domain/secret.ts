/**
 * A server key in the open. Printing, logging or serialising it gives "[key]": the value leaves only by `reveal`,
 * which api/ (the header) and store/ (the seal) call and nobody else.
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
