/** One measurement of docs/figures.md. */
export interface Bench {
  readonly name: string;
  run(): Promise<BenchResult>;
}

export interface BenchResult {
  /** Whether every figure is reached. */
  readonly ok: boolean;
  /** The figures by their names in section 9. */
  readonly figures: Readonly<Record<string, number>>;
  /** What was measured, for people: side by side with peers where there are any. */
  readonly lines: readonly string[];
}

/** Rows under a head, in columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

/** A figure with as many digits as it is worth. */
export function figure(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}

/** `part` 1 is the longest. */
export function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
