/** The health of the whole bot, as far as a guild may see it. */
export interface HostHealth {
  /** Whether the store can be written. */
  storeWorks(): boolean;
  /** The service's limit of which the smallest share is left; undefined before the first answer. */
  requestsLeft(): RequestsLeft | undefined;
}

export interface RequestsLeft {
  readonly left: number;
  readonly limit: number;
  /** Epoch milliseconds: then there are `limit` again. */
  readonly resetAtMs: number;
}
