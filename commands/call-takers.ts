import type { Services } from "../src/discord/services.ts";
import { isSamePlayer } from "../src/domain/command-hits.ts";
import type { HistoryRow } from "../src/domain/history.ts";

/** The members who took those of these calls that were taken on a card, as far as cards and linked accounts tell. */
export async function callTakers(
  { modCalls, accounts }: Pick<Services, "modCalls" | "accounts">,
  guildId: string,
  rows: readonly HistoryRow[],
): Promise<ReadonlyMap<HistoryRow, string>> {
  const takers = new Map<HistoryRow, string>();
  for (const row of rows) {
    if (row.kind !== "modCall" || row.isByCard !== true) continue;
    const { bindingId, atS, caller, moderator } = row;
    const card = modCalls
      .onCards(bindingId)
      .find((call) => call.atS === atS && isSamePlayer(call.caller, caller) && call.taken !== undefined);
    const account =
      card?.taken ??
      (moderator?.id === undefined ? undefined : await accounts.ofPlayer(guildId, moderator.id));
    if (account !== undefined) takers.set(row, account.userId);
  }
  return takers;
}
