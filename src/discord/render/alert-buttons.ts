import type { AlertPerson } from "../../domain/alert.ts";
import type { AlertKind } from "../../domain/alert-kinds.ts";
import type { Button, Row } from "../../domain/message.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { AlertView } from "../../domain/ports/alert-renderer.ts";
import type { OpenCallCard } from "../../domain/ports/mod-calls.ts";
import { labelOfCall } from "./call-cards.ts";
import { callMatters } from "./call-matters.ts";
import { cut, plainText, shownName } from "./escape.ts";
import { type ButtonPlace, lighterButtons, pmButton } from "./players/player-buttons.ts";
import { markedRewindId, type RewindPlace } from "./players/rewind-buttons.ts";

/** What can be done about what an alert tells of: at most five buttons. Pure. */

export function alertButtons(view: AlertView): readonly Row[] {
  const { rule, entries } = view;
  const subject = subjectOf(view);
  const players = distinct(
    entries.flatMap(({ who }) => (who?.id === undefined ? [] : [{ ...who, id: who.id }])),
  );
  const [only] = players;
  const claim = claimButton(view, subject);
  const around = lookBack(view, { subject, onlyId: players.length === 1 ? only?.id : undefined });
  if (only === undefined) return [[...claim, ...around]];
  if (entries.length > 1 && players.length > 1)
    return [pickOf(rule.bindingId, players), [...claim, ...around]];
  const place = { bindingId: rule.bindingId, playerId: only.id, name: only.name };
  const open: Button = {
    kind: "button",
    style: "secondary",
    label: "Player",
    emoji: "👤",
    id: `player-open:${rule.bindingId}/${only.id}`,
  };
  // What else can be done, bans as well, is on the player's card: there it is offered to who may.
  // Nothing that happens in the game reaches a caller who has left.
  const isThere = rule.kind !== "calls" || !view.whereabouts.leftIds.has(only.id);
  return [[...claim, open, ...around, ...(isThere ? actButtons(rule.kind, place) : [])]];
}

/** What the buttons are about, where the alert tells of several. */
interface Subject {
  readonly who?: AlertPerson | undefined;
  readonly firstS: number;
  /** Of a call that nobody has claimed. */
  readonly freeCard?: OpenCallCard | undefined;
}

/** Of calls the one that waits longest and can be claimed, of somebody who is still there as long as anybody is. */
function subjectOf(view: AlertView): Subject {
  const last = view.entries.at(-1) ?? { firstS: 0 };
  if (view.rule.kind !== "calls") return last;
  const open = callMatters(view)
    .filter(({ end }) => end === undefined)
    .map(({ card, ...matter }) => ({
      ...matter,
      freeCard: card?.claimedBy === undefined ? card : undefined,
    }));
  const present = open.filter(({ hasLeft }) => !hasLeft);
  const waiting = present.length > 0 ? present : open;
  return waiting.find(({ freeCard }) => freeCard !== undefined) ?? waiting[0] ?? last;
}

/** Its id is not that of the button on the call's card: by that one the card is known when its channel is read back. */
function claimButton(view: AlertView, { freeCard }: Subject): readonly Button[] {
  if (freeCard === undefined) return [];
  const label = callLabel("Claim", view, freeCard.caller);
  return [{ kind: "button", style: "primary", label, id: `alert-claim:${freeCard.cardId}` }];
}

interface About {
  readonly subject: Subject;
  /** Of the one player whom the alert tells of. */
  readonly onlyId: number | undefined;
}

function lookBack(view: AlertView, about: About): readonly Button[] {
  const { key, rule, entries, hasReplay } = view;
  const rewind: Button = {
    kind: "button",
    style: "secondary",
    label: rule.kind === "calls" ? callLabel("Rewind", view, about.subject.who) : "Rewind",
    emoji: "⏪",
    id: markedRewindId(rewindPlace(view, about), key),
  };
  if (rule.kind !== "kills" || !hasReplay) return [rewind];
  const replayId = `replay-open:${rule.bindingId}/${entries.at(-1)?.lastS ?? 0}`;
  return [rewind, { ...rewind, label: "Replay", emoji: "🎞️", id: replayId }];
}

/**
 * The call, or the first of what was counted. Kills begin as those of the one player: within a busy server's rows nobody
 * finds them. Of staff who punish, runs through Marshal are no rows of theirs, and team changes are no rows at all.
 */
function rewindPlace({ rule, entries }: AlertView, { subject, onlyId }: About): RewindPlace {
  const { bindingId, kind } = rule;
  if (kind === "calls")
    return { bindingId, atS: subject.firstS, openedFrom: "call", offeredId: subject.who?.id };
  const atS = Math.min(...entries.map(({ firstS }) => firstS));
  const only = kind === "kills" ? { playerId: onlyId } : { offeredId: onlyId };
  return { bindingId, atS, openedFrom: "alert", ...only };
}

/** Of several calls the button says whose call it is about. */
function callLabel(verb: string, view: AlertView, caller: PlayerRef | undefined): string {
  return callMatters(view).length === 1 || caller === undefined ? verb : labelOfCall(verb, caller.name);
}

/** Who rampages is stopped; staff who punish too much and people who called are written to. */
function actButtons(kind: AlertKind, place: ButtonPlace): readonly Button[] {
  return kind === "kills" || kind === "teams" ? lighterButtons(place) : [pmButton(place)];
}

function pickOf(bindingId: string, players: readonly Required<PlayerRef>[]): Row {
  return [
    {
      kind: "select",
      of: "string",
      id: `player-choose:${bindingId}`,
      placeholder: "Open a player",
      options: players.slice(-25).map(({ name, id }) => ({
        label: cut(plainText(shownName(name)), 100),
        value: String(id),
      })),
    },
  ];
}

function distinct(players: readonly Required<PlayerRef>[]): readonly Required<PlayerRef>[] {
  return [...new Map(players.map(({ id, name }) => [id, { id, name }])).values()];
}
