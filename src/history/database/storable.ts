/** Texts and numbers as both databases take them. Pure. */

/** PostgreSQL indexes at most 2,704 bytes a row, and a character has up to three here; no name in the game is as long. */
const LONGEST_NAME = 200;

/** PostgreSQL refuses a zero byte, and half a character is none. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** A name, which stands in indexes. */
export function storableName(name: string): string {
  return storable(name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name);
}

/** A name as searches compare it. */
export function nameKey(name: string): string {
  return storableName(name.toLowerCase());
}

const MOST = 2 ** 31 - 1;

/** A number of people, for a column of 32 bits. */
export function storableCount(count: number): number {
  return Math.max(0, Math.min(Math.trunc(count) || 0, MOST));
}
