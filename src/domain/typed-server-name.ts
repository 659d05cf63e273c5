/** Characters that a client draws as nothing, or that reorder a line. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Beyond this cards show an ellipsis in the place of the rest. */
const SHOWN_CHARACTERS = 59;

/**
 * Whether somebody typed this name as a card shows it. Case, invisible characters, and the quotes and dashes of a phone
 * do not count; of a long name the part that a card shows is enough.
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
