import type { Tier } from "../guild.ts";
import type { SourceId } from "../model.ts";
import type { Danger, ParsedCommand } from "../run.ts";

export interface VerbInfo {
  /** Canonical, without the colon. */
  readonly verb: string;
  readonly aliases: readonly string[];
  /** `:kick players [reason]` */
  readonly usage: string;
  readonly does: string;
  readonly tier: Tier;
  readonly danger: Danger;
}

/** What somebody may have meant by a verb that does not exist. */
export interface MeantCommand {
  /** The text with the nearest verb that does something when a bot sends it; absent: none is near. */
  readonly meant?: string;
  /** What else there is to say: the nearest verb needs a person in the game, or Marshal has it elsewhere. */
  readonly instead?: string;
}

/** What the catalogue of in-game commands knows, for autocompletion and for /staff; never a call of the service. */
export interface CommandCatalogue {
  /**
   * Whole texts for what was typed so far, of those that `may` lets through: verbs, then live players of the latest
   * snapshot, also by a part of the name or one that was mistyped. At most 25 of at most 100 characters. Only for people who may see who is in the server.
   */
  complete(
    source: SourceId | undefined,
    typed: string,
    may: (text: string) => boolean,
  ): readonly { readonly name: string; readonly value: string }[];
  verbs(): readonly VerbInfo[];
  /** Of a verb, an alias or a whole text, with or without the colon; undefined: not in the catalogue. */
  about(verbOrText: string): VerbInfo | undefined;
  /** Of a text that begins with a colon; empty where the catalogue has its verb. Of several that are near, rather one that `may` lets through. */
  nearest(text: string, may: (text: string) => boolean): MeantCommand;
  /** What a text of the game's log means, in whatever spelling; undefined: no command can be read in it. */
  readLogged(text: string): ParsedCommand | undefined;
}
