import { RANKS, type Raised, type Rank } from "../../domain/rank.ts";
import type { WantedRank } from "./wanted-rank.ts";

/** What is to be done about one player's rank. Pure. */

export interface PersonFacts {
  readonly record: Raised | undefined;
  readonly wanted: WantedRank;
  /** Their ranks by the list of staff; undefined: it is not believed, or not since the latest step about them. */
  readonly held: ReadonlySet<Rank> | undefined;
  /** The list names nobody with the rank of the record, so that it may be incomplete. */
  readonly isListEmpty: boolean;
  /** The list has been believed for long since that step: what it does not show by now never came. */
  readonly isOld: boolean;
  /** Whether the latest answer shows them with the rank of the record; undefined: there was none since the latest step. */
  readonly isShown: boolean | undefined;
  /** That answer names others with the rank of the record, or them with another one, so that it leaves them out by right. */
  readonly isListWhole: boolean;
  /** Of the latest step, where no answer came: whether the game's log shows it. */
  readonly run: "seen" | "not-seen" | "unknown";
  readonly isOwner: boolean;
  /** Their row in the list of players names a rank. */
  readonly hasPermission: boolean;
  /** Somebody else took away the rank that Marshal gave them. */
  readonly isLeft: boolean;
}

type NoWant = Extract<WantedRank, { kind: "none" }>["why"];
/** Why somebody gets no rank. */
export type NoRank = NoWant | "owner" | "left" | "has-rank";
/** Why nothing can be said of somebody at the moment. */
export type RankDoubt = Extract<WantedRank, { kind: "unknown" }>["why"] | "staff-list" | "answer";
/** Why somebody loses a rank. rise: they get a higher one. */
export type TakeReason = NoWant | "rise" | "lower";

export type RankVerdict =
  | { readonly kind: "raise"; readonly rank: Rank }
  | { readonly kind: "take"; readonly rank: Rank; readonly why: TakeReason }
  | { readonly kind: "keep" }
  /** Nothing is done, and nothing is kept of them. */
  | { readonly kind: "none"; readonly why: NoRank }
  /** They have the rank: what was being sent has run, or is not needed. */
  | { readonly kind: "has-it" }
  /** What was being sent has not run. */
  | { readonly kind: "unsent" }
  /** The rank is taken back. */
  | { readonly kind: "gone" }
  /** Somebody else changed their rank in the game: Marshal lets go of them. */
  | { readonly kind: "left" }
  | { readonly kind: "unknown"; readonly why: RankDoubt };

const WAITS_FOR_LIST: RankVerdict = { kind: "unknown", why: "staff-list" };
const WAITS_FOR_ANSWER: RankVerdict = { kind: "unknown", why: "answer" };

/** Of somebody of whom nothing is known nothing is done; only who stands in a record of Marshal's can lose a rank. */
export function rankVerdict(facts: PersonFacts): RankVerdict {
  const { record } = facts;
  if (facts.isOwner) return { kind: "none", why: "owner" };
  if (record === undefined) return ofOther(facts);
  switch (record.state) {
    case "wanted":
      return ofOther(facts);
    case "raising":
      return ofRaising(facts, record);
    case "raised":
      return ofRaised(facts, record);
    case "taking":
      return ofTaking(facts, record);
    default:
      return record.state satisfies never;
  }
}

function ofOther({ wanted, held, isLeft, hasPermission }: PersonFacts): RankVerdict {
  if (wanted.kind !== "rank") return wanted;
  if (isLeft) return { kind: "none", why: "left" };
  if (held === undefined) return WAITS_FOR_LIST;
  if (hasPermission || held.size > 0) return { kind: "none", why: "has-rank" };
  return { kind: "raise", rank: wanted.rank };
}

/** No answer came to the command that raises them. */
function ofRaising({ held, run, isOld }: PersonFacts, { rank }: Raised): RankVerdict {
  if (run === "not-seen") return { kind: "unsent" };
  if (held === undefined) return WAITS_FOR_LIST;
  if (held.has(rank)) return { kind: "has-it" };
  // It ran, and they have no such rank: somebody took it away. Giving it a second time could undo that.
  return run === "seen" || held.size > 0 || isOld ? { kind: "left" } : WAITS_FOR_ANSWER;
}

function ofRaised(facts: PersonFacts, { rank, isSeen }: Raised): RankVerdict {
  const { held, isListEmpty, isOld } = facts;
  if (held === undefined) return WAITS_FOR_LIST;
  if (held.has(rank)) return ofHolder(facts, rank);
  if (held.size > 0) return { kind: "left" };
  if (isListEmpty) return WAITS_FOR_LIST;
  return isSeen === true || isOld ? { kind: "left" } : WAITS_FOR_ANSWER;
}

/** They have the rank that Marshal gave them. */
function ofHolder({ wanted }: PersonFacts, rank: Rank): RankVerdict {
  if (wanted.kind === "unknown") return wanted;
  if (wanted.kind === "none") return { kind: "take", rank, why: wanted.why };
  if (wanted.rank === rank) return { kind: "keep" };
  const isRise = RANKS.indexOf(wanted.rank) > RANKS.indexOf(rank);
  return { kind: "take", rank, why: isRise ? "rise" : "lower" };
}

function ofTaking(facts: PersonFacts, { rank, isSure }: Raised): RankVerdict {
  const { held, isShown, isListWhole, isListEmpty, isOld, run } = facts;
  const hasRun = isSure === true || run === "seen";
  if (!hasRun && run === "not-seen") return { kind: "unsent" };
  // The last of a list leaves it empty, which is believed of what surely ran. Else one answer is enough that names others:
  // by the next they may have the rank again, from somebody's hand, and it would be taken from them as if it were ours.
  if (isShown === false && (hasRun || isListWhole)) return { kind: "gone" };
  if (held === undefined) return WAITS_FOR_LIST;
  if (!held.has(rank)) return isListEmpty ? WAITS_FOR_LIST : { kind: "gone" };
  // It ran, and they have the rank: somebody gave it anew. Taking it a second time could undo that.
  if (hasRun) return isOld ? { kind: "left" } : WAITS_FOR_ANSWER;
  // The game's log will say whether it ran. A second try before that would count as a second change of that rank.
  if (run === "unknown" && !isOld) return WAITS_FOR_ANSWER;
  const verdict = ofHolder(facts, rank);
  return verdict.kind === "keep" ? { kind: "has-it" } : verdict;
}
