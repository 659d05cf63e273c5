/** Shards that one process serves together: it claims all of them or none. */
export interface ShardBlock {
  /** Ascending. */
  readonly ids: readonly number[];
  /** How many shards there are in all. */
  readonly count: number;
}

/** How a block is called in logs and in Redis, such as `0-3/16`. */
export function nameOf({ ids, count }: ShardBlock): string {
  const [first, last] = [ids[0] ?? 0, ids.at(-1) ?? 0];
  return first === last ? `${first}/${count}` : `${first}-${last}/${count}`;
}

/** All shards of a count: what one process serves alone. */
export function wholeBlock(count: number): ShardBlock {
  return { ids: Array.from({ length: count }, (_, id) => id), count };
}
