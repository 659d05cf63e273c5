import type { Button } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import { cut, plainText } from "../escape.ts";
import { markIn } from "../hidden-marks.ts";

/** The buttons of a rewind, whose ids say where each leads. Pure. */

/** Minutes before and after that one card shows. */
export const REWIND_AROUND_S = 5 * 60;

/** Where a rewind stands, and whom it can be narrowed to. */
export interface RewindTurns {
  readonly bindingId: string;
  readonly atS: number;
  readonly nowS: number;
  readonly isOfCall?: boolean;
  readonly player?: Required<PlayerRef> | undefined;
  readonly offered?: Required<PlayerRef> | undefined;
}

export function turnButtons(turns: RewindTurns): readonly Button[] {
  const { bindingId, atS, nowS, isOfCall = false, player, offered } = turns;
  const step = 2 * REWIND_AROUND_S;
  const turn = (label: string, action: string, place: Omit<RewindPlace, "bindingId">): Button => ({
    kind: "button",
    style: "secondary",
    label,
    id: `rewind-${action}:${rewindId({ bindingId, ...place })}`,
  });
  const playerId = player?.id;
  const narrow =
    player !== undefined
      ? [turn("Everybody", "all", { atS, isOfCall })]
      : offered === undefined
        ? []
        : [turn(cut(`Only ${plainText(offered.name)}`, 80), "only", { atS, isOfCall, playerId: offered.id })];
  return [
    turn("Earlier", "earlier", { atS: Math.max(0, atS - step), playerId }),
    { ...turn("Later", "later", { atS: Math.min(nowS, atS + step), playerId }), disabled: atS >= nowS - 1 },
    turn("Refresh", "here", { atS, isOfCall, playerId }),
    ...narrow,
  ];
}

/** What a button of a rewind leads to. */
export interface RewindPlace {
  readonly bindingId: string;
  readonly atS: number;
  readonly isOfCall?: boolean | undefined;
  readonly playerId?: number | undefined;
  /** Whom it can be narrowed to by one press. */
  readonly offeredId?: number | undefined;
}

/** `binding/second`, where needed with `/c` for a call, `p123` for a player, `o123` for one who is offered. */
export function rewindId({ bindingId, atS, isOfCall, playerId, offeredId }: RewindPlace): string {
  const only = playerId === undefined ? "" : `p${playerId}`;
  const offered = offeredId === undefined ? "" : `o${offeredId}`;
  const flags = `${isOfCall === true ? "c" : ""}${only}${offered}`;
  return `${bindingId}/${atS}${flags === "" ? "" : `/${flags}`}`;
}

/** For a button on a card that Marshal posts: the mark by which the card is found again goes with it. */
export function markedRewindId(place: RewindPlace, mark: string): string {
  return `rewind-open:${rewindId(place)}/k${mark}`;
}

/** The mark of a card that was read back. */
export function rewindMarkOf(componentIds: readonly string[]): string | undefined {
  return markIn(componentIds, /^rewind-open:.*\/k([\w-]{1,40})$/);
}

/** The inverse of `rewindId`, with a mark or without; undefined: it is none. */
export function rewindPlaceOf(argument: string): RewindPlace | undefined {
  const [, bindingId, second, call, digits, offered] =
    /^([^/]+)\/(\d{1,11})(?:\/(c)?(?:p(\d{1,15}))?(?:o(\d{1,15}))?)?(?:\/k[\w-]{1,40})?$/.exec(argument) ??
    [];
  if (bindingId === undefined || second === undefined) return undefined;
  return {
    bindingId,
    atS: Number(second),
    isOfCall: call !== undefined,
    playerId: digits === undefined ? undefined : Number(digits),
    offeredId: offered === undefined ? undefined : Number(offered),
  };
}
