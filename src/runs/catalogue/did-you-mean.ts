/** Names that somebody may have meant: by edits, as one mistypes on a phone. Pure. */

/** Longer ones are compared by their beginning: nobody types a name of 200 letters. */
const LONGEST = 40;

/** The edits that a word of this length may be away. */
function most(length: number): number {
  if (length < 3) return 0;
  return length < 5 ? 1 : 2;
}

/** How many letters were left out, put in, changed or swapped with their neighbour. */
function edits(a: string, b: string): number {
  let twoAgo: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(at(before, j) + 1, at(row, j - 1) + 1, at(before, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, at(twoAgo, j - 2) + 1);
      row.push(least);
    }
    twoAgo = before;
    before = row;
  }
  return at(before, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** Those that whole words are nearest to, nearest first; the same word counts as no guess. */
export function nearestWords(typed: string, words: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase().slice(0, LONGEST);
  return words
    .map((word) => ({ word, away: edits(wanted, word.toLowerCase().slice(0, LONGEST)) }))
    .filter(({ away }) => away > 0 && away <= most(wanted.length))
    .sort((a, b) => a.away - b.away)
    .map(({ word }) => word);
}

/**
 * Names by what was typed of them so far: those that begin with it, then those that hold it, then those of which a
 * beginning is nearly it. Each once.
 */
export function namesLike(typed: string, names: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase();
  const starts = names.filter((name) => name.toLowerCase().startsWith(wanted));
  if (wanted === "") return starts;
  const holds = names.filter((name) => name.toLowerCase().includes(wanted));
  const near = names
    .map((name) => ({ name, away: startEdits(wanted, name.toLowerCase()) }))
    .filter(({ away }) => away <= most(wanted.length))
    .sort((a, b) => a.away - b.away)
    .map(({ name }) => name);
  return [...new Set([...starts, ...holds, ...(starts.length > 0 ? [] : near)])];
}

/** Against beginnings of about the typed length: half a name has no edits for its other half. */
function startEdits(typed: string, name: string): number {
  const wanted = typed.slice(0, LONGEST);
  const lengths = [wanted.length - 1, wanted.length, wanted.length + 1];
  return Math.min(...lengths.map((length) => edits(wanted, name.slice(0, length))));
}
