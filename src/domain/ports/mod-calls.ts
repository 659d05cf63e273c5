import type { Escaped } from "../escaped.ts";
import type { Actor } from "../guild.ts";
import type { PlayerRef, ServerState } from "../model.ts";

export type ModCallAct =
  | { readonly do: "claim" }
  | { readonly do: "release" }
  | { readonly do: "resolve"; readonly note?: string };

/** What a card is about, as far as permission and audit need it. */
export interface ModCallCard {
  readonly bindingId: string;
  readonly callerName: string;
  readonly callerId?: number | undefined;
  readonly calledAtS: number;
  /** The caller left the server. */
  readonly hasLeft?: true;
}

/** A call as its card has it. */
export interface CallOnCard {
  readonly caller: PlayerRef;
  readonly atS: number;
  /** Who of staff claimed it, or resolved it unclaimed; absent: nobody has, and nobody answered it in the game. */
  readonly taken?: { readonly userId: string; readonly userName?: string; readonly atMs: number };
  /** It was resolved, or the matter was answered by another of its calls: nobody has to look into it any more. */
  readonly isOver?: true;
}

/** A card whose call nobody has resolved or answered. */
export interface OpenCallCard {
  readonly cardId: string;
  readonly caller: PlayerRef;
  readonly calledAtS: readonly number[];
  readonly claimedBy?: { readonly userId: string };
  /** Where it stands; absent: nowhere yet. */
  readonly message?: { readonly guildId: string; readonly channelId: string; readonly messageId: string };
}

export interface ModCalls {
  /** The call of a card of this guild; undefined: its card is no longer kept, or is another guild's. */
  find(guildId: string, cardId: string): Promise<ModCallCard | undefined>;
  /** The same from memory: undefined also where the card would have to be read. */
  atHand(guildId: string, cardId: string): ModCallCard | undefined;
  /** Of a linked server, as far as its cards are in memory. */
  openCards(bindingId: string): readonly OpenCallCard[];
  /** The calls that cards in memory have, and who of staff took each there. */
  onCards(bindingId: string): readonly CallOnCard[];
  /** The state of a linked server without the calls that are over by their card: resolved, or a matter that was answered. */
  withoutResolved(bindingId: string, state: ServerState): ServerState;
  /** The first claim wins; `text`: why it was not done. Cards follow by themselves. */
  act(
    actor: Actor,
    cardId: string,
    act: ModCallAct,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly text: Escaped }>;
}
