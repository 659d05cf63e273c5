/** What a client draws as nothing, or reorders a line by. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Beyond this cards show an ellipsis in the place of the rest. */
const SHOWN_CHARACTERS = 59;

/**
 * Whether somebody typed this name as they read it on a card: in any case, whatever is invisible in either, with the
 * quotes and dashes of a phone, and of a long name only as much as a card shows.
 */
export function isSameName(typed: string, name: string): boolean {
  const [given, wanted] = [plain(typed), plain(name)];
  if (wanted === "") return given === "(no name)";
  const start = given.replace(/(?:…|\.\.\.)$/u, "");
  return given === wanted || (start.length >= SHOWN_CHARACTERS && wanted.startsWith(start));
}

function plain(text: string): string {
  return text
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(UNSEEN, "")
    .replace(STACKED_MARKS, "$1")
    .normalize("NFKC")
    .replace(/[‘’ʼ`]/gu, "'")
    .replace(/[“”]/gu, '"')
    .replace(/[‐-―−]/gu, "-")
    .replace(/ {2,}/g, " ")
    .trim()
    .toLowerCase();
}
