import { Failure } from "../domain/failure.ts";
import type { Actor, Binding } from "../domain/guild.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../domain/ports/known-roles.ts";
import type { Permissions } from "../domain/ports/permissions.ts";
import type { NewRule, Rules, RulesView, RuleTest, RuleView } from "../domain/ports/rules.ts";
import { contradicts, RECORD_NEEDED_MS, type Rule, type RuleStep, recordedMs } from "../domain/rule.ts";
import { JAIL } from "./present.ts";
import type { RoleState } from "./ranks/wanted-rank.ts";
import type { RuleBook, RuledServer } from "./rule-book.ts";
import { candidates, judge, unconfirmedBy } from "./rule-judge.ts";
import type { Sightings } from "./sightings.ts";

export interface RuleDeskPorts {
  readonly book: RuleBook;
  readonly bindings: Pick<Bindings, "linkedOf" | "list">;
  readonly permissions: Pick<Permissions, "decide">;
  readonly accounts: Pick<GameAccounts, "byPlayer">;
  readonly roles: Pick<KnownRoles, "of" | "read">;
  readonly clock: Clock;
  readonly random: Random;
  roleState(guildId: string, roleId: string): RoleState;
  /** What answers have shown of a server; undefined: nothing. */
  sightingsOf(server: RuledServer): Sightings | undefined;
  /** How long what a rule tells and does of a player waits, because staff were told a short while ago; undefined: it does not. */
  waitsMs(rule: Rule, playerId: number): number | undefined;
  onChanged(server: RuledServer): void;
}

const MOST_OF_GUILD = 20;
const TESTED_BY_MS = 60_000;

/** What Managers ask of rules. */
export class RuleDesk implements Rules {
  readonly #ports: RuleDeskPorts;

  constructor(ports: RuleDeskPorts) {
    this.#ports = ports;
  }

