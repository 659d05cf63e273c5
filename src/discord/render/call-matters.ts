import type { AlertEntry } from "../../domain/alert.ts";
import { JOIN_WITHIN_S } from "../../domain/answered-calls.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { AlertView } from "../../domain/ports/alert-renderer.ts";
import type { OpenCallCard } from "../../domain/ports/mod-calls.ts";
import { callCardOf } from "./call-cards.ts";

/** Which of the calls that an alert tells of are one matter. Pure. */

export interface CallMatter {
  readonly who: AlertEntry["who"];
  /** Of its first call. */
  readonly firstS: number;
  readonly times: number;
  /** Absent: it waits. */
  readonly end: AlertEntry["callEnd"];
  /** Absent: no log channel shows it as open. */
  readonly card: OpenCallCard | undefined;
  /** Its caller left while it waited. */
  readonly hasLeft: boolean;
}

/** In the order of their first calls, but those last whose caller has left: nobody can help them. */
export function callMatters({
  entries,
  callCards,
  whereabouts,
}: Pick<AlertView, "entries" | "callCards" | "whereabouts">): readonly CallMatter[] {
  const matters: CallMatter[] = [];
  for (const { who, firstS, callEnd: end } of entries.toSorted((a, b) => a.firstS - b.firstS)) {
    const card = who === undefined ? undefined : callCardOf({ caller: who, atS: firstS }, callCards);
    const hasLeft = end === undefined && who?.id !== undefined && whereabouts.leftIds.has(who.id);
    const call: CallMatter = { who, firstS, times: 1, end, card, hasLeft };
    const at = matters.findLastIndex((matter) => isSameMatter(matter, call));
    const matter = matters[at];
    if (matter === undefined) matters.push(call);
    else matters[at] = withCall(matter, call);
  }
  return [...matters.filter(({ hasLeft }) => !hasLeft), ...matters.filter(({ hasLeft }) => hasLeft)];
}

/** As the cards have it, and where there are none, by the rule that they follow. */
function isSameMatter(matter: CallMatter, call: CallMatter): boolean {
  if (!isSamePerson(matter.who, call.who)) return false;
  const isNear = call.firstS - matter.firstS <= JOIN_WITHIN_S;
  if (matter.card !== undefined && call.card !== undefined)
    return matter.card.cardId === call.card.cardId && isAnswered(matter) === isAnswered(call);
  if (matter.card !== undefined || call.card !== undefined)
    return isNear && matter.end === undefined && call.end === undefined;
  return isNear && mayEndSo(matter.end, call.end);
}

/** May a matter of which this is known have this later call? One that comes after the end is a matter of its own. */
function mayEndSo(end: CallMatter["end"], later: CallMatter["end"]): boolean {
  if (end === undefined) return later?.kind !== "taken";
  if (end.kind === "taken") return later !== undefined;
  return later?.kind === "answered" && isSamePerson(end.by, later.by);
}

function withCall(matter: CallMatter, call: CallMatter): CallMatter {
  const card = matter.card ?? call.card;
  const end = endOf(matter.end, call.end, card);
  const hasLeft = end === undefined && (matter.hasLeft || call.hasLeft);
  return { ...matter, times: matter.times + 1, end, card, hasLeft };
}

/** Answered in the game says more than taken, and either more than nothing; but a card that was released waits again. */
function endOf(
  end: CallMatter["end"],
  later: CallMatter["end"],
  card: OpenCallCard | undefined,
): CallMatter["end"] {
  const isFree = card !== undefined && card.claimedBy === undefined;
  if (isFree && (end === undefined || later === undefined)) return undefined;
  if (end?.kind === "answered") return end;
  return later?.kind === "answered" ? later : (end ?? later);
}

function isAnswered({ end }: CallMatter): boolean {
  return end?.kind === "answered";
}

function isSamePerson(a: PlayerRef | undefined, b: PlayerRef | undefined): boolean {
  return a !== undefined && b !== undefined && a.id === b.id && a.name === b.name;
}
