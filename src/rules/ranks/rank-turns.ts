import type { Clock } from "../../domain/ports/clock.ts";
import { RANKS } from "../../domain/rank.ts";
import type { RuledServer } from "../rule-book.ts";
import type { JudgedRank } from "./rank-facts.ts";
import { type RankStep, type TooMuch, whyTooMuch } from "./rank-limits.ts";
import type { ServerRanks } from "./rank-records.ts";

/** After a step that did not leave the next attempt waits so long, and twice as long each time. */
const AGAIN_MS = 10_000;
const AGAIN_MOST_MS = 5 * 60_000;
/** After a step that ran, and whose effect no answer shows. */
const NO_EFFECT_AGAIN_MS = 60_000;
const MOST_TRIES = 3;
/** People whom Marshal has raised on one server. */
export const MOST_RAISED = 200;

export type NextTurn =
  | { readonly kind: "step"; readonly step: RankStep; readonly of: JudgedRank }
  | { readonly kind: "pause"; readonly why: TooMuch | "no-effect"; readonly of: JudgedRank }
  /** `inMs`: something has to be tried again then. */
  | { readonly kind: "rest"; readonly inMs?: number };

interface Tries {
  readonly unsent: number;
  readonly sent: number;
  readonly notBeforeMs: number;
}

/** Which step comes next on a server: first what is taken back, then what is given. */
export class RankTurns {
  readonly #clock: Clock;
  readonly #tries = new Map<string, Tries>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(server: RuledServer, kept: ServerRanks, judged: readonly JudgedRank[]): NextTurn {
    const nowMs = this.#clock.monotonicMs();
    let inMs = Number.POSITIVE_INFINITY;
    for (const one of inOrder(judged)) {
      const step = stepOf(one);
      const isConfirmed = one.record?.isConfirmed === true;
      if (step === undefined || (kept.pause !== undefined && !isConfirmed)) continue;
      const { sent = 0, notBeforeMs = 0 } = this.#tries.get(keyOf(server, one)) ?? {};
      if (sent >= MOST_TRIES) return { kind: "pause", why: "no-effect", of: one };
      const why = isConfirmed ? undefined : whyTooMuch(step, kept.taken, this.#clock.nowMs());
      if (why !== undefined) return { kind: "pause", why, of: one };
      const isFull = step.kind === "raise" && one.record === undefined && kept.raised.length >= MOST_RAISED;
      if (isFull) continue;
      if (notBeforeMs <= nowMs) return { kind: "step", step, of: one };
      inMs = Math.min(inMs, notBeforeMs - nowMs);
    }
    return Number.isFinite(inMs) ? { kind: "rest", inMs } : { kind: "rest" };
  }

  onTried(server: RuledServer, one: JudgedRank, wasSent: boolean): void {
    const key = keyOf(server, one);
    const { unsent = 0, sent = 0 } = this.#tries.get(key) ?? {};
    const waitMs = wasSent ? NO_EFFECT_AGAIN_MS : Math.min(AGAIN_MS * 2 ** unsent, AGAIN_MOST_MS);
    this.#tries.set(key, {
      unsent: wasSent ? 0 : unsent + 1,
      sent: wasSent ? sent + 1 : sent,
      notBeforeMs: this.#clock.monotonicMs() + waitMs,
    });
  }

  forget(server: RuledServer, one: JudgedRank): void {
    this.#tries.delete(keyOf(server, one));
  }

  /** What was tried of these has come to an end. */
  onSettled(server: RuledServer, judged: readonly JudgedRank[]): void {
    for (const one of judged) {
      const { kind } = one.verdict;
      if (kind !== "raise" && kind !== "take" && kind !== "unknown" && kind !== "unsent")
        this.forget(server, one);
    }
  }
}

function stepOf({ verdict, player: { id: playerId } }: JudgedRank): RankStep | undefined {
  if (verdict.kind === "raise") return { kind: "raise", playerId, rank: verdict.rank };
  if (verdict.kind !== "take") return undefined;
  return { kind: "take", playerId, rank: verdict.rank, isRise: verdict.why === "rise" };
}

/** The highest ranks are taken back first. */
function inOrder(judged: readonly JudgedRank[]): readonly JudgedRank[] {
  const weight = ({ verdict }: JudgedRank) =>
    verdict.kind === "take" ? 10 + RANKS.indexOf(verdict.rank) : 0;
  return judged.toSorted((a, b) => weight(b) - weight(a));
}

function keyOf({ guildId, bindingId }: RuledServer, { player }: JudgedRank): string {
  return `${guildId}:${bindingId}:${player.id}`;
}
