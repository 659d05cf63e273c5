import type { PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { KnownRoles } from "../../domain/ports/known-roles.ts";
import type { RankRenderer } from "../../domain/ports/rank-renderer.ts";
import { highestRank } from "../../domain/rank.ts";
import { OneAtATime } from "../one-at-a-time.ts";
import type { RuledServer } from "../rule-book.ts";
import { lookTimes } from "../sightings.ts";
import { settled } from "./rank-changes.ts";
import type { JudgedRank, RankFacts } from "./rank-facts.ts";
import { isAllPaused, pauseRanks, serverNameOf } from "./rank-pause.ts";
import type { ServerRanks } from "./rank-records.ts";
import type { RankSteps, RankStepsPorts } from "./rank-steps.ts";
import { type NextTurn, RankTurns } from "./rank-turns.ts";
import { StaffSightings } from "./staff-sightings.ts";
import type { RoleState } from "./wanted-rank.ts";

type Shared = Pick<RankStepsPorts, "book" | "accounts" | "clock" | "notifier" | "times" | "settings">;

export interface RankWatchPorts extends Shared {
  readonly steps: Pick<RankSteps, "take">;
  readonly facts: Pick<RankFacts, "judge">;
  readonly roles: Pick<KnownRoles, "read">;
  readonly bindings: Pick<Bindings, "linkedOf" | "guildsOf" | "list">;
  readonly demands: Demands;
  readonly renderer: RankRenderer;
  isOurs(guildId: string): boolean;
  roleState(guildId: string, roleId: string): RoleState;
  /** Nothing is kept of that server any more. */
  onNothingLeft(server: RuledServer): Promise<void>;
  report(what: string, error: unknown): void;
}

/** Roles of those who play or whom Marshal raised are read anew after so long. */
const ROUND_MS = 60_000;
/** A plan that somebody asked for needs the list of staff for a while. */
const ASKED_MS = 10 * 60_000;
/** A rank that should be gone and is still there after so long is told of. */
const STUCK_MS = 10 * 60_000;
const LISTS = ["players", "staff", "queue"] as const;
const PAUSE_WORDS: Readonly<Record<Extract<NextTurn, { kind: "pause" }>["why"], string>> = {
  "too-many": "A fourth rank within ten minutes was to be taken back.",
  flips: "The rank of one person was to change twice within a day.",
  "no-effect": "It was sent three times, and the game's list of staff does not show it.",
};

/** Finds out from each answer whose rank does not fit their roles, and has it put right, one step at a time. */
export class RankWatch {
  readonly #ports: RankWatchPorts;
  readonly #sightings = new Map<SourceId, StaffSightings>();
  readonly #looks: OneAtATime;
  readonly #turns: RankTurns;
  /** By server and player: since when their rank should be gone, by the monotonic clock; told: people know. */
  readonly #stuck = new Map<string, { readonly sinceMs: number; isTold: boolean }>();
  readonly #again = new Map<string, () => void>();

  constructor(ports: RankWatchPorts) {
    this.#ports = ports;
    this.#turns = new RankTurns(ports.clock);
    this.#looks = new OneAtATime((error) => ports.report("ranks could not be looked at", error));
  }

  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void {
    const { bindings, book, isOurs, clock } = this.#ports;
    if (this.#looks.isStopped) return;
    const servers = bindings
      .guildsOf(look.source)
      .filter((guildId) => isOurs(guildId))
      .flatMap((guildId) => book.ofGuild(guildId))
      .filter((server) => this.sourceOf(server) === look.source);
    if (servers.length === 0) {
      this.#sightings.delete(look.source);
      return;
    }
    this.sightingsOf(look.source).take(look, lookTimes(look, clock));
    for (const server of servers) this.begin(server);
  }

  sightingsOf(source: SourceId): StaffSightings {
    const found = this.#sightings.get(source) ?? new StaffSightings();
    this.#sightings.set(source, found);
    return found;
  }

  sourceOf({ guildId, bindingId }: RuledServer): SourceId | undefined {
    return this.#ports.bindings.linkedOf(guildId).find(({ id }) => id === bindingId)?.source;
  }

  /** What is kept of a server has changed. `isAsked`: somebody waits for a plan. */
  demand(server: RuledServer, { isAsked = false } = {}): void {
    const { book, demands, clock } = this.#ports;
    const { guildId, bindingId } = server;
    const source = this.sourceOf(server);
    const kept = book.of(server);
    const isOn = kept?.keeper !== undefined && (kept.pause === undefined || kept.raised.length > 0);
    const until = isOn ? {} : { untilMs: clock.nowMs() + ASKED_MS };
    const isWanted = source !== undefined && (isOn || isAsked);
    demands.put(
      `ranks:${guildId}:${bindingId}`,
      isWanted ? [{ source, lists: LISTS, guildId, ...until }] : [],
    );
  }

  /** Looks at once, and not only with the next answer. */
  begin(server: RuledServer): void {
    const key = keyOf(server);
    this.#looks.begin(key, () => this.#look(server));
  }

  /** Waits for what is being written. */
  async stop(): Promise<void> {
    for (const cancel of this.#again.values()) cancel();
    await this.#looks.stop();
  }

  /** Whoever plays and is linked, and whoever stands in a record. */
  async people(
    { guildId }: RuledServer,
    kept: ServerRanks,
    source: SourceId,
  ): Promise<readonly Required<PlayerRef>[]> {
    const linked = await this.#ports.accounts.byPlayer(guildId);
    const people = new Map(kept.raised.map(({ playerId: id, name }) => [id, { id, name }]));
    for (const { player } of this.sightingsOf(source).latest?.players ?? []) {
      const { id, name } = player;
      if (id !== undefined && linked.has(id)) people.set(id, { id, name });
    }
    return [...people.values()];
  }

  /** Reads the roles of the members behind these players, unless they were read so lately. */
  async readRoles(
    { guildId }: RuledServer,
    people: readonly Required<PlayerRef>[],
    maxAgeMs = ROUND_MS,
  ): Promise<void> {
    const linked = await this.#ports.accounts.byPlayer(guildId);
    const users = new Set(people.flatMap(({ id }) => linked.get(id)?.userId ?? []));
    await this.#ports.roles.read(guildId, [...users], maxAgeMs);
  }

  async #look(server: RuledServer): Promise<void> {
    this.#again.get(keyOf(server))?.();
    for (;;) {
      const turn = await this.#nextTurn(server);
      if (turn === undefined || this.#looks.isStopped) return;
      switch (turn.kind) {
        case "step":
          await this.#step(server, turn);
          break;
        case "pause":
          await this.#pause(server, turn);
          break;
        case "rest":
          if (turn.inMs !== undefined) this.#lookAgain(server, turn.inMs);
          return;
        default:
          turn satisfies never;
      }
    }
  }

  /** Undefined: nothing is to be done on this server. */
  async #nextTurn(server: RuledServer): Promise<NextTurn | undefined> {
    const { book, facts, settings } = this.#ports;
    const source = this.sourceOf(server);
    const kept = book.of(server);
    if (source === undefined || kept?.keeper === undefined) return undefined;
    const isPaused = (await settings.of(server.guildId)).automaticPause !== undefined || isAllPaused(kept);
    const isEmpty = this.sightingsOf(source).latest?.players.length === 0;
    const rests = isPaused || isEmpty || (await this.#hasLostRole(kept));

    const people = await this.people(server, kept, source);
    if (!rests) await this.readRoles(server, people);
    const asked = { server, source, kept, mappings: kept.mappings.filter(({ isOn }) => isOn) };
    const judged = await facts.judge(asked, people);
    // Also while nothing is sent it is noticed whose rank somebody else changed.
    const now = await this.#settle(server, judged, rests);
    return rests || now === undefined ? undefined : this.#turns.next(server, now, judged);
  }

  /** What answers have shown of earlier steps. */
  async #settle(
    server: RuledServer,
    judged: readonly JudgedRank[],
    rests: boolean,
  ): Promise<ServerRanks | undefined> {
    const { book, clock, times } = this.#ports;
    const after = await book.change(server, (before) => settled(before, judged, clock.nowMs()));
    this.#turns.onSettled(server, judged);
    for (const one of judged) {
      if (one.record === undefined) continue;
      if (one.verdict.kind === "left") await this.#tellLeft(server, one);
      if (after?.raised.every(({ playerId }) => playerId !== one.player.id) !== false)
        times.forget(server, one.player.id);
      const isTried = !rests && (after?.pause === undefined || one.record.isConfirmed === true);
      await this.#watchStuck(server, one, isTried);
    }
    if (after === undefined) await this.#ports.onNothingLeft(server);
    return after;
  }

  async #step(server: RuledServer, { step, of }: Extract<NextTurn, { kind: "step" }>): Promise<void> {
    const source = this.sourceOf(server);
    if (source === undefined) return;
    const { player, record: before } = of;
    let wasSent = false;
    try {
      wasSent = await this.#ports.steps.take({ server, source, step, player, before });
    } finally {
      this.#turns.onTried(server, of, wasSent);
    }
  }

  async #pause(server: RuledServer, { why, of }: Extract<NextTurn, { kind: "pause" }>): Promise<void> {
    await pauseRanks(this.#ports, server, `${PAUSE_WORDS[why]} Next was ${of.player.name}.`);
    // Who confirms it anew has seen that, and it is tried as often again.
    this.#turns.forget(server, of);
    this.demand(server);
  }

  async #hasLostRole(kept: ServerRanks): Promise<boolean> {
    const { roleState } = this.#ports;
    const isLost = kept.mappings.some(
      ({ roleId, isOn }) => isOn && roleState(kept.guildId, roleId) === "deleted",
    );
    if (!isLost) return false;
    // What was confirmed in that pause goes on: it takes back what the role gave.
    if (kept.pause === undefined)
      await pauseRanks(
        this.#ports,
        kept,
        "A role was deleted. /rank check offers to take back what it gave.",
      );
    return isAllPaused(this.#ports.book.of(kept) ?? kept);
  }

  async #tellLeft(server: RuledServer, { player, record, held }: JudgedRank): Promise<void> {
    if (record === undefined) return;
    const { notifier, renderer, book } = this.#ports;
    const name = await serverNameOf(this.#ports, server);
    const body = renderer.left(name, { player, rank: record.rank }, highestRank(held ?? []));
    await notifier.guild(server.guildId, body, book.of(server)?.keeper?.byId);
  }

  /** Told once, while it is tried, somebody is in the server and it still does not work. */
  async #watchStuck(
    server: RuledServer,
    { player, record, verdict }: JudgedRank,
    isTried: boolean,
  ): Promise<void> {
    const { clock, notifier, renderer, book } = this.#ports;
    const key = `${keyOf(server)}:${player.id}`;
    if (!isTried || verdict.kind !== "take" || record === undefined) {
      this.#stuck.delete(key);
      return;
    }
    const stuck = this.#stuck.get(key) ?? { sinceMs: clock.monotonicMs(), isTold: false };
    this.#stuck.set(key, stuck);
    if (stuck.isTold || clock.monotonicMs() - stuck.sinceMs < STUCK_MS) return;
    stuck.isTold = true;
    const kept = book.of(server);
    const why = kept?.events.findLast((one) => one.player.id === player.id && one.what === "dropped")?.why;
    const name = await serverNameOf(this.#ports, server);
    const body = renderer.stuck(name, { player, rank: record.rank }, why);
    await notifier.guild(server.guildId, body, kept?.keeper?.byId);
  }

  #lookAgain(server: RuledServer, inMs: number): void {
    const key = keyOf(server);
    const cancel = this.#ports.clock.after(inMs, () => this.begin(server));
    this.#again.set(key, () => {
      this.#again.delete(key);
      cancel();
    });
  }
}

function keyOf({ guildId, bindingId }: RuledServer): string {
  return `${guildId}:${bindingId}`;
}
