import { type Case, soughtUntilMs } from "../../domain/case.ts";
import type { CasePostView } from "../../domain/ports/case-renderer.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { HistoryPositions } from "../../domain/ports/history.ts";
import type { CaseStore } from "./case-store.ts";
import { warningsOf } from "./counted-warnings.ts";
import { liftOf } from "./lifted-bans.ts";

export interface PostViewPorts {
  readonly store: CaseStore;
  readonly hasReplay: HistoryPositions["hasReplay"];
  readonly clock: Pick<Clock, "nowMs">;
}

/** A case with what its card says beside. */
export async function postViewOf(
  { store, hasReplay, clock }: PostViewPorts,
  one: Case,
): Promise<CasePostView> {
  const nowMs = clock.nowMs();
  const warned = warnedOf(one);
  const warnings =
    warned === undefined ? undefined : await warningsOf(store, one, { playerId: warned, nowMs });
  const isSought = nowMs < (soughtUntilMs(one) ?? 0);
  return {
    one,
    hasReplay: await hasReplay(one),
    isSought,
    lift: await liftOf(store, one),
    ...(warnings === undefined ? {} : { warnings }),
  };
}

/** Whom a warning counts against. */
function warnedOf({ kind, targets: [only], revoked }: Case): number | undefined {
  return kind === "warning" && revoked === undefined ? only?.playerId : undefined;
}
