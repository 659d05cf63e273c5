import { createHash } from "node:crypto";
import type { PlayerRef } from "../../domain/model.ts";
import type { PlannedRank, RankPlan, WhyNotRanked } from "../../domain/ports/ranks.ts";
import type { RankMapping } from "../../domain/rank.ts";
import type { JudgedRank } from "./rank-facts.ts";
import type { ServerRanks } from "./rank-records.ts";

/** What people confirm. Pure. */

/** So many at once are asked about twice. */
const MANY = 20;
/** Of fewer nothing follows from all of them having a role. */
const FEW = 5;

export interface PlanParts {
  readonly kept: Pick<ServerRanks, "bindingId" | "keeper" | "pause" | "left">;
  readonly mappings: readonly RankMapping[];
  readonly judged: readonly JudgedRank[];
  readonly linked: number;
  readonly unlinked: readonly PlayerRef[];
  readonly staffAgeMs: number | undefined;
  /** Roles of members that were read, by the id of the player. */
  rolesOf(playerId: number): readonly string[] | undefined;
}

/** Sorted by name, so that the same plan reads the same. */
export function rankPlan(parts: PlanParts): RankPlan {
  const { kept, mappings, linked, unlinked, staffAgeMs } = parts;
  const judged = parts.judged.toSorted((a, b) => a.player.id - b.player.id);
  const raise = judged.flatMap((one) =>
    one.verdict.kind === "raise" ? [planned(one, one.verdict.rank)] : [],
  );
  const take = judged.flatMap((one) =>
    one.verdict.kind === "take" ? [{ ...planned(one, one.verdict.rank), why: one.verdict.why }] : [],
  );
  const fits = judged.flatMap((one) =>
    one.record !== undefined && (one.verdict.kind === "keep" || one.verdict.kind === "has-it")
      ? [planned(one, one.record.rank)]
      : [],
  );
  const ages = judged.flatMap(({ rolesAgeMs }) => rolesAgeMs ?? []);
  return {
    bindingId: kept.bindingId,
    key: keyOf({ mappings, raise, take }),
    mappings,
    keeper: kept.keeper,
    pause: kept.pause,
    raise,
    take,
    fits,
    notDone: judged.flatMap((one) => notDone(one)),
    known: { linked, read: ages.length, ageMs: ages.length === 0 ? undefined : Math.max(...ages), unlinked },
    staffAgeMs,
    isForMany: raise.length >= MANY || isForEveryone(parts),
  };
}

/** At most 16 characters: it stands in a button. */
function keyOf({ mappings, raise, take }: Pick<RankPlan, "mappings" | "raise" | "take">): string {
  const row = ({ player, rank }: PlannedRank) => [player.id, rank];
  const said = [mappings.map(({ roleId, rank }) => [roleId, rank]), raise.map(row), take.map(row)];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
}

function planned({ player, link }: JudgedRank, rank: PlannedRank["rank"]): PlannedRank {
  return { player, userId: link?.userId, rank };
}

function notDone({ player, link, record, verdict }: JudgedRank): RankPlan["notDone"] {
  const row = (why: WhyNotRanked) => [{ player, userId: link?.userId, why }];
  switch (verdict.kind) {
    case "none":
      // Who has none of the roles is nobody to tell of.
      return verdict.why === "no-role" || verdict.why === "unlinked" ? [] : row(verdict.why);
    case "unknown":
      return row(verdict.why);
    case "left":
      return row("left");
    case "unsent":
    case "gone":
      return record === undefined ? [] : row("answer");
    case "raise":
    case "take":
    case "keep":
    case "has-it":
      return [];
    default:
      return verdict satisfies never;
  }
}

/** One of the roles is held by everybody whose roles are known. */
function isForEveryone({ mappings, judged, rolesOf }: PlanParts): boolean {
  const held = judged.flatMap(({ player }) => {
    const roleIds = rolesOf(player.id);
    return roleIds === undefined || roleIds.length === 0 ? [] : [roleIds];
  });
  return held.length >= FEW && mappings.some(({ roleId }) => held.every((ids) => ids.includes(roleId)));
}
