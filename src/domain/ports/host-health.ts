/** What the whole bot needs to work, as far as a guild is concerned. */
export interface HostHealth {
  /** Whether what must be remembered can be written down. */
  storeWorks(): boolean;
  /** Of the service's limits the one that is nearest to its end; undefined before the first answer. */
  requestsLeft(): RequestsLeft | undefined;
}

export interface RequestsLeft {
  readonly left: number;
  readonly limit: number;
  /** Epoch milliseconds: then there are `limit` again. */
  readonly resetAtMs: number;
}
