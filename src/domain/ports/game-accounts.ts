import type { Actor, Binding } from "../guild.ts";
import type { PlayerRef } from "../model.ts";

/** A member's own account in the game. Within a guild a member has one account, and an account one member. */
export interface GameAccount {
  readonly userId: string;
  /** As it was called when it was linked; people rename, so `permissions.findPlayer` by its id tells today's name. */
  readonly player: Required<PlayerRef>;
  /** Epoch milliseconds. */
  readonly linkedAtMs: number;
  /** The Manager who vouched for it; absent: proven by a code that was typed in the game. */
  readonly vouchedBy?: string;
  /** The second Manager, or the owner of the game server, who said so too. */
  readonly confirmedBy?: string;
  /** It came with a list, which is undone as a whole. */
  readonly importId?: string;
}

/** A code that a member types in the game to show which account is theirs. */
export interface LinkCode {
  readonly code: string;
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** The outcome; never rejects. */
  readonly outcome: Promise<LinkOutcome>;
}

export type LinkOutcome =
  | { readonly kind: "linked"; readonly account: GameAccount }
  /** The account that typed it belongs to another member, or the member has one by now. */
  | { readonly kind: "taken"; readonly player: Required<PlayerRef>; readonly why: string }
  /** Two accounts typed it within one second: one of them copied it. */
  | { readonly kind: "contested" }
  /** Nobody typed it in time. */
  | { readonly kind: "expired" }
  /** A newer code took its place, the server was unlinked, or the bot stops. */
  | { readonly kind: "withdrawn" };

export interface LinkRow {
  readonly userId: string;
  readonly player: Required<PlayerRef>;
}

export interface Imported {
  readonly importId: string;
  readonly added: readonly LinkRow[];
  readonly refused: readonly { readonly account: LinkRow; readonly why: string }[];
}

/** Which members are which players. */
export interface GameAccounts {
  of(guildId: string, userId: string): Promise<GameAccount | undefined>;
  ofPlayer(guildId: string, playerId: number): Promise<GameAccount | undefined>;
  /** Newest first. */
  list(guildId: string): Promise<readonly GameAccount[]>;
  /**
   * A fresh code for this member, in place of an earlier one; looked for in the command log of that server while it
   * lives. @throws Failure "bad-command" when the member has an account; "busy" while many of the guild link theirs.
   */
  begin(actor: Actor, binding: Binding): Promise<LinkCode>;
  /** Links an account by the word of a Manager. @throws Failure "bad-command" when the member or the account is linked already. */
  vouch(manager: Actor, userId: string, player: Required<PlayerRef>): Promise<GameAccount>;
  /** What would be linked of a list by the word of a Manager; it can be applied for a quarter of an hour. */
  planImport(manager: Actor, rows: readonly LinkRow[]): Promise<Imported>;
  /** @throws Failure "expired" */
  applyImport(manager: Actor, importId: string): Promise<Imported>;
  /** Takes back what is still linked of a list. Answers how many. */
  undoImport(manager: Actor, importId: string): Promise<number>;
  /** A vouched link, of this member to this player, is confirmed by somebody else than who vouched. @throws Failure "bad-command" */
  confirm(manager: Actor, link: { readonly userId: string; readonly playerId: number }): Promise<GameAccount>;
  /** By the id of the player. */
  byPlayer(guildId: string): Promise<ReadonlyMap<number, GameAccount>>;
  /** Those that this member unlinked themselves in the last 90 days, unless a Manager has unlinked them since. */
  formerOf(guildId: string, userId: string): Promise<readonly GameAccount[]>;
  /** No case names this player any more: nothing is remembered of who unlinked them. */
  forgetFormer(guildId: string, playerId: number): Promise<void>;
  /** Returns what was linked; undefined: nothing was. */
  unlink(actor: Actor, userId: string): Promise<GameAccount | undefined>;
}
