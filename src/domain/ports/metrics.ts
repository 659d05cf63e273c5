/** Counters and gauges by name; the names live in ops/metrics.ts. Labels never hold a key or a name of a player. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
