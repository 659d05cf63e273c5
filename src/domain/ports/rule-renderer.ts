import type { MessageBody } from "../message.ts";
import type { PlayerRef } from "../model.ts";
import type { Rule } from "../rule.ts";

export interface BreachView {
  readonly rule: Rule;
  readonly serverName: string;
  readonly player: Required<PlayerRef>;
  /** Undefined where the rule asks for no role. */
  readonly userId: string | undefined;
  /** How long the answers have shown it. */
  readonly lastsMs: number;
  /** Each breach has its own; it is found again by it. */
  readonly breachId: string;
  /** Who linked them, where nothing more is done before another Manager confirms the link. */
  readonly unconfirmedBy: string | undefined;
}

/** What rules say, and to whom. */
export interface RuleRenderer {
  breach(view: BreachView): MessageBody;
  /** Its step was turned off. */
  held(rule: Rule, why: string): MessageBody;
  /** What a player reads in the game: plain words, one line. */
  toPlayer(rule: Rule): string;
}
