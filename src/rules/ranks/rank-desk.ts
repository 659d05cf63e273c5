import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { KnownRoles } from "../../domain/ports/known-roles.ts";
import type { Permissions } from "../../domain/ports/permissions.ts";
import type { RankPlan, Ranks, RanksView } from "../../domain/ports/ranks.ts";
import { type Raised, type RankMapping, rankCommand } from "../../domain/rank.ts";
import type { RankBook } from "./rank-book.ts";
import type { RankFacts } from "./rank-facts.ts";
import type { RankKeepings } from "./rank-keeping.ts";
import { withPause } from "./rank-pause.ts";
import { rankPlan } from "./rank-plan.ts";
import type { ServerRanks } from "./rank-records.ts";
import type { RankStepsPorts } from "./rank-steps.ts";
import { MOST_RAISED } from "./rank-turns.ts";
import type { RankWatch } from "./rank-watch.ts";

export interface RankDeskPorts extends Pick<RankStepsPorts, "accounts" | "clock"> {
  readonly book: RankBook;
  readonly facts: Pick<RankFacts, "judge">;
  readonly keepings: RankKeepings;
  readonly watch: Pick<RankWatch, "begin" | "demand" | "people" | "readRoles" | "sightingsOf">;
  readonly permissions: Pick<Permissions, "decide">;
  readonly roles: Pick<KnownRoles, "of">;
  onNothingLeft(server: Pick<Binding, "guildId"> & { readonly bindingId: string }): Promise<void>;
}

const MOST_MAPPINGS = 10;
/** Members whose roles a plan reads, who plays first; the others are looked at when they play. */
const MOST_READ = 1_000;
/** A plan rests on roles of at most this age. */
const PLANNED_BY_MS = 60_000;

/** What Managers ask of ranks. */
export class RankDesk implements Ranks {
  readonly #ports: RankDeskPorts;

  constructor(ports: RankDeskPorts) {
    this.#ports = ports;
  }

  list(guildId: string): readonly RanksView[] {
    return this.#ports.book.ofGuild(guildId).map(({ taken: _, guildId: __, ...kept }) => ({
      ...kept,
      keeper: kept.keeper,
      pause: kept.pause,
    }));
  }

  async set(_: Actor, binding: Binding, { roleId, rank }: Omit<RankMapping, "isOn">): Promise<RankMapping> {
    const { book, keepings } = this.#ports;
    const server = serverOf(binding);
    if (roleId === binding.guildId)
      throw new Failure("bad-command", "Everyone has that role. Choose another one.");
    if (await keepings.isOthers(binding.source, server)) throw othersKeep();
    const mapping = { roleId, rank, isOn: false };
    await book.change(server, (kept) => {
      const known = kept.mappings.find((one) => one.roleId === roleId);
      if (known !== undefined)
        throw new Failure("bad-command", "That role gives a rank already. Run /rank unset first.");
      if (kept.mappings.length >= MOST_MAPPINGS)
        throw new Failure("bad-command", `A server can have ${MOST_MAPPINGS} roles that give ranks.`);
      return { ...kept, mappings: [...kept.mappings, mapping] };
    });
    this.#ports.watch.demand(server, { isAsked: true });
    return mapping;
  }

  check(binding: Binding): Promise<RankPlan> {
    return this.#plan(binding, this.#kept(binding).mappings);
  }

  async apply(actor: Actor, binding: Binding, key: string): Promise<RankPlan> {
    const { keepings, book } = this.#ports;
    const server = serverOf(binding);
    const plan = await this.check(binding);
    if (plan.key !== key) throw changed();
    if (plan.staffAgeMs === undefined) throw notRead();
    // Who was confirmed earlier and waits for their turn stands in both.
    const raised = new Set([...plan.raise.map(({ player }) => player.id), ...idsOf(this.#kept(binding))]);
    if (raised.size > MOST_RAISED)
      throw new Failure(
        "bad-command",
        `Marshal raises at most ${MOST_RAISED} people on a server. Choose another role.`,
      );
    await this.#mustRun(actor, binding, plan);
    if (!(await keepings.take(binding.source, server))) throw othersKeep();

    await book.change(server, (kept) => {
      const { pause: _, ...running } = confirmed(kept, plan);
      const mappings = kept.mappings.map((one) => ({ ...one, isOn: true }));
      return { ...running, mappings, keeper: keeperOf(actor) };
    });
    this.#goOn(binding);
    return plan;
  }

  checkUnset(binding: Binding, roleId: string): Promise<RankPlan> {
    const { mappings } = this.#kept(binding);
    if (mappings.every((one) => one.roleId !== roleId))
      throw new Failure("bad-command", "That role gives no rank. See /rank list.");
    const others = mappings.filter((one) => one.roleId !== roleId);
    return this.#plan(
      binding,
      others.filter(({ isOn }) => isOn),
    );
  }

  async unset(
    actor: Actor,
    binding: Binding,
    { roleId, key }: { readonly roleId: string; readonly key: string },
  ): Promise<RankPlan> {
    const { book } = this.#ports;
    const server = serverOf(binding);
    const all = await this.checkUnset(binding, roleId);
    // Nobody is raised by taking a role away.
    const plan = { ...all, raise: [] };
    if (plan.key !== key) throw changed();
    // While the list of staff is not believed the plan names nobody, and ranks are taken back all the same.
    const { raised } = this.#kept(binding);
    if (plan.take.length > 0 || raised.length > 0)
      await this.#mustRun(actor, binding, { ...plan, take: [...plan.take, ...raised] });
    const after = await book.change(server, (kept) => ({
      ...confirmed(kept, plan),
      mappings: kept.mappings.filter((one) => one.roleId !== roleId),
      ...(plan.take.length > 0 && { keeper: keeperOf(actor) }),
    }));
    if (after === undefined) await this.#ports.onNothingLeft(server);
    else this.#goOn(binding);
    return plan;
  }

  async pause({ guildId, userId: byId }: Actor): Promise<readonly RanksView[]> {
    const { book, watch, clock } = this.#ports;
    for (const kept of book.ofGuild(guildId)) {
      if (kept.keeper === undefined) continue;
      await book.change(kept, (before) => withPause(before, { byId, atMs: clock.nowMs() }));
      watch.demand(kept);
    }
    return this.list(guildId);
  }

  #goOn(binding: Binding): void {
    const { watch } = this.#ports;
    watch.demand(serverOf(binding));
    watch.begin(serverOf(binding));
  }

  async #plan(binding: Binding, mappings: readonly RankMapping[]): Promise<RankPlan> {
    const { facts, watch, accounts, clock, roles } = this.#ports;
    const { source, guildId } = binding;
    const server = serverOf(binding);
    const kept = this.#kept(binding);
    watch.demand(server, { isAsked: true });
    const linked = await accounts.byPlayer(guildId);
    const first = await watch.people(server, kept, source);
    const people = new Map(first.map((player) => [player.id, player]));
    for (const { player } of linked.values()) {
      if (people.size >= MOST_READ) break;
      if (!people.has(player.id)) people.set(player.id, player);
    }
    await watch.readRoles(server, [...people.values()], PLANNED_BY_MS);
    const judged = await facts.judge({ server, source, kept, mappings }, [...people.values()]);
    const { latest } = watch.sightingsOf(source);
    const isBelieved = watch.sightingsOf(source).believed() !== undefined;
    const unlinked: PlayerRef[] = (latest?.players ?? [])
      .map(({ player }) => player)
      .filter(({ id }) => id === undefined || !linked.has(id));
    return rankPlan({
      kept,
      mappings,
      judged,
      linked: linked.size,
      unlinked,
      staffAgeMs: latest !== undefined && isBelieved ? clock.monotonicMs() - latest.askedAtMs : undefined,
      rolesOf: (playerId) => roles.of(guildId, linked.get(playerId)?.userId ?? "")?.roleIds,
    });
  }

  #kept(binding: Binding): ServerRanks {
    const kept = this.#ports.book.of(serverOf(binding));
    if (kept !== undefined) return kept;
    throw new Failure("bad-command", "No role gives a rank on this server. Start with /rank set.");
  }

  /** What runs in somebody's name they have to be allowed themselves. @throws Failure "denied" */
  async #mustRun(actor: Actor, binding: Binding, { mappings, take }: RankCommands): Promise<void> {
    const raises = mappings.map(({ rank }) => rankCommand("raise", rank, 0));
    const takes = [...mappings, ...take].map(({ rank }) => rankCommand("take", rank, 0));
    for (const text of new Set([...raises, ...takes])) {
      const [verb = ""] = text.split(" ");
      const decision = await this.#ports.permissions.decide(actor, binding, verb);
      if (!decision.allowed)
        throw new Failure("denied", decision.why, { wants: decision.wants, bindingId: binding.id });
    }
  }
}

