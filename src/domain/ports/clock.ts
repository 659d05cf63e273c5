export interface Clock {
  /**
   * Wall time, epoch milliseconds. It can step in both directions, so it serves only for times of the service, of
   * Discord and of stored records.
   */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment, never going back: for deadlines, waits, windows, ages and halts. */
  monotonicMs(): number;
  /** Runs `work` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, work: () => void): () => void;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A fresh opaque id, safe in a custom_id. */
  id(): string;
}
