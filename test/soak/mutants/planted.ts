/** One planted fault, and the tests of which at least one must find it. */
export interface Mutant {
  readonly file: string;
  /** What the fault would mean for somebody. */
  readonly what: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Files below test/, without their ending. */
  readonly tests: readonly string[];
}

/** The faults of one file. */
export function plantedIn(file: string, mutants: readonly Omit<Mutant, "file">[]): readonly Mutant[] {
  return mutants.map((mutant) => ({ file, ...mutant }));
}
