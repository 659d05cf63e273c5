/** `auto`: all that Discord recommends; `ids`: these of `count`; `any`: a free block of that many of `count`. */
export type ShardsWanted =
  | "auto"
  | { readonly ids: readonly number[]; readonly count: number }
  | { readonly any: number; readonly count: number };

/** Reads `auto`, `0-3/16`, `3/16` or `any:4/16`; `why` not, in words; undefined where it is none of these. */
export function readShards(value: string): ShardsWanted | { readonly why: string | undefined } {
  if (value === "auto") return "auto";
  const parts = /^(?:any:(\d{1,5})|(\d{1,5})(?:-(\d{1,5}))?)\/(\d{1,5})$/.exec(value);
  if (parts === null) return { why: undefined };
  const count = Number(parts[4]);
  if (parts[1] !== undefined) return anyBlock(Number(parts[1]), count);
  const [first, last] = [Number(parts[2]), Number(parts[3] ?? parts[2])];
  if (first > last) return { why: "the first shard comes after the last" };
  if (last >= count) return { why: `of ${count} shards the last is ${count - 1}` };
  return { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count };
}

function anyBlock(any: number, count: number): ShardsWanted | { readonly why: string } {
  if (any < 1 || any > count) return { why: `a block has 1 to ${count} of ${count} shards` };
  if (count % any === 0) return { any, count };
  return { why: `${count} shards cannot be divided into blocks of ${any}: some would be left over` };
}

/** Why these shards cannot be served with this store; undefined: they can. */
export function badShards(shards: ShardsWanted, isShared: boolean): string | undefined {
  return shards === "auto" || isShared
    ? undefined
    : "with sqlite there is one process, which serves all shards; several need a STORE_URL of Redis";
}
