import { type Case, surelyRan } from "../../domain/case.ts";
import type { CaseStore } from "./case-store.ts";

/** Which case lifted a ban, by what the cases say. */

/** Bans of one player before one un-ban, and un-bans after one ban. */
const MOST_BANS = 3;
const MOST_LIFTS = 50;

type Store = Pick<CaseStore, "search">;

/** The first un-ban after the ban of one player that surely ran and counts; undefined: none, or it is no such ban. */
export async function liftOf(store: Store, ban: Case): Promise<Case | undefined> {
  const about = filterOf(ban);
  if (ban.kind !== "ban" || about === undefined) return undefined;
  const found = await store.search(ban.guildId, {
    ...about,
    kind: "unban",
    fromMs: ban.atMs,
    limit: MOST_LIFTS,
  });
  return found.findLast(
    (one) =>
      one.bindingId === ban.bindingId && one.atMs >= ban.atMs && one.revoked === undefined && surelyRan(one),
  );
}

export interface LiftedPorts {
  readonly store: Store;
  report(what: string, error: unknown): void;
}

/** Shows anew the latest bans before an un-ban, whose cards may say that it lifted them. Never rejects. */
export async function showLifted(
  { store, report }: LiftedPorts,
  lift: Case,
  show: (ban: Case) => Promise<void>,
): Promise<void> {
  const about = filterOf(lift);
  if (lift.kind !== "unban" || about === undefined) return;
  const wanted = { ...about, kind: "ban", toMs: lift.atMs, limit: MOST_BANS } as const;
  try {
    for (const ban of await store.search(lift.guildId, wanted)) await show(ban);
  } catch (error) {
    // The case itself is stored: whoever made it must not read that it failed.
    report("the cards of lifted bans could not be brought up to date", error);
  }
}

function filterOf({ bindingId, targets: [only, ...more], mass }: Case) {
  if (bindingId === undefined || only?.playerId === undefined || more.length > 0 || mass) return undefined;
  return { playerId: only.playerId, bindingIds: [bindingId] };
}