  list(guildId: string): RulesView {
    const { rules, pause } = this.#ports.book.of(guildId);
    return { rules: rules.map((rule) => this.#viewOf(rule)), pause };
  }

  async add({ guildId, userId: byId }: Actor, { id: bindingId }: Binding, wish: NewRule): Promise<RuleView> {
    const { book, clock, random } = this.#ports;
    refuseWish(guildId, wish);
    const kept = await book.change(guildId, (before) => {
      if (before.rules.length >= MOST_OF_GUILD)
        throw new Failure("bad-command", `A community can have ${MOST_OF_GUILD} rules. Remove one first.`);
      const isThere = before.rules.some(
        (one) => one.bindingId === bindingId && one.kind === wish.kind && isSameText(one.what, wish.what),
      );
      if (isThere) throw new Failure("bad-command", "There is a rule for that already. Remove it first.");
      const lastNumber = before.lastNumber + 1;
      const rule: Rule = {
        ...wish,
        id: random.id(),
        guildId,
        bindingId,
        number: lastNumber,
        byId,
        createdAtMs: clock.nowMs(),
      };
      return { ...before, lastNumber, rules: [...before.rules, rule] };
    });
    this.#ports.onChanged({ guildId, bindingId });
    return this.#view(guildId, kept.lastNumber);
  }

  async remove(guildId: string, number: number): Promise<Rule | undefined> {
    const { book } = this.#ports;
    const rule = book.of(guildId).rules.find((one) => one.number === number);
    if (rule === undefined) return undefined;
    await book.change(guildId, (before) => ({
      ...before,
      rules: before.rules.filter(({ id }) => id !== rule.id),
    }));
    await book.note(rule, (open) => open.filter(({ ruleId }) => ruleId !== rule.id));
    this.#ports.onChanged(rule);
    return rule;
  }

  async setStep(actor: Actor, number: number, step: RuleStep | undefined): Promise<RuleView> {
    const { book } = this.#ports;
    const { guildId, userId: byId, userName: byName } = actor;
    const { rule } = this.#view(guildId, number);
    if (step !== undefined && rule.kind === "name")
      throw new Failure("bad-command", "A rule on names only tells: a command could not name them alone.");
    if (step !== undefined && step !== "pm") this.#mustBeRecorded(rule, step);
    if (step !== undefined) await this.#mustRun(actor, rule, step);
    await book.change(guildId, (before) => ({
      ...before,
      rules: before.rules.map(({ step: _, heldWhy: __, ...one }) => {
        if (one.id !== rule.id) return { ...one, ...(_ && { step: _ }), ...(__ && { heldWhy: __ }) };
        return step === undefined ? one : { ...one, step: { kind: step, byId, byName } };
      }),
    }));
    return this.#view(guildId, number);
  }

  async pause({ guildId, userId: byId }: Actor, isPaused: boolean): Promise<RulesView> {
    const { book, clock } = this.#ports;
    await book.change(guildId, (before) => {
      if (isPaused) return { ...before, pause: before.pause ?? { byId, atMs: clock.nowMs() } };
      const { pause, ...running } = before;
      // A record of what it would have done has no part that was paused.
      const pausedMs = pause === undefined ? 0 : Math.max(0, clock.nowMs() - pause.atMs);
      const rules = before.rules.map((rule) => ({
        ...rule,
        createdAtMs: rule.createdAtMs + Math.min(pausedMs, clock.nowMs() - rule.createdAtMs),
      }));
      return { ...running, rules };
    });
    for (const rule of book.of(guildId).rules) this.#ports.onChanged(rule);
    return this.list(guildId);
  }

  async test(guildId: string, number: number): Promise<RuleTest> {
    const { book, accounts, roles, clock } = this.#ports;
    const view = this.#view(guildId, number);
    const sightings = this.#ports.sightingsOf(view.rule);
    const players = sightings?.players ?? new Map();
    const linked = await accounts.byPlayer(guildId);
    const found = candidates([view.rule], players, linked);
    const users = [...new Set(found.flatMap(({ userId }) => userId ?? []))];
    await roles.read(guildId, users, TESTED_BY_MS);
    const nowMs = clock.monotonicMs();
    const breakers = found.map((one) => {
      const held = one.userId === undefined ? undefined : roles.of(guildId, one.userId);
      return {
        player: one.sighting.present.player,
        userId: one.userId,
        rolesAgeMs: held && nowMs - held.readAtMs,
        lacksRole: judge(this.#ports, one) === "broken",
        unconfirmedBy: unconfirmedBy(view.rule, one.vouchedBy),
        waitsMs: this.#ports.waitsMs(view.rule, one.sighting.present.player.id),
      };
    });
    const hasLooked = sightings !== undefined && Number.isFinite(sightings.takenAtMs);
    const known = hasLooked && {
      present: players.size,
      linked: [...players.keys()].filter((id) => linked.has(id)).length,
      ageMs: nowMs - sightings.takenAtMs,
    };
    return { ...view, pause: book.of(guildId).pause, known: known || undefined, breakers };
  }

  /** @throws Failure "bad-command" */
  #mustBeRecorded(rule: Rule, step: RuleStep): void {
    const { book, clock } = this.#ports;
    const leftMs = RECORD_NEEDED_MS - recordedMs(rule, book.of(rule.guildId).pause, clock.nowMs());
    if (leftMs <= 0) return;
    const atS = Math.ceil((clock.nowMs() + leftMs) / 1_000);
    const words = `:${step} needs a week's record first, pauses left out. It can be turned on`;
    throw new Failure("bad-command", `${words} <t:${atS}:R>.`);
  }

  /** What runs in somebody's name they have to be allowed themselves. @throws Failure "denied" */
  async #mustRun(actor: Actor, { guildId, bindingId }: Rule, step: RuleStep): Promise<void> {
    const { bindings, permissions } = this.#ports;
    const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
    if (binding === undefined) throw new Failure("not-linked", "Its server is no longer linked.");
    const decision = await permissions.decide(actor, binding, `:${step}`);
    if (!decision.allowed) throw new Failure("denied", decision.why, { wants: decision.wants, bindingId });
  }

  #view(guildId: string, number: number): RuleView {
    const rule = this.#ports.book.of(guildId).rules.find((one) => one.number === number);
    if (rule === undefined) throw new Failure("bad-command", `There is no rule ${number}. See /rule list.`);
    return this.#viewOf(rule);
  }

  #viewOf(rule: Rule): RuleView {
    return { rule, record: this.#ports.book.record(rule), onlyTells: this.#whyOnlyTells(rule) };
  }

  #whyOnlyTells(rule: Rule): string | undefined {
    const { book, roleState } = this.#ports;
    const states = rule.roleIds.map((id) => roleState(rule.guildId, id));
    if (states.includes("unknown"))
      return "Discord does not show the roles right now, so it does nothing. It goes on by itself.";
    if (states.includes("deleted"))
      return "One of its roles was deleted, so it does nothing. Remove it and add it again.";
    const other = book.of(rule.guildId).rules.find((one) => contradicts(rule, one));
    if (other !== undefined) return `It contradicts rule ${other.number}, so both only tell.`;
    if (rule.kind === "name") return "Rules on names only tell.";
    if (this.#ports.sightingsOf(rule)?.isSparse === true)
      return "This server is read less often than each 90 seconds, so it only tells.";
    return undefined;
  }
}

/** @throws Failure "bad-command" */
function refuseWish(guildId: string, { kind, what, roleIds }: NewRule): void {
  if (kind === "name") return;
  if (what.trim() === "")
    throw new Failure("bad-command", "Say which team, vehicle or callsign it is about.");
  if (kind === "team" && isSameText(what, JAIL))
    throw new Failure("bad-command", "Nobody chooses to be in jail. Pick another team.");
  if (roleIds.length === 0) throw new Failure("bad-command", "Give the role that is needed.");
  if (roleIds.includes(guildId))
    throw new Failure("bad-command", "Everyone has that role, so nobody could break the rule.");
}

function isSameText(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
