/** What stands for texts and people in keys. */
export interface Hashes {
  /** What stands for a player in the list of the forgotten: for the id, or for a name in small letters. */
  markOf(guildId: string, who: number | string): string;
  /** 48 bits that stand for a text in a key; salted, so that nobody can choose two texts with the same. */
  hashOf(text: string): number;
}
