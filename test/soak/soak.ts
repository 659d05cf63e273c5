/** One long run of the real process. */
export interface Soak {
  /** Prints what it counts; resolves with whether everything held. `args`: what followed its name. */
  run(args: readonly string[]): Promise<boolean>;
}
