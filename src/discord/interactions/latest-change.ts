import { ChangedSince } from "../command.ts";

/** Which interaction changes a message last. The picture of one before it must not come over what a later press shows. */
export class LatestChange {
  readonly #byMessage = new Map<string, AbortController>();

  /** `change` is aborted when another one begins on the same message. */
  begin(message: string, change: AbortController): void {
    this.#byMessage.get(message)?.abort(new ChangedSince());
    this.#byMessage.set(message, change);
  }

  end(message: string, change: AbortController): void {
    if (this.#byMessage.get(message) === change) this.#byMessage.delete(message);
  }
}
