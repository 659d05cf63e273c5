import type { BanEnd } from "../ban-end.ts";
import type { Actor } from "../guild.ts";

/** The end of a ban as a list shows it. */
export interface BanEndView {
  readonly end: BanEnd;
  /** What it waits for although its time is over. */
  readonly waits: string | undefined;
}

/** Bans that end by themselves. */
export interface BanEnds {
  /** Of a guild, the next to end first. */
  list(guildId: string): readonly BanEndView[];
  /** Removes an end, so that the player stays banned. Undefined: there is none any more. Rejects when the store does. */
  keepBanned(actor: Actor, id: string): Promise<BanEnd | undefined>;
  /** A Manager says that a held one ends as planned. Undefined: it is not held. Rejects when the store does. */
  letEnd(actor: Actor, id: string): Promise<BanEnd | undefined>;
  /** Automatic commands were resumed: what waited for that goes on at once. */
  onResumed(guildId: string): void;
}
