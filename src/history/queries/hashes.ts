/** What stands for texts and people in keys. */
export interface Hashes {
  /** The name of a player in the list of the forgotten. */
  markOf(guildId: string, playerId: number): string;
  /** 48 bits that stand for a text in a key; salted, so that nobody can choose two texts with the same. */
  hashOf(text: string): number;
}
