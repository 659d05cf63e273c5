import type { AlertEntry } from "../../domain/alert.ts";
import type { Case } from "../../domain/case.ts";
import type { Escaped } from "../../domain/escaped.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { AlertView } from "../../domain/ports/alert-renderer.ts";
import type { AppealPack } from "../../domain/ports/appeals.ts";
import type { WatchAlertView } from "../../domain/ports/case-renderer.ts";
import { WORDS_LEFT_OUT } from "./fine-print.ts";

/** Messages whose words Discord refuses, without what people chose: their names, and what they wrote or typed. Pure. */

const LEFT_OUT = "…";

export function alertWithoutWords(view: AlertView): AlertView {
  const callCards = view.callCards.map((card) => ({ ...card, caller: unnamed(card.caller) }));
  return { ...view, callCards, entries: view.entries.map(entryWithoutWords) };
}

function entryWithoutWords({ who, victims, callEnd, ...entry }: AlertEntry): AlertEntry {
  return {
    ...entry,
    rows: [],
    ...(who === undefined ? {} : { who: unnamed(who) }),
    ...(victims === undefined ? {} : { victims: victims.map(unnamed) }),
    ...(callEnd === undefined
      ? {}
      : { callEnd: callEnd.kind === "answered" ? { ...callEnd, by: unnamed(callEnd.by) } : callEnd }),
  };
}

/** A reason stays one: a case without one asks for it. */
export function caseWithoutWords({ evidence: _, command: __, receipt, reason, revoked, ...one }: Case): Case {
  const answer = receipt?.answer && { kind: receipt.answer.kind, atMs: receipt.answer.atMs };
  return {
    ...one,
    targets: one.targets.map((target) => ({ ...target, name: nameOf(target.playerId) })),
    author: { ...one.author, name: nameOf(one.author.playerId) },
    ...(reason === undefined ? {} : { reason: LEFT_OUT }),
    ...(receipt === undefined ? {} : { receipt: { ...receipt, ...(answer && { answer }) } }),
    ...(revoked === undefined
      ? {}
      : { revoked: { ...revoked, ...(revoked.why === undefined ? {} : { why: LEFT_OUT }) } }),
  };
}

export function appealWithoutWords({ appeal, one, earlier, ...pack }: AppealPack): AppealPack {
  const { player } = appeal;
  return {
    ...pack,
    appeal: {
      ...appeal,
      words: LEFT_OUT,
      typedName: LEFT_OUT,
      ...(player === undefined ? {} : { player: unnamed(player) }),
    },
    one: one && caseWithoutWords(one),
    earlier: earlier.map(caseWithoutWords),
  };
}

export function watchWithoutWords({
  watch: { reason: _, ...watch },
  ...view
}: WatchAlertView): WatchAlertView {
  const name = nameOf(view.player.id);
  return { ...view, player: { ...view.player, name }, watch: { ...watch, name } };
}

export function leftOutLine({ isWithoutWords }: Pick<AlertView, "isWithoutWords">): readonly Escaped[] {
  return isWithoutWords === true ? [WORDS_LEFT_OUT] : [];
}

function unnamed<P extends PlayerRef>(player: P): P {
  return { ...player, name: nameOf(player.id) };
}

function nameOf(playerId: number | undefined): string {
  return playerId === undefined ? LEFT_OUT : `Player ${playerId}`;
}
