import type { DigestMark, FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { LineItem } from "./owed.ts";

/** Rows that came late may lie among a digest's entries; more than this many cannot be separated from them. */
const MOST_BETWEEN = 4;
/** Such rows are looked for among this many of the newest: what came later stands later in the journal. */
const NEWEST_LOOKED_AT = 100;

/**
 * Those of the waiting entries that a digest in the channel holds, or undefined where that cannot be told: some of
 * them no longer wait, or too many others lie among them. Pure.
 */
export function heldByDigest(
  pending: readonly LineItem[],
  mark: DigestMark,
  digestHash: FeedRenderer["digestHash"],
): readonly LineItem[] | undefined {
  if (mark.entries === 0) return undefined;
  const candidates = withinDigest(pending, mark);
  const between = candidates.length - mark.entries;
  if (between < 0 || between > MOST_BETWEEN) return undefined;
  const excess = numberOf(digestHash(candidates.map(({ entry }) => entry))) - numberOf(mark.hash);
  const newest = candidates.slice(-NEWEST_LOOKED_AT);
  const hashes = newest.map(({ entry }) => numberOf(digestHash([entry])));
  const others = summingTo(BigInt.asUintN(64, excess), between, hashes);
  if (others === undefined) return undefined;
  const otherSeqs = new Set(others.map((at) => newest[at]?.seq));
  return candidates.filter(({ seq }) => !otherSeqs.has(seq));
}

/** Waiting entries of the seconds that a digest speaks of: no others can stand in it. Pure. */
function withinDigest(pending: readonly LineItem[], { fromS, toS }: DigestMark): readonly LineItem[] {
  return pending.filter(({ entry }) => fromS <= entry.atS && entry.atS <= toS);
}

/** The places of `count` values that make up `sum`, modulo 2^64; undefined where none do. */
function summingTo(sum: bigint, count: number, values: readonly bigint[]): readonly number[] | undefined {
  if (count === 0) return sum === 0n ? [] : undefined;
  const lastPlace = new Map(values.map((value, at) => [value, at]));
  const search = (rest: bigint, left: number, from: number): readonly number[] | undefined => {
    if (left === 1) {
      const place = lastPlace.get(rest);
      return place === undefined || place < from ? undefined : [place];
    }
    for (let at = from; at < values.length; at++) {
      const more = search(BigInt.asUintN(64, rest - (values[at] ?? 0n)), left - 1, at + 1);
      if (more !== undefined) return [at, ...more];
    }
    return undefined;
  };
  return search(sum, count, 0);
}

function numberOf(hash: string): bigint {
  return BigInt(`0x${hash}`);
}
