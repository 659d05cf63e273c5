import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../domain/ports/known-roles.ts";
import type { OwedMessages } from "../domain/ports/notifier.ts";
import type { RuleRenderer } from "../domain/ports/rule-renderer.ts";
import { contradicts, type Rule, type RuleEvent } from "../domain/rule.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { RoleState } from "./ranks/wanted-rank.ts";
import type { RuleBook, RuledServer } from "./rule-book.ts";
import { type Candidate, candidates, judge, unconfirmedBy } from "./rule-judge.ts";
import type { OpenBreach } from "./rule-records.ts";
import type { RuleSteps } from "./rule-steps.ts";
import { isBreachToAct, isBreachToTell, lookTimes, Sightings } from "./sightings.ts";

export interface RuleWatchPorts {
  readonly book: RuleBook;
  readonly steps: Pick<RuleSteps, "consider">;
  readonly bindings: Pick<Bindings, "linkedOf" | "guildsOf" | "list">;
  readonly accounts: Pick<GameAccounts, "byPlayer">;
  readonly roles: Pick<KnownRoles, "of" | "read">;
  readonly demands: Demands;
  readonly owed: OwedMessages;
  readonly renderer: Pick<RuleRenderer, "breach">;
  readonly clock: Clock;
  readonly random: Random;
  /** The store may be an older copy: steps that were taken since are not in it. */
  readonly isStoreInDoubt: boolean;
  isOurs(guildId: string): boolean;
  roleState(guildId: string, roleId: string): RoleState;
  report(what: string, error: unknown): void;
}

/** Roles of those who may break a rule are read anew after so long. */
const ROUND_MS = 60_000;
/** Who breaks the same rule again and again is told of once in this time. */
const TOLD_AGAIN_MS = 10 * 60_000;

/** Finds out from each answer who breaks a rule, tells staff, and has the next step considered. */
export class RuleWatch {
  readonly #ports: RuleWatchPorts;
  readonly #sightings = new Map<SourceId, Sightings>();
  readonly #looks: OneAtATime;
  /** By rule and player, by the monotonic clock. */
  readonly #toldAtMs = new Map<string, number>();
  /** What an earlier process left open may have been told by it. */
  readonly #own = new Set<string>();

  constructor(ports: RuleWatchPorts) {
    this.#ports = ports;
    this.#looks = new OneAtATime((error) => ports.report("rules could not be looked at", error));
  }

  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void {
    if (this.#looks.isStopped) return;
    const servers = this.#ruledServers(look.source);
    if (servers.length === 0) {
      this.#sightings.delete(look.source);
      return;
    }
    const needsVehicles = servers.some((server) => this.#needsVehicles(server));
    if (needsVehicles && look.lists.vehicles === undefined) return;
    this.sightingsOf(look.source).take(look.lists, lookTimes(look, this.#ports.clock));
    for (const server of servers) {
      const key = `${server.guildId}:${server.bindingId}`;
      this.#looks.begin(key, () => this.#look(server, look.source));
    }
  }

  sightingsOf(source: SourceId): Sightings {
    const found = this.#sightings.get(source) ?? new Sightings();
    this.#sightings.set(source, found);
    return found;
  }

  /** The rules of a server have changed. */
  demand({ guildId, bindingId }: RuledServer): void {
    const { bindings, book, demands } = this.#ports;
    const source = bindings.linkedOf(guildId).find(({ id }) => id === bindingId)?.source;
    const isWanted = book.rulesOf({ guildId, bindingId }).length > 0 && book.of(guildId).pause === undefined;
    const lists = this.listsOf({ guildId, bindingId });
    demands.put(
      `rules:${guildId}:${bindingId}`,
      source !== undefined && isWanted ? [{ source, lists, guildId }] : [],
    );
  }

  listsOf(server: RuledServer) {
    const lists = ["players", "queue", "joinLogs", "killLogs"] as const;
    return this.#needsVehicles(server) ? ([...lists, "vehicles"] as const) : lists;
  }

  /** How long until staff are told of this player's next breach, before which nothing else is done; undefined: nothing waits. */
  waitsMs(rule: Rule, playerId: number): number | undefined {
    const { book, clock } = this.#ports;
    const isTold = book
      .open(rule)
      .some((one) => one.ruleId === rule.id && one.playerId === playerId && one.isTold === true);
    const toldMs = this.#toldAtMs.get(toldKey(rule, playerId)) ?? Number.NEGATIVE_INFINITY;
    const leftMs = toldMs + TOLD_AGAIN_MS - clock.monotonicMs();
    return isTold || leftMs <= 0 ? undefined : leftMs;
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    await this.#looks.stop();
  }

  #ruledServers(source: SourceId): readonly RuledServer[] {
    const { bindings, book, isOurs } = this.#ports;
    return bindings.guildsOf(source).flatMap((guildId) => {
      if (!isOurs(guildId) || book.of(guildId).pause !== undefined) return [];
      return bindings
        .linkedOf(guildId)
        .filter((server) => server.source === source)
        .map(({ id: bindingId }) => ({ guildId, bindingId }))
        .filter((server) => book.rulesOf(server).length > 0);
    });
  }

  #needsVehicles(server: RuledServer): boolean {
    return this.#ports.book.rulesOf(server).some(({ kind }) => kind === "vehicle");
  }

  async #look(server: RuledServer, source: SourceId): Promise<void> {
    const { book, roles } = this.#ports;
    const { guildId } = server;
    const asked = await this.#candidates(server, source);
    const users = new Set(asked.flatMap(({ userId }) => userId ?? []));
    await roles.read(guildId, [...users], ROUND_MS);
    if (this.#looks.isStopped || book.of(guildId).pause !== undefined) return;

    // What was seen while roles were read counts.
    const now = (await this.#candidates(server, source)).map((one) => ({
      ...one,
      verdict: judge(this.#ports, one),
    }));
    await book.note(server, (open) => {
      const left = open.filter((one) => now.some((other) => isOf(one, other) && other.verdict !== "kept"));
      return left.length === open.length ? open : left;
    });
    for (const one of now) {
      if (one.verdict === "broken" && isBreachToTell(one.sighting)) await this.#onBreach(server, source, one);
    }
  }

  async #candidates(server: RuledServer, source: SourceId): Promise<readonly Candidate[]> {
    const { book, accounts } = this.#ports;
    const linked = await accounts.byPlayer(server.guildId);
    return candidates(book.rulesOf(server), this.sightingsOf(source).players, linked);
  }

