import { Failure } from "../domain/failure.ts";
import type { ListName, PlayerRef, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Permissions } from "../domain/ports/permissions.ts";
import type { RuleRenderer } from "../domain/ports/rule-renderer.ts";
import type { Runner } from "../domain/ports/runner.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Rule, RuleEvent } from "../domain/rule.ts";
import { isStepOf, type LastLookPorts, type PlannedStep, StepGuard, whyOwner } from "./last-look.ts";
import { managerNow } from "./manager-now.ts";
import { whyNotNamed } from "./named-in-full.ts";
import type { RuleBook } from "./rule-book.ts";
import { type Candidate, unconfirmedBy } from "./rule-judge.ts";

export interface RuleStepsPorts extends LastLookPorts {
  readonly book: RuleBook;
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly members: Members;
  readonly permissions: Pick<Permissions, "decide">;
  readonly runner: Pick<Runner, "plan" | "submit">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<RuleRenderer, "held" | "toPlayer">;
  readonly clock: Clock;
  readonly random: Random;
  report(what: string, error: unknown): void;
}

export interface StepWanted {
  readonly source: SourceId;
  readonly candidate: Candidate;
  readonly breachId: string;
  readonly lists: readonly ListName[];
  /** This breach may have had its step, which is missing in a store that was set back. */
  readonly mayBeTaken: boolean;
}

/** `runId`: of its row in the audit, once there is one. */
type ClaimedStep = StepWanted & { readonly runId: string };
type StepRule = Rule & Required<Pick<Rule, "step">>;

/** Of all rules of a server together, one step to one player in this time. */
const STEP_AGAIN_MS = 60_000;
/** Of one rule, so many are kicked or loaded in this time: more is a role that is wrong sooner than so many breaches. */
const MOST_ACTED = 5;
const ACTED_WITHIN_MS = 10 * 60_000;
const MAY_BE_TAKEN = "The database was restored from an older copy, so this may have been done already.";
const TOO_MANY =
  "It was broken more than five times within ten minutes. Check the role, then turn it on again.";

/** What is done to a player beyond telling: once a breach, claimed before it is sent, in the name of a Manager. */
export class RuleSteps {
  readonly #ports: RuleStepsPorts;
  readonly #open = new Set<Promise<void>>();
  /** By server and player, by the monotonic clock. */
  readonly #steppedAtMs = new Map<string, number>();
  /** By rule that kicks or loads: its latest steps, by the monotonic clock; absent: this process has made none. */
  readonly #actedAtMs = new Map<string, readonly number[]>();

