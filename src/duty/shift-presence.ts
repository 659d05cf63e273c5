import type { DutyLink, DutyPart } from "../domain/duty.ts";
import type { DutyFacts } from "../domain/ports/duty-store.ts";
import { clipped, type Stay } from "./shift-parts.ts";

/** When somebody was in the game, by the history's sessions and whose accounts these were. Pure. */

/** A server that nobody has looked at for so long, while others were, holds nobody back. */
const UNREAD_S = 2 * 3_600;

/** Up to when all is known of all servers; undefined: nothing was ever looked at. */
export function knownUntilS({ servers }: Pick<DutyFacts, "servers">): number | undefined {
  const looked = servers.flatMap(({ lookedS, isEnded }) => (isEnded ? [] : (lookedS ?? [])));
  const newest = looked.length === 0 ? undefined : Math.max(...looked);
  if (newest === undefined) {
    // All of them were unlinked: nothing more will be known.
    const last = servers.flatMap(({ lookedS }) => lookedS ?? []);
    return last.length === 0 ? undefined : Math.max(...last);
  }
  return Math.min(...looked.filter((atS) => atS > newest - UNREAD_S));
}

/**
 * When a member was in the game, oldest first, and never twice at once: of two accounts, or two servers, the one that
 * began first counts. `before`: what was counted of shifts that go on.
 */
export function staysOf(
  facts: DutyFacts,
  links: readonly DutyLink[],
  before: readonly DutyPart[] = [],
): readonly Stay[] {
  const knownS = knownUntilS(facts) ?? 0;
  const serverOf = new Map(facts.servers.map((server) => [server.bindingId, server]));
  const stays = facts.sessions.flatMap((session): readonly Stay[] => {
    const { bindingId, playerId, start, end } = session;
    const server = serverOf.get(bindingId);
    const lookedS = server?.lookedS ?? start.atS;
    const isUnread = server === undefined || server.isEnded || lookedS <= knownS - UNREAD_S;
    const untilS = end === undefined ? lookedS : end.isSure ? end.atS : (end.afterS ?? start.atS);
    const stay: Stay = {
      bindingId,
      playerId,
      fromS: start.atS,
      untilS: Math.max(start.atS, untilS),
      mightFromS: start.isSure ? start.atS : (start.afterS ?? start.atS),
      mightUntilS: Math.max(start.atS, end === undefined ? lookedS : end.atS),
      isOpen: end === undefined && !isUnread,
      isCut: end === undefined && server?.isEnded === true,
      isUnseen: end?.isUnseen === true,
    };
    return links
      .filter((link) => link.playerId === playerId)
      .flatMap(
        ({ fromS, untilS: endS }) => clipped(stay, { fromS, untilS: endS ?? Number.POSITIVE_INFINITY }) ?? [],
      );
  });
  return apart([...stays, ...erased(before, facts)].sort((a, b) => a.fromS - b.fromS));
}

/** Parts of which the history has nothing any more: rows of a player were erased. */
function erased(parts: readonly DutyPart[], { sessions }: Pick<DutyFacts, "sessions">): readonly Stay[] {
  const isKnown = (part: DutyPart) =>
    sessions.some(
      ({ bindingId, playerId, start, end }) =>
        bindingId === part.bindingId &&
        playerId === part.playerId &&
        start.atS <= part.untilS &&
        (end?.atS ?? Number.POSITIVE_INFINITY) >= part.fromS,
    );
  return parts
    .filter((part) => part.playerId !== 0 && !isKnown(part))
    .map((part) => ({ ...part, isOpen: false, isCut: false, isUnseen: false }));
}

/** Sorted stays, of which each begins when the one before has ended. */
function apart(stays: readonly Stay[]): readonly Stay[] {
  const kept: Stay[] = [];
  let busyUntilS = Number.NEGATIVE_INFINITY;
  for (const stay of stays) {
    const rest = clipped(stay, { fromS: busyUntilS, untilS: Number.POSITIVE_INFINITY });
    if (rest === undefined) continue;
    kept.push(rest);
    busyUntilS = rest.untilS;
  }
  return kept;
}