  async #onBreach(server: RuledServer, source: SourceId, candidate: Candidate): Promise<void> {
    const { book, steps, random, report } = this.#ports;
    let open = book.open(server).find((one) => isOf(one, candidate));
    if (open === undefined) {
      const { rule, sighting } = candidate;
      const fresh = { id: random.id(), ruleId: rule.id, playerId: sighting.present.player.id };
      this.#own.add(fresh.id);
      await book.note(server, (all) => [...all, fresh]);
      open = fresh;
    }
    if (open.isTold !== true && !(await this.#tell(server, candidate, open))) return;
    const { rule, sighting } = candidate;
    const isOnlyTold =
      open.isStepped === true ||
      rule.kind === "name" ||
      !isBreachToAct(sighting) ||
      book.rulesOf(server).some((other) => contradicts(rule, other));
    if (isOnlyTold) return;
    const mayBeTaken = this.#ports.isStoreInDoubt && this.sightingsOf(source).isFromBefore(sighting);
    await steps
      .consider({ source, candidate, breachId: open.id, lists: this.listsOf(server), mayBeTaken })
      .catch((error: unknown) => report("the step of a rule could not be taken", error));
  }

  /** False: not told yet. */
  async #tell(server: RuledServer, candidate: Candidate, { id }: OpenBreach): Promise<boolean> {
    const { book, bindings, clock, owed, renderer } = this.#ports;
    const { rule, sighting, userId, vouchedBy } = candidate;
    const { player } = sighting.present;
    if (this.waitsMs(rule, player.id) !== undefined) return false;
    const binding = (await bindings.list(server.guildId)).find((one) => one.id === server.bindingId);
    if (binding === undefined) return false;

    const lastsMs = sighting.askedAtMs - sighting.sinceMs;
    const body = renderer.breach({
      rule,
      serverName: binding.name,
      player,
      userId,
      lastsMs,
      breachId: id,
      unconfirmedBy: unconfirmedBy(rule, vouchedBy),
    });
    const isOwed = await owed.owe({
      guildId: server.guildId,
      id: `rule:${id}`,
      ways: [{ to: "channel", channelId: rule.channelId }, { to: "notice-channel" }],
      body,
      marks: [id],
      isDoubtful: !this.#own.has(id),
    });
    // Where it is not stored, a later process tells it again: one message, by its id.
    if (!isOwed) return false;
    this.#toldAtMs.set(toldKey(rule, player.id), clock.monotonicMs());
    const event: RuleEvent = { atMs: clock.nowMs(), player, what: "told" };
    const told = (one: OpenBreach) => (one.id === id ? { ...one, isTold: true } : one);
    await book.note(server, (open) => open.map(told), [{ ruleId: rule.id, event }]);
    return true;
  }
}

function toldKey({ id }: Rule, playerId: number): string {
  return `${id}:${playerId}`;
}

function isOf({ ruleId, playerId }: OpenBreach, { rule, sighting }: Candidate): boolean {
  return ruleId === rule.id && playerId === sighting.present.player.id;
}
