/**
 * One namespace of the store. Values are checked with zod on reading; a value of an unreadable shape is a defect.
 * Calls reject when the store fails; they never answer as if nothing were there.
 */
export interface Documents<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): AsyncIterable<readonly [key: string, value: T]>;
}
