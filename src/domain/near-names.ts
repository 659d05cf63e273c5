/** Names that somebody may have meant, by the number of edits between them and what was typed. Pure. */

/** Of longer names the beginning is compared. */
const LONGEST_CHARACTERS = 40;

/** The most edits by which a word of this length may differ. */
function mostEdits(length: number): number {
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

/** Whether one letter was left out, put in, changed or swapped with its neighbour: of words, no chance likeness. */
export function isOneSlip(typed: string, word: string): boolean {
  return edits(typed.toLowerCase(), word.toLowerCase()) === 1;
}

/** The words nearest to the typed one, nearest first; the typed word itself is left out. */
export function nearestWords(typed: string, words: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase().slice(0, LONGEST_CHARACTERS);
  return words
    .map((word) => ({ word, away: wholeEdits(wanted, word.toLowerCase()) }))
    .filter(({ away }) => away > 0 && away <= mostEdits(wanted.length))
    .sort((a, b) => a.away - b.away)
    .map(({ word }) => word);
}

/**
 * The names that fit what was typed so far: those that begin with it, then those that contain it, else those whose
 * beginning is nearly the same, the nearest first: by the beginning, then by the whole name, then in the given order.
 * Each name once.
 */
export function namesLike(typed: string, names: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase();
  const starts = names.filter((name) => name.toLowerCase().startsWith(wanted));
  if (wanted === "") return starts;
  const holds = names.filter((name) => name.toLowerCase().includes(wanted));
  const near = names
    .map((name) => ({ name, away: startEdits(wanted, name.toLowerCase()) }))
    .filter(({ away }) => away <= mostEdits(wanted.length))
    .map(({ name, away }) => ({ name, away, whole: wholeEdits(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.away - b.away || a.whole - b.whole)
    .map(({ name }) => name);
  return [...new Set([...starts, ...holds, ...(starts.length > 0 ? [] : near)])];
}

/** The fewest edits between what was typed and the beginning of a name. */
function startEdits(typed: string, name: string): number {
  const wanted = typed.slice(0, LONGEST_CHARACTERS);
  const lengths = [wanted.length - 1, wanted.length, wanted.length + 1];
  return Math.min(...lengths.map((length) => edits(wanted, name.slice(0, length))));
}

function wholeEdits(typed: string, name: string): number {
  return edits(typed.slice(0, LONGEST_CHARACTERS), name.slice(0, LONGEST_CHARACTERS));
}
