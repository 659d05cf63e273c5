import type { BanEnd } from "../../domain/ban-end.ts";
import type { RunRecord } from "../../domain/run.ts";
import { isOver } from "../audit/run-record.ts";

/** What becomes of an end when a run that concerns it is over, or was when the process ended. Pure. */

/** `again`: the un-ban surely did not run, and is sent once more. */
export type Next =
  | { readonly kind: "same" }
  | { readonly kind: "is"; readonly end: BanEnd }
  | { readonly kind: "gone" }
  | { readonly kind: "again"; readonly end: BanEnd; readonly isServerEmpty: boolean; readonly inMs: number };

/** After so many refusals a Manager decides. */
const MOST_TRIES = 3;
const AGAIN_AFTER_MS = 60_000;
/** Failures that say nothing against the command: they pass, or are announced elsewhere. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  "server-empty",
  "queue-full",
  "expired",
  "busy",
  "paused",
  "rate-limited",
  "blocked",
  "key-rejected",
  "not-linked",
  "not-authorised",
  "store",
]);

export type Row = Pick<RunRecord, "status" | "ran" | "proof" | "failureCode"> & { readonly message?: string };

/** By the row of the ban itself, which ran within that time of its sending; undefined: it is kept no longer. */
export function afterOwnBan(end: BanEnd, row: Row | undefined, ranWithinMs: number): Next {
  if (end.state !== "sending" && end.heldFor !== "ban-unknown") return SAME;
  if (row === undefined || row.status === "unknown") {
    const isSeen = row?.proof === "seen" || row?.proof === "seen-twice";
    const why = isSeen
      ? "Its ban got no answer. The game's log shows it."
      : "Nobody knows whether its ban ran.";
    if (end.why === why) return SAME;
    return {
      kind: "is",
      end: held(end.ranByMs === undefined ? ran(end, ranWithinMs) : end, "ban-unknown", why),
    };
  }
  if (!isOver(row.status) || end.state !== "sending") return SAME;
  return row.ran === "yes"
    ? { kind: "is", end: { ...ran(end, ranWithinMs), state: "armed" } }
    : { kind: "gone" };
}

/** What lasts for a time lasts from when it ran at the latest. */
function ran(end: BanEnd, withinMs: number): BanEnd {
  const ranByMs = end.sentAtMs + withinMs;
  const { lastsMs, endsAtMs } = end;
  return { ...end, ranByMs, endsAtMs: lastsMs === undefined ? endsAtMs : ranByMs + lastsMs };
}

/** By the row of another ban of the player; undefined: nothing was ever sent. */
export function afterLaterBan(end: BanEnd, row: Row | undefined): Next {
  if (end.state === "over") return SAME;
  if (row !== undefined && !isOver(row.status)) return SAME;
  const { laterId: _, heldFor, why, ...rest } = end;
  const isHeld = heldFor === "later-unknown";
  if (row === undefined || row.ran === "no" || row.proof === "not-seen") {
    if (isHeld) return { kind: "is", end: { ...rest, state: "armed" } };
    return { kind: "is", end: { ...rest, ...(heldFor === undefined ? {} : { heldFor, why: why ?? "" }) } };
  }
  if (row.status === "unknown" && row.proof === "unchecked") {
    // One that is being lifted waits for what its own row says.
    if (end.state !== "armed") return SAME;
    return { kind: "is", end: held(end, "later-unknown", "Nobody knows whether a later ban of them ran.") };
  }
  return { kind: "is", end: over(end, "They were banned again.") };
}

/** By the row of the un-ban; undefined: nothing was ever sent. Where it did not run, a later ban that waited for it counts. */
export function afterLift(end: BanEnd, row: Row | undefined, later?: Row): Next {
  const next = afterOwnLift(end, row);
  if (next.kind !== "again" || later === undefined) return next;
  const after = afterLaterBan(next.end, later);
  return after.kind === "is" && after.end.state !== "armed" ? after : next;
}

function afterOwnLift(end: BanEnd, row: Row | undefined): Next {
  if (end.state !== "lifting" && end.heldFor !== "lift-unknown") return SAME;
  if (row?.status === "done") return { kind: "gone" };
  if (row?.status === "unknown") {
    if (row.proof === "seen" || row.proof === "seen-twice") return { kind: "gone" };
    return row.proof === "not-seen" ? again(end, row) : SAME;
  }
  if (row !== undefined && !isOver(row.status)) return SAME;
  // Who took it out of the queue does not want it to come back by itself.
  if (row?.status === "cancelled" && row.failureCode === "expired")
    return {
      kind: "is",
      end: held(end, "refused", `Its un-ban was in the queue. ${row.message ?? ""}`.trim()),
    };
  return again(end, row);
}

function again(end: BanEnd, row: Row | undefined): Next {
  const { liftId: _, heldFor: __, why: ___, ...rest } = end;
  const isPassing = row === undefined || (row.ran === "no" && PASSING.has(row.failureCode));
  const tries = end.tries + (isPassing ? 0 : 1);
  if (tries >= MOST_TRIES) {
    const why = `The game refused it ${MOST_TRIES} times. ${row?.message ?? ""}`.trim();
    return { kind: "is", end: held({ ...rest, tries }, "refused", why) };
  }
  const isServerEmpty = row?.failureCode === "server-empty";
  const inMs = AGAIN_AFTER_MS * 2 ** tries;
  return { kind: "again", end: { ...rest, state: "armed", tries }, isServerEmpty, inMs };
}

/** A Manager has to decide. */
export function held(end: BanEnd, heldFor: NonNullable<BanEnd["heldFor"]>, why: string): BanEnd {
  return { ...end, state: "held", heldFor, why };
}

/** It lifts nothing any more. */
export function over({ heldFor: _, ...end }: BanEnd, why: string): BanEnd {
  return { ...end, state: "over", why };
}

/** As a Manager wants it: its ban ends as planned. */
export function armed({
  heldFor,
  why: __,
  liftId: ___,
  isLogLost: ____,
  laterId: _____,
  ...end
}: BanEnd): BanEnd {
  const liftsEarlier = heldFor === "earlier-ban" ? ({ liftsEarlier: true } as const) : {};
  return { ...end, ...liftsEarlier, state: "armed", tries: 0 };
}

const SAME: Next = { kind: "same" };