  constructor(ports: RuleStepsPorts) {
    this.#ports = ports;
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Rejects when the store does: then nothing was sent. */
  async consider(wanted: StepWanted): Promise<void> {
    const { book, clock } = this.#ports;
    const { rule, sighting, vouchedBy } = wanted.candidate;
    const { player } = sighting.present;
    // The breach stays open: once the link is confirmed this is asked again.
    if (unconfirmedBy(rule, vouchedBy) !== undefined) return;
    const why =
      (wanted.mayBeTaken ? MAY_BE_TAKEN : undefined) ??
      whyOwner(sighting.present) ??
      whyNotNamed(player, await this.#ports.othersAround(rule, player));
    if (rule.step === undefined) {
      // What has no step would have had one, unless it names somebody else as well.
      await this.#claim(wanted, why === undefined ? { what: "would" } : { what: "dropped", why });
      return;
    }
    // It was turned off or changed since this look: with the next one the breach is judged by what is wanted now.
    if (!isStepOf(book.rule(rule.guildId, rule.id), rule)) return;
    const key = `${rule.bindingId}:${player.id}`;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#steppedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < STEP_AGAIN_MS) return;
    if (why !== undefined) return await this.#claim(wanted, { what: "dropped", why });
    const { automaticPause } = await this.#ports.settings.of(rule.guildId);
    if (automaticPause !== undefined) return;
    if (rule.step.kind !== "pm" && this.#isTooMany(rule, nowMs)) return await this.#hold(rule, TOO_MANY);

    const runId = this.#ports.random.id();
    await this.#claim(wanted, { runId });
    this.#steppedAtMs.set(key, nowMs);
    const work = this.#take({ ...wanted, runId }, { ...rule, step: rule.step })
      .catch((error: unknown) => this.#ports.report("the step of a rule failed", error))
      .then(() => void this.#open.delete(work));
    this.#open.add(work);
  }

  /** Counts this step, unless there were enough; from a hold on it begins anew. */
  #isTooMany(rule: Rule, nowMs: number): boolean {
    const acted = this.#actedAtMs.get(rule.id) ?? this.#actedBefore(rule, nowMs);
    const lately = acted.filter((atMs) => nowMs - atMs < ACTED_WITHIN_MS);
    const isTooMany = lately.length >= MOST_ACTED;
    this.#actedAtMs.set(rule.id, isTooMany ? [] : [...lately, nowMs]);
    return isTooMany;
  }

  /** What an earlier process sent, by the monotonic clock of this one. */
  #actedBefore(rule: Rule, nowMs: number): readonly number[] {
    const wallMs = this.#ports.clock.nowMs();
    const sent = this.#ports.book.record(rule).events.filter(({ what }) => what === "sent");
    // A clock that was set back must not make them older than they are.
    return sent.map(({ atMs }) => nowMs - Math.abs(wallMs - atMs));
  }

  /** Written before anything is sent: the same breach has no other step. */
  async #claim(
    { candidate: { rule, sighting }, breachId }: StepWanted,
    end: Pick<RuleEvent, "what" | "why"> | { readonly runId: string },
  ): Promise<void> {
    const { book, clock } = this.#ports;
    const now = { atMs: clock.nowMs(), player: sighting.present.player };
    const happening =
      "runId" in end ? { begun: { breachId, ...end, ...now } } : { event: { ...end, ...now } };
    await book.note(
      rule,
      (open) => open.map((one) => (one.id === breachId ? { ...one, isStepped: true } : one)),
      [{ ruleId: rule.id, ...happening }],
    );
  }

  async #take(wanted: ClaimedStep, rule: StepRule): Promise<void> {
    const { book, clock } = this.#ports;
    const { player } = wanted.candidate.sighting.present;
    const end = await this.#send(wanted, rule).catch((error: unknown) => {
      if (error instanceof Failure) return { what: "dropped", why: error.message } as const;
      throw error;
    });
    const event = { ...end, atMs: clock.nowMs(), player };
    await book.note(rule, (open) => open, [{ ruleId: rule.id, event, endOf: wanted.breachId }]);
  }

  /** Through the audit and the queue as a person's command, with a last look right before it leaves. */
  async #send(
    { source, candidate, lists, runId }: ClaimedStep,
    rule: StepRule,
  ): Promise<Pick<RuleEvent, "what" | "why" | "isUnsure">> {
    const { bindings, clock, runner } = this.#ports;
    const binding = (await bindings.list(rule.guildId)).find(({ id }) => id === rule.bindingId);
    if (binding === undefined) return { what: "dropped", why: "The server was unlinked." };
    const owner = await this.#ownerNow(rule);
    if (owner === undefined) return { what: "dropped", why: "Its Manager can no longer do that." };
    const { player } = candidate.sighting.present;
    const text = this.#textOf(rule, player);
    const step: PlannedStep = { source, candidate, lists, isMessage: rule.step.kind === "pm" };
    const request = {
      actor: { ...owner, guildId: rule.guildId, channelId: rule.channelId, askedAtMs: clock.nowMs() },
      binding,
      text,
      origin: "rule" as const,
      runId,
      only: player,
      guard: new StepGuard(this.#ports, step),
    };
    // Without a name the verb alone is judged.
    const mayVerb = await this.#ports.permissions.decide(request.actor, binding, `:${rule.step.kind}`);
    if (!mayVerb.allowed) await this.#hold(rule, mayVerb.why);
    const plan = await runner.plan(request);
    if (!plan.decision.allowed) return { what: "dropped", why: plan.decision.why };
    const { outcome } = await runner.submit(plan);
    const { record } = await outcome;
    if (record.ran === "no") return { what: "dropped", why: record.message ?? "It was not sent." };
    return { what: "sent", ...(record.ran === "unknown" ? { isUnsure: true } : {}) };
  }

  #textOf(rule: StepRule, { name }: Required<PlayerRef>): string {
    switch (rule.step.kind) {
      case "pm":
        return `:pm ${name} ${this.#ports.renderer.toPlayer(rule)}`;
      case "load":
        return `:load ${name}`;
      case "kick":
        return `:kick ${name} ${this.#ports.renderer.toPlayer(rule)}`;
      default:
        return rule.step.kind satisfies never;
    }
  }

  /** The rights of who turned it on, as of now; undefined: they are no Manager any more, and it is turned off. */
  async #ownerNow(rule: StepRule) {
    const owner = await managerNow(this.#ports, rule.guildId, rule.step);
    if (owner === undefined) await this.#hold(rule, "The Manager who turned it on is no longer one.");
    return owner;
  }

  /** Turns its step off and says so, once: several may find at the same moment that it must not go on. */
  async #hold(rule: Rule, why: string): Promise<void> {
    const { book, notifier, renderer } = this.#ports;
    let isHeld = false;
    await book.change(rule.guildId, (kept) => {
      isHeld = isStepOf(book.rule(rule.guildId, rule.id), rule);
      if (!isHeld) return kept;
      const rules = kept.rules.map(({ step, ...other }) =>
        other.id === rule.id ? { ...other, heldWhy: why } : { ...other, ...(step && { step }) },
      );
      return { ...kept, rules };
    });
    if (isHeld) await notifier.guild(rule.guildId, renderer.held(rule, why), rule.byId);
  }
}
