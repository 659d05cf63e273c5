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

/** The blocks that may be claimed: the one that was named, or all that a count is divided into. */
export function blocksOf(
  wanted: ShardBlock | { readonly any: number; readonly count: number },
): readonly ShardBlock[] {
  if (!("any" in wanted)) return [wanted];
  const { any, count } = wanted;
  return Array.from({ length: count / any }, (_, block) => ({
    ids: Array.from({ length: any }, (_, id) => block * any + id),
    count,
  }));
}

/** How many blocks of this size serve all shards. */
export function blocksBeside({ ids, count }: ShardBlock): number {
  return Math.max(1, Math.ceil(count / ids.length));
}
