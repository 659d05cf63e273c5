/** One row as the diff sees it: its second, its identity (hashed) and what shall come out when it is new. */
export interface Fact<T> {
  readonly atS: number;
  readonly hash: number;
  readonly value: T;
}
