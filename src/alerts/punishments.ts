/** Verbs that hit a player who cannot undo it. */
const PUNISHING: ReadonlySet<string> = new Set(["kick", "ban", "jail", "kill", "down"]);

/** Most texts begin with one of a few words, which are read once. */
const MOST_WORDS = 500;

/** Whether a command of the game's log punishes somebody, by its verb; a verb that was read once is not read again. */
export function punishmentTest(verbOf: (text: string) => string | undefined): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const word = /^:+[a-z]{1,20}(?= |$)/i.exec(text)?.[0].toLowerCase();
    if (word === undefined) return PUNISHING.has(verbOf(text) ?? "");
    const before = known.get(word);
    if (before !== undefined) return before;
    const is = PUNISHING.has(verbOf(`${word} x`) ?? "");
    if (known.size >= MOST_WORDS) known.clear();
    known.set(word, is);
    return is;
  };
}
