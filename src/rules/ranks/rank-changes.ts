import type { Raised } from "../../domain/rank.ts";
import { withRecord } from "./rank-book.ts";
import type { JudgedRank } from "./rank-facts.ts";
import type { ServerRanks } from "./rank-records.ts";

/** What the records say once answers have shown what became of a step. Pure. */

/** The same object where nothing changes. */
export function settled(kept: ServerRanks, judged: readonly JudgedRank[], nowMs: number): ServerRanks {
  return judged.reduce((now, one) => settledOne(now, one, nowMs), kept);
}

function settledOne(kept: ServerRanks, { player, record, verdict }: JudgedRank, nowMs: number): ServerRanks {
  const now = kept.raised.find(({ playerId }) => playerId === player.id);
  // Something else was stored since it was judged. What was confirmed meanwhile is still to be done.
  if (record === undefined || now?.state !== record.state || now.runId !== record.runId) return kept;
  if (now.isConfirmed !== record.isConfirmed) return kept;
  const put = (next: Raised | undefined): ServerRanks => ({
    ...kept,
    raised: withRecord(kept.raised, player.id, next),
  });
  switch (verdict.kind) {
    case "keep":
      return now.isSeen === true && now.isConfirmed !== true ? kept : put(seen(now));
    case "has-it":
      return put(seen(now));
    case "unsent":
      // What was confirmed is still to be done.
      return withoutTake(put(now.state === "raising" ? { ...open(now), state: "wanted" } : held(now)), now);
    case "gone":
    case "none":
      return put(undefined);
    case "left": {
      const { name, rank, playerId } = now;
      const event = { atMs: nowMs, player, rank, what: "left" } as const;
      const left = [...kept.left.filter((one) => one.playerId !== playerId), { playerId, name, rank }];
      return { ...put(undefined), left, events: [...kept.events, event] };
    }
    case "raise":
    case "take":
    case "unknown":
      return kept;
    default:
      return verdict satisfies never;
  }
}

/** They have the rank, by the list of staff, and nothing more is confirmed. */
function seen({ isConfirmed: _, ...record }: Raised): Raised {
  return held(record);
}

function held(record: Raised): Raised {
  return { ...record, state: "raised", isSure: true, isSeen: true };
}

function open({ isSure: _, isSeen: __, runId: ___, ...record }: Raised): Raised {
  return record;
}

function withoutTake(kept: ServerRanks, { runId }: Raised): ServerRanks {
  return { ...kept, taken: kept.taken.filter((one) => one.runId !== runId) };
}
