/** Verbs that hit a player who cannot undo it. */
const PUNISHING: ReadonlySet<string> = new Set(["kick", "ban", "jail", "kill", "down"]);

/** Most texts begin with one of a few words, which are read once; more spellings than anybody types. */
const MOST_WORDS = 500;
const PLAIN_WORD = /^:+[a-z]{1,20}$/i;

/** Whether a command of the game's log punishes somebody, by its verb; a verb that was read once is not read again. */
export function punishmentTest(verbOf: (text: string) => string | undefined): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const end = text.indexOf(" ");
    const word = end < 0 ? text : text.slice(0, end);
    const before = known.get(word);
    if (before !== undefined) return before;
    if (!PLAIN_WORD.test(word)) return PUNISHING.has(verbOf(text) ?? "");
    const is = PUNISHING.has(verbOf(`${word} x`) ?? "");
    if (known.size >= MOST_WORDS) known.clear();
    known.set(word, is);
    return is;
  };
}
