import { StoreError } from "../../domain/failure.ts";

/** An error as it crosses between threads, with what sqlite and the system say of theirs. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
  readonly errcode?: unknown;
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return { name, message, stack, code, errcode };
}

/** The same on the other side: a StoreError stays one, and so does a defect. */
export function errorOf({ name, message, stack, code, errcode }: PlainError): Error {
  if (name === "StoreError") return new StoreError(message);
  const made = name === "TypeError" ? new TypeError(message) : new Error(message);
  if (stack !== undefined) made.stack = stack;
  return Object.assign(made, code === undefined ? {} : { code }, errcode === undefined ? {} : { errcode });
}
