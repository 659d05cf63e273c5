import type { Button } from "../../../domain/message.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import { cut, plainText } from "../escape.ts";
import { markIn } from "../hidden-marks.ts";

/** The buttons of a rewind, whose ids say where each leads. Pure. */

/** Minutes before and after that one card shows. */
export const REWIND_AROUND_S = 5 * 60;

/** What a rewind was opened from, and begins with. */
export type RewindOrigin = "call" | "alert";

/** Where a rewind stands, and whom it can be narrowed to. */
export interface RewindTurns {
  readonly bindingId: string;
  readonly atS: number;
  readonly nowS: number;
  readonly openedFrom?: RewindOrigin | undefined;
  readonly player?: Required<PlayerRef> | undefined;
  readonly offered?: Required<PlayerRef> | undefined;
}

export function turnButtons(turns: RewindTurns): readonly Button[] {
  const { bindingId, atS, nowS, openedFrom, player, offered } = turns;
  const step = 2 * REWIND_AROUND_S;
  const turn = (label: string, action: string, place: Omit<RewindPlace, "bindingId">): Button => ({
    kind: "button",
    style: "secondary",
    label,
    id: `rewind-${action}:${rewindId({ bindingId, ...place })}`,
  });
  const shown = { playerId: player?.id, offeredId: player === undefined ? offered?.id : undefined };
  const here = { atS, openedFrom };
  const narrow =
    player !== undefined
      ? [turn("Everybody", "all", { ...here, offeredId: player.id })]
      : offered === undefined
        ? []
        : [turn(cut(`Only ${plainText(offered.name)}`, 80), "only", { ...here, playerId: offered.id })];
  return [
    turn("Earlier", "earlier", { atS: Math.max(0, atS - step), ...shown }),
    { ...turn("Later", "later", { atS: Math.min(nowS, atS + step), ...shown }), disabled: atS >= nowS - 1 },
    turn("Refresh", "here", { ...here, ...shown }),
    ...narrow,
  ];
}

/** What a button of a rewind leads to. */
export interface RewindPlace {
  readonly bindingId: string;
  readonly atS: number;
  readonly openedFrom?: RewindOrigin | undefined;
  readonly playerId?: number | undefined;
  /** Whom it can be narrowed to by one press. */
  readonly offeredId?: number | undefined;
}

const ORIGIN_FLAGS = { call: "c", alert: "a" } as const satisfies Record<RewindOrigin, string>;

/** `binding/second`, where needed with `/c` for a call, `/a` for an alert, `p123` for a player, `o123` for one who is offered. */
export function rewindId({ bindingId, atS, openedFrom, playerId, offeredId }: RewindPlace): string {
  const only = playerId === undefined ? "" : `p${playerId}`;
  const offered = offeredId === undefined ? "" : `o${offeredId}`;
  const flags = `${openedFrom === undefined ? "" : ORIGIN_FLAGS[openedFrom]}${only}${offered}`;
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
  const [, bindingId, second, origin, digits, offered] =
    /^([^/]+)\/(\d{1,11})(?:\/([ca])?(?:p(\d{1,15}))?(?:o(\d{1,15}))?)?(?:\/k[\w-]{1,40})?$/.exec(argument) ??
    [];
  if (bindingId === undefined || second === undefined) return undefined;
  return {
    bindingId,
    atS: Number(second),
    openedFrom: origin === "c" ? "call" : origin === "a" ? "alert" : undefined,
    playerId: digits === undefined ? undefined : Number(digits),
    offeredId: offered === undefined ? undefined : Number(offered),
  };
}
