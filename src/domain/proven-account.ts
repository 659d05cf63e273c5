import type { GameAccount } from "./ports/game-accounts.ts";

/** Whether an account is a member's by more than one person's word: by a code that was typed in the game, or by two. */
export function isProven({
  vouchedBy,
  confirmedBy,
}: Pick<GameAccount, "vouchedBy" | "confirmedBy">): boolean {
  return vouchedBy === undefined || (confirmedBy !== undefined && confirmedBy !== vouchedBy);
}

/** The player that a member surely is: nobody hides what they did to somebody by calling that account their own. */
export function provenPlayer(account: GameAccount | undefined): GameAccount["player"] | undefined {
  return account !== undefined && isProven(account) ? account.player : undefined;
}
