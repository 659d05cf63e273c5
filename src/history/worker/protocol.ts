/** What crosses between the main thread and the worker: plain data, so that structured cloning takes it. */

export interface WorkerOptions {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
}

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: unknown;
}

export type FromWorker =
  /** The database is open. */
  | { readonly kind: "ready" }
  /** It is not, or not any more; the worker tries again by itself. `message` is for the operator. */
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly message: string; readonly isDefect: boolean };
