import { StoreAwayError, StoreError } from "../../domain/failure.ts";

/** What each refusal of Redis means for its operator, by the word that it begins with; those that pass by themselves. */
const PASSING: readonly (readonly [begins: RegExp, words: string])[] = [
  [/^OOM/, "Redis is out of memory (OOM): give it more (maxmemory) or free some"],
  [/^READONLY/, "this Redis is a read-only replica (READONLY): STORE_URL must point to the primary"],
  [/^LOADING/, "Redis is still loading its data (LOADING)"],
  [/^MISCONF/, "Redis can't save to its disk (MISCONF), so it takes no writes: check its log and disk"],
  [/^NOREPLICAS/, "Redis takes no writes because too few of its replicas answer (min-replicas-to-write)"],
  [/^MASTERDOWN/, "this Redis is a replica that has lost its primary (MASTERDOWN)"],
];

/** Those that somebody has to mend. */
const LASTING: readonly (readonly [begins: RegExp, words: string])[] = [
  [/^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)/, "this is a Redis Cluster; Marshal needs a single primary"],
  [/^(NOAUTH|WRONGPASS|ERR AUTH)/, "Redis refuses the user or password in STORE_URL"],
  [/^NOPERM/, "the user in STORE_URL may not do what Marshal needs in Redis (NOPERM)"],
];

/** An error of Redis or of the connection to it, as a StoreError in words for the operator. */
export function explainRedisError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const said = reasonOf(error);
  const saying = (table: typeof PASSING) => table.find(([begins]) => begins.test(said))?.[1];
  const passing = saying(PASSING);
  if (passing !== undefined) return new StoreAwayError(passing, { cause: error });
  const lasting = saying(LASTING);
  if (lasting !== undefined) return new StoreError(lasting, { cause: error });
  const words = `Redis cannot be used: ${said}`;
  // What Redis itself says begins with such a word; all else is the way to it.
  return /^[A-Z]+ /.test(said)
    ? new StoreError(words, { cause: error })
    : new StoreAwayError(words, { cause: error });
}

/** Whether waiting helps nothing: Redis answers, and refuses what STORE_URL or its rules say. */
export function isLasting(error: unknown): boolean {
  return LASTING.some(([begins]) => begins.test(reasonOf(error)));
}

/** Redis says that it is a replica: the primary is elsewhere by now. */
export function isReadOnly(error: unknown): boolean {
  return /^READONLY/.test(reasonOf(error));
}

/** Redis has started and does not know its data yet. */
export function isLoading(error: unknown): boolean {
  return /^LOADING/.test(reasonOf(error));
}

/** What an error says. A host name with several addresses fails with an AggregateError whose own message is empty. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error && error.message !== "" ? error.message : "nothing answers";
}
