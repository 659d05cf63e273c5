import type { DutyPart } from "../domain/duty.ts";

/** Times as parts, of which none overlap. Pure. */

export interface Span {
  readonly fromS: number;
  readonly untilS: number;
}

/** A part that may go on: up to `untilS` it is known. */
export interface Stay extends DutyPart {
  readonly isOpen: boolean;
  /** They were in the game when its server was unlinked. */
  readonly isCut: boolean;
  /** After it nobody could see for a while who was in the game. */
  readonly isUnseen: boolean;
}

/** What of a stay lies in a span; undefined: nothing. A cut edge is known to the second. */
export function clipped<S extends Stay>(stay: S, { fromS, untilS }: Span): S | undefined {
  const from = Math.max(stay.fromS, fromS);
  const until = Math.min(stay.untilS, untilS);
  // Of a stay without length the moment counts, where it lies inside.
  if (until < from || (until === from && stay.untilS !== stay.fromS)) return undefined;
  return {
    ...stay,
    fromS: from,
    untilS: until,
    mightFromS: Math.min(from, Math.max(stay.mightFromS, fromS)),
    mightUntilS: Math.max(until, Math.min(stay.mightUntilS, untilS)),
    isOpen: stay.isOpen && stay.untilS <= untilS,
    isCut: stay.isCut && stay.untilS <= untilS,
    isUnseen: stay.isUnseen && stay.untilS <= untilS,
  };
}

/** What of stays lies outside of a span. */
export function without<S extends Stay>(stays: readonly S[], { fromS, untilS }: Span): readonly S[] {
  return stays.flatMap((stay) => {
    if (stay.untilS <= fromS || stay.fromS >= untilS) return [stay];
    const before = clipped(stay, { fromS: Number.NEGATIVE_INFINITY, untilS: fromS });
    const after = clipped(stay, { fromS: untilS, untilS: Number.POSITIVE_INFINITY });
    return [before, after].filter((one) => one !== undefined);
  });
}

/** A stay as it is kept with a shift. */
export function partOf({ bindingId, playerId, fromS, untilS, mightFromS, mightUntilS }: Stay): DutyPart {
  return { bindingId, playerId, fromS, untilS, mightFromS, mightUntilS };
}
