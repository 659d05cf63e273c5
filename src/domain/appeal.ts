import type { Case } from "./case.ts";
import type { PlayerRef } from "./model.ts";

/** Somebody who was punished asks the staff to take it back. */
export interface Appeal {
  readonly id: string;
  readonly guildId: string;
  readonly userId: string;
  readonly atMs: number;
  /** Where the button stands: the talk is opened there. */
  readonly channelId: string;
  /** The account that they say is theirs. */
  readonly typedName: string;
  readonly words: string;
  /** Whom that names, where it is one player. */
  readonly player?: Required<PlayerRef>;
  /** The case that it is about; absent: none is known against that player. */
  readonly caseNumber?: number;
  /** Who of the staff said that the account is theirs; "link": they proved it in the game. */
  readonly provenBy?: string;
  /** The message for staff. */
  readonly card: AppealCard;
  readonly threadId?: string;
  /** A talk was asked for and may have been opened. */
  readonly isThreadAsked?: boolean;
  readonly decision?: AppealDecision;
}

export interface AppealCard {
  readonly channelId: string;
  readonly nonce: string;
  /** It cannot stand there from before, epoch milliseconds by Discord's clock; absent in records of before. */
  readonly sinceMs?: number;
  readonly messageId?: string;
  readonly isMarked?: boolean;
  /** After a restore: when it was read that nothing is decided on it, epoch milliseconds. */
  readonly openAtMs?: number;
  /** Discord refuses what people chose on it: it leaves that out. */
  readonly isWithoutWords?: boolean;
}

export interface AppealDecision {
  readonly outcome: "accepted" | "refused";
  readonly byId: string;
  readonly byName: string;
  readonly atMs: number;
  /** The owner decided about what they had done themselves. */
  readonly isOwnCase?: boolean;
  /** Of a ban: what became of taking it back in the game. asked: it was not known when the process ended. */
  readonly unban?: "asked" | "ran" | "not-sent";
  /** The store is an older copy than the card that says so: they were told, and the card stays as it is. */
  readonly isFromCard?: boolean;
  /** Its case says so, and they were told. */
  readonly isDone?: boolean;
}

/** Whether a case is still about who appealed: they may have been erased from it, while it stays for others. */
export function isStillAbout(
  { targets }: Pick<Case, "targets">,
  { player }: Pick<Appeal, "player">,
): boolean {
  return player !== undefined && targets.some(({ playerId }) => playerId === player.id);
}
