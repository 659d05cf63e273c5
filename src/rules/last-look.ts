import { Failure } from "../domain/failure.ts";
import type { ListName, PlayerRef, ServerState, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../domain/ports/known-roles.ts";
import type { PlayerMessages } from "../domain/ports/player-messages.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { Rule } from "../domain/rule.ts";
import type { SendGuard } from "../domain/run.ts";
import { freshLook, LOOK_GOOD_FOR_MS, READ_MAX_AGE_MS, ROLES_GOOD_FOR_MS } from "./fresh-look.ts";
import { whyNotNamed } from "./named-in-full.ts";
import { isAbout, type Present, presentOf, stateKey } from "./present.ts";
import type { RoleState } from "./ranks/wanted-rank.ts";
import type { RuleBook } from "./rule-book.ts";
import { type Candidate, onlyWordOf, unconfirmedBy } from "./rule-judge.ts";
import type { Sighting } from "./sightings.ts";

export interface LastLookPorts {
  readonly book: Pick<RuleBook, "of" | "rule">;
  readonly snapshots: Pick<Snapshots, "fresh">;
  readonly roles: Pick<KnownRoles, "readOne">;
  readonly accounts: Pick<GameAccounts, "byPlayer">;
  readonly messages: PlayerMessages;
  readonly clock: Clock;
  /** A player as the latest answer shows them. */
  seenNow(source: SourceId, playerId: number): Sighting | undefined;
  /** Everybody whom the latest answer shows. */
  presentNow(source: SourceId): readonly PlayerRef[];
  roleState(guildId: string, roleId: string): RoleState;
  /** Everybody else of whom a name is known that a command could mean instead: linked, seen before, present. */
  othersAround(rule: Rule, player: Required<PlayerRef>): Promise<readonly PlayerRef[]>;
  /** Names of those in the queue; undefined: of somebody no name is known. */
  namesOf(guildId: string, ids: readonly number[]): Promise<readonly PlayerRef[] | undefined>;
}

export interface PlannedStep {
  readonly source: SourceId;
  readonly candidate: Candidate;
  readonly lists: readonly ListName[];
  /** It takes one of the messages that a player may get. */
  readonly isMessage: boolean;
}

const THEIRS = "The server is theirs.";

/** Looks once more right before a step leaves: it must still be wanted, still be so, and hit nobody else. */
export class StepGuard implements SendGuard {
  readonly #ports: LastLookPorts;
  readonly #step: PlannedStep;
  #goodUntilMs = Number.NEGATIVE_INFINITY;
  #isBudgeted = false;

  constructor(ports: LastLookPorts, step: PlannedStep) {
    this.#ports = ports;
    this.#step = step;
  }

  async check(): Promise<void> {
    const { clock, roles, accounts, messages } = this.#ports;
    const { rule, sighting, userId } = this.#step.candidate;
    const { player } = sighting.present;
    const refuse = (why: string) => new Failure("expired", why, { ran: "no" });
    if (!this.#isWantedStill() || userId === undefined) throw refuse("The rule was changed or paused.");

    const lookedAtMs = clock.monotonicMs();
    const state = await freshLook(this.#ports, {
      source: this.#step.source,
      lists: this.#step.lists,
      guildId: rule.guildId,
    });
    const why = await this.#whyNot(state);
    if (why !== undefined) throw refuse(why);
    const held = await roles.readOne(rule.guildId, userId, READ_MAX_AGE_MS);
    if (held === undefined) throw refuse("Marshal could not read the roles.");
    if (rule.roleIds.some((id) => held.roleIds.includes(id))) throw refuse("They have the role now.");
    const link = (await accounts.byPlayer(rule.guildId)).get(player.id);
    if (link?.userId !== userId) throw refuse("The link was moved.");
    if (unconfirmedBy(rule, onlyWordOf(link)) !== undefined)
      throw refuse("Another Manager has to confirm the link.");

    const message = { playerId: player.id, visitFromMs: sighting.visitFromMs };
    if (this.#step.isMessage && !this.#isBudgeted && !(await messages.take(message)))
      throw refuse("They were sent enough messages.");
    this.#isBudgeted = true;
    this.#goodUntilMs = Math.min(
      lookedAtMs - READ_MAX_AGE_MS + LOOK_GOOD_FOR_MS,
      held.readAtMs + ROLES_GOOD_FOR_MS,
    );
  }

  /** At the first byte. */
  isWanted(): boolean {
    const { clock, presentNow } = this.#ports;
    const { player } = this.#step.candidate.sighting.present;
    return (
      clock.monotonicMs() <= this.#goodUntilMs &&
      this.#isWantedStill() &&
      this.#isSoStill() &&
      whyNotNamed(player, presentNow(this.#step.source)) === undefined
    );
  }

  #isWantedStill(): boolean {
    const { book } = this.#ports;
    const { rule } = this.#step.candidate;
    return book.of(rule.guildId).pause === undefined && isStepOf(book.rule(rule.guildId, rule.id), rule);
  }

  #isSoStill(): boolean {
    const { sighting } = this.#step.candidate;
    return this.#ports.seenNow(this.#step.source, sighting.present.player.id)?.key === sighting.key;
  }

  async #whyNot({ lists, status }: ServerState): Promise<string | undefined> {
    const { rule, sighting } = this.#step.candidate;
    const { player } = sighting.present;
    const players = lists.players?.value ?? [];
    const all = presentOf({
      players,
      vehicles: lists.vehicles?.value ?? [],
      joinLogs: lists.joinLogs?.value ?? [],
      killLogs: lists.killLogs?.value ?? [],
    });
    const seen = all.find((one) => one.player.id === player.id);
    if (seen === undefined || !isSame(seen, sighting.present) || !isAbout(rule, seen) || !this.#isSoStill())
      return "It is over.";
    const states = rule.roleIds.map((id) => this.#ports.roleState(rule.guildId, id));
    if (states.includes("unknown")) return "Discord does not show the roles.";
    if (states.includes("deleted")) return "A role was deleted.";
    const isOwner = [status.ownerId, ...status.coOwnerIds].includes(player.id);
    const owner = isOwner ? THEIRS : whyOwner(seen);
    if (owner !== undefined) return owner;
    const queued = await this.#ports.namesOf(rule.guildId, lists.queue?.value ?? []);
    if (queued === undefined) return "Somebody unknown waits in the queue.";
    const around = await this.#ports.othersAround(rule, player);
    const present = players.map((one) => one.player);
    return whyNotNamed(player, [...present, ...queued, ...around]);
  }
}

/** Whether a rule's step is still what it was when its breach was seen, turned on by the same Manager. */
export function isStepOf(now: Rule | undefined, { step }: Rule): boolean {
  return step !== undefined && now?.step?.kind === step.kind && now.step.byId === step.byId;
}

/** Nothing is done to whom the server belongs. */
export function whyOwner({ permission }: Present): string | undefined {
  return /owner/i.test(permission) ? THEIRS : undefined;
}

/** Rows leave the logs, so an earlier life is no other one. */
function isSame(now: Present, before: Present): boolean {
  return now.lifeS <= before.lifeS && stateKey({ ...now, lifeS: before.lifeS }) === stateKey(before);
}
