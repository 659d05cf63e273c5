/** What crosses between the main thread and a thread of the history: plain data, so that structured cloning takes it. */

/** What can be asked of a thread: by name, what goes there and what comes back. */
export type Questions = Readonly<Record<string, { readonly args: unknown; readonly answer: unknown }>>;

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

export type FromWorker =
  /** It can answer. */
  | { readonly kind: "ready" }
  /** It cannot, or not any more; the thread tries again by itself. `message` is for the operator. */
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly message: string; readonly isDefect: boolean };
