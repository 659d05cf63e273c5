import { type Appeal, isStillAbout } from "../domain/appeal.ts";
import type { Case } from "../domain/case.ts";
import type { Cases } from "../domain/ports/cases.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { HistoryPlayers } from "../domain/ports/history.ts";

/** Whom and what an appeal is about. */

export interface AppealedCasePorts {
  readonly accounts: Pick<GameAccounts, "of">;
  readonly players: Pick<HistoryPlayers, "find">;
  readonly cases: Pick<Cases, "search">;
}

const MOST_CASES = 25;
const KINDS = ["ban", "jail", "kick", "warning"] as const;

/** Whom they mean, and the case: a ban that stands, else the newest that counts, else a ban that nobody lifted. */
export async function appealedCase(
  { accounts, players, cases }: AppealedCasePorts,
  { guildId, userId, typedName }: Pick<Appeal, "guildId" | "userId" | "typedName">,
): Promise<Pick<Appeal, "player" | "caseNumber" | "provenBy">> {
  const linked = await accounts.of(guildId, userId);
  const isLinked = linked !== undefined && isNamed(linked.player, typedName);
  const named = isLinked ? [] : await players.find(guildId, typedName);
  const [only] = named.length === 1 ? named : [];
  const player = isLinked ? linked.player : only && { name: only.name, id: only.playerId };
  if (player === undefined) return {};
  const found = await cases.search(guildId, { playerId: player.id, limit: MOST_CASES });
  const standing = found.filter(({ revoked }) => revoked === undefined);
  const one =
    standing.find((one) => one.kind === "ban" && !isLifted(one, found)) ??
    standing.find(({ kind }) => KINDS.some((one) => one === kind)) ??
    unliftedBan(found);
  return {
    player,
    ...(one === undefined ? {} : { caseNumber: one.number }),
    ...(isLinked && linked.vouchedBy === undefined ? { provenBy: "link" } : {}),
  };
}

/** Its case as it is now; undefined: it was about none, or that case was erased, or they were erased from it. */
export async function caseNow(
  cases: Pick<Cases, "get">,
  appeal: Pick<Appeal, "guildId" | "caseNumber" | "player">,
): Promise<Case | undefined> {
  const { guildId, caseNumber } = appeal;
  const one = caseNumber === undefined ? undefined : await cases.get(guildId, caseNumber);
  return one !== undefined && isStillAbout(one, appeal) ? one : undefined;
}

/** A case may be revoked without an un-ban, by its author too, who is not to decide about it. */
function unliftedBan(found: readonly Case[]): Case | undefined {
  return found.find((one) => one.kind === "ban" && !isLifted(one, found));
}

function isLifted(ban: Case, found: readonly Case[]): boolean {
  return found.some(({ kind, bindingId, atMs }) => {
    return kind === "unban" && bindingId === ban.bindingId && atMs >= ban.atMs;
  });
}

function isNamed({ name, id }: { readonly name: string; readonly id: number }, typed: string): boolean {
  return name.toLowerCase() === typed.toLowerCase() || String(id) === typed;
}
