import type { Case } from "../../domain/case.ts";
import type { CaseStore } from "./case-store.ts";
import type { LiftedPorts } from "./lifted-bans.ts";

/** Warnings count for this long. */
const WARNING_MS = 30 * 24 * 60 * 60_000;
/** Later warnings of one player whose cards are brought up to date. */
const MOST_SHOWN = 20;

/** Shows anew the later warnings of a player of whom one was revoked: their cards counted it. Never rejects. */
export async function showLaterWarnings(
  { store, report }: LiftedPorts,
  { guildId, kind, number, targets: [only], revoked }: Case,
  show: (warning: Case) => Promise<void>,
): Promise<void> {
  if (kind !== "warning" || revoked === undefined || only?.playerId === undefined) return;
  const wanted = { playerId: only.playerId, kind, limit: MOST_SHOWN } as const;
  try {
    for (const one of await store.search(guildId, wanted)) if (one.number > number) await show(one);
  } catch (error) {
    report("the cards of later warnings could not be brought up to date", error);
  }
}

/** How many warnings count against a player by now, of that server and of none. */
export async function warningsOf(
  store: Pick<CaseStore, "counts">,
  { guildId, bindingId }: Pick<Case, "guildId" | "bindingId">,
  { playerId, nowMs }: { readonly playerId: number; readonly nowMs: number },
): Promise<number> {
  const bindingIds = bindingId === undefined ? [] : [bindingId];
  return (await store.counts(guildId, playerId, { sinceMs: nowMs - WARNING_MS, bindingIds })).warning ?? 0;
}
