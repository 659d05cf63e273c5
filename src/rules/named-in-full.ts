import { isMassWord, isSelf } from "../domain/command-hits.ts";
import type { PlayerRef } from "../domain/model.ts";

/** Whom a command with one name can hit. Pure. */

/** What a command reads as one name; others could be split or cut. */
const PLAIN = /^[A-Za-z0-9_]{1,30}$/;
const WORDS = ["all", "others", "me"];

/** A name that a command reads as everybody, as its author, or as an id. */
export function readsAsWord(name: string): boolean {
  return isMassWord(name) || isSelf(name) || /^\d+$/.test(name);
}

/**
 * Why a command with this player's whole name could hit somebody else; undefined: it names them alone. `others`: everybody
 * else of whom a name is known: who is there, who is queued, who was there once and may come back.
 */
export function whyNotNamed(
  { name, id }: Required<PlayerRef>,
  others: Iterable<PlayerRef>,
): string | undefined {
  const wanted = name.toLowerCase();
  if (!PLAIN.test(name)) return "Their name is not one plain word.";
  if (readsAsWord(name) || WORDS.some((word) => word.startsWith(wanted)))
    return "A command would misread their name.";
  for (const other of others) {
    if (other.id === id && other.name === name) continue;
    if (other.name.toLowerCase().startsWith(wanted)) return "Somebody else's name begins with theirs.";
  }
  return undefined;
}

/** Why a command with this player's id could mean somebody who is named like it; undefined: it means them alone. */
export function whyNotById(id: number, others: Iterable<PlayerRef>): string | undefined {
  const wanted = String(id);
  for (const other of others)
    if (other.id !== id && other.name.startsWith(wanted)) return "Somebody else is named like their id.";
  return undefined;
}
