import type { Actor, Binding } from "../guild.ts";
import type { PlayerRef } from "../model.ts";
import type { Rule, RuleKind, RulePause, RuleRecord, RuleStep } from "../rule.ts";

export interface NewRule {
  readonly kind: RuleKind;
  readonly what: string;
  readonly roleIds: readonly string[];
  readonly channelId: string;
}

export interface RuleView {
  readonly rule: Rule;
  readonly record: RuleRecord;
  /** Why it only tells, whatever is turned on; undefined: nothing keeps it from more. */
  readonly onlyTells: string | undefined;
}

export interface RulesView {
  readonly rules: readonly RuleView[];
  readonly pause: RulePause | undefined;
}

/** How a rule stands at the moment. */
export interface RuleTest extends RuleView {
  readonly pause: RulePause | undefined;
  /** Of the players who are there now, how many are linked to a member; undefined: there was no look yet. */
  readonly known: { readonly linked: number; readonly present: number; readonly ageMs: number } | undefined;
  readonly breakers: readonly {
    readonly player: Required<PlayerRef>;
    readonly userId: string | undefined;
    /** How old what is known of their roles is; undefined: they could not be read. */
    readonly rolesAgeMs: number | undefined;
    readonly lacksRole: boolean;
    /** Who linked them, where nothing but telling is done before another Manager confirms the link. */
    readonly unconfirmedBy: string | undefined;
    /** Staff were told of them a short while ago: how long until they are again, and more is done; undefined: nothing waits. */
    readonly waitsMs: number | undefined;
  }[];
}

/** Rules on teams, vehicles, callsigns and names. Who may is the caller's to ask; all of it throws Failure "bad-command". */
export interface Rules {
  list(guildId: string): RulesView;
  add(actor: Actor, binding: Binding, wish: NewRule): Promise<RuleView>;
  /** Undefined: there is no such rule. */
  remove(guildId: string, number: number): Promise<Rule | undefined>;
  test(guildId: string, number: number): Promise<RuleTest>;
  /** Turns on what is done beyond telling, in this person's name; undefined: only telling. */
  setStep(actor: Actor, number: number, step: RuleStep | undefined): Promise<RuleView>;
  /** Stops all rules of a community, or lets them go on. */
  pause(actor: Actor, isPaused: boolean): Promise<RulesView>;
}
