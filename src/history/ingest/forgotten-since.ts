import { nameKey } from "../database/storable.ts";
import type { Hashes } from "../queries/hashes.ts";

/** Who of a guild was forgotten, and until when what is about them is left out. */
export interface ForgottenSince {
  /** -1: this player was not. */
  untilS(playerId: number): number;
  /** Whether a command of that second holds the id or the name of somebody who was forgotten later. */
  isNamedIn(text: string, atS: number): boolean;
}

/** `barriers`: by the mark, of an id or of a name. */
export function forgottenSince(
  barriers: ReadonlyMap<string, number>,
  { guildId, markOf }: Pick<Hashes, "markOf"> & { readonly guildId: string },
): ForgottenSince {
  const of = (who: number | string) =>
    barriers.size === 0 ? -1 : (barriers.get(markOf(guildId, who)) ?? -1);
  const lastS = [...barriers.values()].reduce((most, untilS) => Math.max(most, untilS), -1);
  return {
    untilS: of,
    isNamedIn(text, atS) {
      // Nearly all rows are younger, and their words need no hash.
      if (atS > lastS) return false;
      const words = afterVerb(text).match(/[\p{L}\p{N}_]+/gu) ?? [];
      return words.some((word) => {
        const isId = /^\d{1,15}$/.test(word);
        return atS <= of(nameKey(word)) || (isId && atS <= of(Number(word)));
      });
    },
  };
}

/** What a command says behind its verb, which names nobody. */
export function afterVerb(text: string): string {
  return text.replace(/^\s*\S+/u, "");
}
