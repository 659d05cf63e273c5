import { isAnswered } from "../../domain/answered-calls.ts";
import { type Escaped, md, userMention } from "../../domain/escaped.ts";
import type { Actor } from "../../domain/guild.ts";
import type { ModCallAct } from "../../domain/ports/mod-calls.ts";
import type { ModCallRecord } from "./card-records.ts";

/** The record after the act; where it is not allowed, why not. */
export type ActDecision =
  | { readonly next: ModCallRecord }
  | { readonly next?: never; readonly text: Escaped };

/** The rules of claiming: the first one wins, also where they answered in the game; who holds a call may let it go; a manager may always. Pure. */
export function decideAct(
  card: ModCallRecord,
  {
    actor,
    act,
    atMs,
    nowMs,
    isOnDuty = false,
  }: {
    readonly actor: Actor;
    readonly act: ModCallAct;
    /** By the service's clock, which dates the calls. */
    readonly atMs: number;
    /** By our clock, by which staff are pinged. */
    readonly nowMs: number;
    readonly isOnDuty?: boolean;
  },
): ActDecision {
  const { claimedBy, resolved } = card;
  if (resolved !== undefined) {
    return { text: md`${userMention(resolved.userId)} already resolved this call, ${when(resolved.atMs)}.` };
  }
  const who = { userId: actor.userId, userName: actor.userName };
  const mine = claimedBy?.userId === actor.userId;
  switch (act.do) {
    case "claim":
      if (mine) return { text: md`You already claimed this call, ${when(claimedBy.atMs)}.` };
      if (claimedBy !== undefined) {
        return {
          text: md`${userMention(claimedBy.userId)} already claimed this call ${when(claimedBy.atMs)}.`,
        };
      }
      // The card that they pressed had not shown it yet.
      if (isAnswered(card.calls)) return { text: md`This call was already answered in the game.` };
      return { next: { ...card, claimedBy: { ...who, atMs, ...(isOnDuty ? { isOnDuty } : {}) } } };
    case "release": {
      if (claimedBy === undefined) return { text: md`Nobody has claimed this call.` };
      if (!mine && !actor.manageGuild) {
        return { text: md`Only ${userMention(claimedBy.userId)}, who claimed this call, can release it.` };
      }
      const { claimedBy: _, ...open } = card;
      return { next: { ...open, releasedAtMs: nowMs } };
    }
    case "resolve": {
      if (claimedBy !== undefined && !mine && !actor.manageGuild) {
        return { text: md`Only ${userMention(claimedBy.userId)}, who claimed this call, can resolve it.` };
      }
      const note = act.note === undefined || act.note.trim() === "" ? {} : { note: act.note.trim() };
      const done = { ...who, atMs, ...note };
      return { next: { ...card, resolved: done } };
    }
  }
}

function when(atMs: number): Escaped {
  return md`<t:${Math.floor(atMs / 1_000)}:R>`;
}
