import { isMassWord, isSelf } from "./command-hits.ts";
import type { PlayerRef } from "./model.ts";

/**
 * A command as people read it: nobody knows a player by an id, so the name stands in its place. What is sent, stored and
 * compared with the game's log keeps the id. Pure.
 */

/** A longer name would push the rest of a command out of sight. */
const LONGEST_IN_PLACE = 40;
/** One word of what can be seen. */
const ONE_WORD = /^[^\s,\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;

/**
 * The words up to the first space that no comma touches. `a, b` is read as two targets although the game may read
 * one: judging too many people errs on the safe side.
 */
export function targetsIn(after: string): string {
  return /^\S*(?:(?:(?<=,)\s+|\s+(?=,))\S*)*/u.exec(after)?.[0] ?? "";
}

/** The verb with what separates it from the names, the names, and what follows them. */
export function commandParts(text: string) {
  const start = /^:+\S+\s*/u.exec(text)?.[0] ?? "";
  const targets = targetsIn(text.slice(start.length));
  return { start, targets, rest: text.slice(start.length + targets.length) };
}

/** Of these players, whose id stands among the names of the command. */
export function namedById(text: string, players: readonly PlayerRef[]): readonly Required<PlayerRef>[] {
  const words = new Set(commandParts(text).targets.split(/[\s,]+/u));
  return players.flatMap(({ name, id }) =>
    id !== undefined && name !== String(id) && words.has(String(id)) ? [{ name, id }] : [],
  );
}

/** By id: the names that can stand in the place of these ids. Any other would read as somebody else, or as nothing. */
export function namesInPlace(text: string, players: readonly PlayerRef[]): ReadonlyMap<number, string> {
  const fitting = namedById(text, players).filter(
    ({ name }) =>
      name.length <= LONGEST_IN_PLACE &&
      ONE_WORD.test(name) &&
      !/^\d+$/u.test(name) &&
      !isMassWord(name) &&
      !isSelf(name),
  );
  return new Map(fitting.map(({ name, id }) => [id, name]));
}

/** The text with names in the place of the ids of these players. A number in the words behind them stays. */
export function withNames(text: string, players: readonly PlayerRef[]): string {
  const names = namesInPlace(text, players);
  if (names.size === 0) return text;
  const { start, targets, rest } = commandParts(text);
  const named = targets.replace(/[^\s,]+/gu, (word) => {
    return String(Number(word)) === word ? (names.get(Number(word)) ?? word) : word;
  });
  return `${start}${named}${rest}`;
}
