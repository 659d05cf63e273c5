import { type Aim, whomItPunishes } from "../domain/command-hits.ts";
import type { PlayerRef } from "../domain/model.ts";

/** The meaning of a command text, as far as alerts ask; undefined: none can be read in it. */
export type ReadCommand = (text: string) => (Aim & { readonly verb?: string }) | undefined;

/** Verbs that hit a player who cannot undo it. */
const PUNISHING: ReadonlySet<string> = new Set(["kick", "ban", "jail", "kill", "down"]);

/** Most texts begin with one of a few words, which are read once; more spellings than anybody types. */
const MOST_WORDS = 500;
const PLAIN_WORD = /^:+[a-z]{1,20}$/i;

/** Whose command it is: its author in the game, or the account of the member who ran it through Marshal. */
export interface ByWhom {
  readonly author?: PlayerRef | undefined;
  readonly self?: PlayerRef | undefined;
}

/** Whether a command of the game's log, or of a run of ours, punishes somebody else than who gave it. */
export type PunishmentTest = (text: string, by?: ByWhom) => boolean;

export function punishmentTest(read: ReadCommand): PunishmentTest {
  const isPunishingVerb = verbTest((text) => read(text)?.verb);
  return (text, by = {}) => {
    const command = isPunishingVerb(text) ? read(text) : undefined;
    if (command === undefined) return false;
    return command.targetTexts.some((target) => hitsOthers({ ...command, targetTexts: [target] }, by));
  };
}

/** Who else was there is not known here: a name that is not their own whole name is somebody else's. */
function hitsOthers(aim: Aim, { author, self }: ByWhom): boolean {
  const [text] = aim.targetTexts;
  const wanted = text?.trim().toLowerCase();
  const own = [author, self].filter((person) => person !== undefined);
  const present = own.filter(({ name }) => name.toLowerCase() === wanted);
  const around = { present, absent: [], author };
  const { players, unknown } = whomItPunishes(aim, around, self);
  return players.length > 0 || unknown.length > 0;
}

/** By its verb alone; a verb that was read once is not read again. */
function verbTest(verbOf: (text: string) => string | undefined): (text: string) => boolean {
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