/** Whose commands somebody has to be allowed. */
interface RankCommands {
  readonly mappings: readonly Pick<RankMapping, "rank">[];
  readonly take: readonly Pick<Raised, "rank">[];
}

/** Each step of the plan is confirmed, and what came before counts no more for these people. */
function confirmed(kept: ServerRanks, { raise, take }: Pick<RankPlan, "raise" | "take">): ServerRanks {
  const taken = new Set(take.map(({ player }) => player.id));
  const raised = new Map<number, Raised>(kept.raised.map((one) => [one.playerId, one]));
  for (const record of kept.raised) {
    if (taken.has(record.playerId)) raised.set(record.playerId, { ...record, isConfirmed: true });
  }
  for (const { player, rank } of raise) {
    const record = raised.get(player.id);
    // Somebody else confirmed the same a moment ago, and its command is on its way: the record says whom Marshal raised.
    if (record !== undefined && record.state !== "wanted") continue;
    const wanted = { playerId: player.id, name: player.name, rank, state: "wanted" } as const;
    raised.set(player.id, { ...wanted, isConfirmed: true });
  }
  const touched = new Set([...taken, ...raise.map(({ player }) => player.id)]);
  return {
    ...kept,
    raised: [...raised.values()],
    taken: kept.taken.filter(({ playerId }) => !touched.has(playerId)),
  };
}

function idsOf({ raised }: Pick<ServerRanks, "raised">): readonly number[] {
  return raised.map(({ playerId }) => playerId);
}

function keeperOf({ userId: byId, userName: byName, channelId }: Actor) {
  return { byId, byName, channelId };
}

function serverOf({ guildId, id: bindingId }: Binding) {
  return { guildId, bindingId };
}

function changed(): Failure {
  return new Failure("expired", "The plan has changed. Here is the new one.");
}

function notRead(): Failure {
  return new Failure("bad-command", "The game's list of staff is not certain yet. Try again in a minute.");
}

function othersKeep(): Failure {
  return new Failure("denied", "Another community keeps the ranks of this server.");
}
