import type { Actor, Binding } from "../guild.ts";
import type { PlayerRef } from "../model.ts";
import type { Decision } from "../run.ts";

/** A person with their own account in the game, where it is linked: nobody's rank keeps them from moving themselves. */
export type Asker = Actor & { readonly ownPlayerId?: number | undefined };

/** What somebody may on one server, by roles alone: a target that is refused to them is seen when the text is known. */
export interface KnownRights {
  verb(text: string): Decision;
  calls(): Decision;
  moderator(): Decision;
}

export interface Permissions {
  decide(actor: Asker, binding: Binding, text: string): Promise<Decision>;
  /** The player of that whole name or id, by the latest lists of the server; undefined: not seen there. */
  findPlayer(binding: Binding, nameOrId: string): Required<PlayerRef> | undefined;
  /**
   * From memory, for forms: one has to be the first answer, so nothing can be awaited before it. undefined: not known
   * yet. What is submitted is decided anew.
   */
  known(actor: Pick<Actor, "guildId" | "roleIds">, bindingId: string): KnownRights | undefined;
  /** May this person claim, release and resolve moderator calls of this server? */
  decideCalls(actor: Actor, binding: Binding): Promise<Decision>;
  /** May this person read and write what is kept of players of this server: cases, the watchlist, the history? */
  decideModerator(actor: Actor, binding: Binding): Promise<Decision>;
  /** Whether they may run a text there, by the latest lists; where those are unknown, by the verb. For suggestions. */
  mayRun(actor: Asker, binding: Binding): Promise<(text: string) => boolean>;
  /** Any tier at all on this server: sees the join key, the audit of it. */
  isStaff(actor: Actor, binding: Binding): Promise<boolean>;
}
