import { Failure } from "../../domain/failure.ts";
import type { PlayerRef, ServerState, SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { GameAccounts } from "../../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../../domain/ports/known-roles.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { Raised } from "../../domain/rank.ts";
import type { SendGuard } from "../../domain/run.ts";
import { freshLook, LOOK_GOOD_FOR_MS, READ_MAX_AGE_MS, ROLES_GOOD_FOR_MS } from "../fresh-look.ts";
import { whyNotById } from "../named-in-full.ts";
import type { RuledServer } from "../rule-book.ts";
import type { RankBook } from "./rank-book.ts";
import type { RankFacts } from "./rank-facts.ts";
import type { RankKeepings } from "./rank-keeping.ts";
import type { RankStep } from "./rank-limits.ts";
import { type StaffList, type StaffSightings, staffListOf } from "./staff-sightings.ts";

export interface RankGuardPorts {
  readonly book: Pick<RankBook, "of">;
  readonly facts: Pick<RankFacts, "judgeOne">;
  readonly keepings: Pick<RankKeepings, "take">;
  readonly snapshots: Pick<Snapshots, "fresh">;
  readonly roles: Pick<KnownRoles, "readOne">;
  readonly accounts: Pick<GameAccounts, "byPlayer">;
  readonly clock: Clock;
  sightingsOf(source: SourceId): StaffSightings;
  /** People of whom a name is known that begins so, whether they are there or not. Rejects where they cannot be read. */
  namesLike(guildId: string, beginning: string): Promise<readonly PlayerRef[]>;
  /** Names of those in the queue; undefined: of somebody no name is known. */
  namesOf(guildId: string, ids: readonly number[]): Promise<readonly PlayerRef[] | undefined>;
}

export interface SentRank {
  readonly server: RuledServer;
  readonly source: SourceId;
  readonly step: RankStep;
  readonly player: Required<PlayerRef>;
  readonly runId: string;
  /** The record as it was before this step was stored. */
  readonly before: Raised | undefined;
}

const LISTS = ["players", "staff", "queue"] as const;

/** Looks once more right before a rank is given or taken: it must still be wanted, still be so, and mean nobody else. */
export class RankGuard implements SendGuard {
  readonly #ports: RankGuardPorts;
  readonly #sent: SentRank;
  #goodUntilMs = Number.NEGATIVE_INFINITY;
  #staff: StaffList | undefined;

  constructor(ports: RankGuardPorts, sent: SentRank) {
    this.#ports = ports;
    this.#sent = sent;
  }

  async check(): Promise<void> {
    const { clock, keepings } = this.#ports;
    const { server, source } = this.#sent;
    const refuse = (why: string) => new Failure("expired", why, { ran: "no" });
    if (!this.#isWantedStill()) throw refuse("Ranks were changed or paused.");
    if (!(await keepings.take(source, server)))
      throw refuse("Another community keeps the ranks of this server.");

    const lookedAtMs = clock.monotonicMs();
    const wallMs = clock.nowMs();
    const state = await freshLook(this.#ports, { source, lists: LISTS, guildId: server.guildId });
    const why = this.#whyNotBelieved(state, wallMs) ?? (await this.#whyNotAlone(state));
    if (why !== undefined) throw refuse(why);
    const rolesReadAtMs = await this.#rolesReadAtMs();
    if (rolesReadAtMs === undefined) throw refuse("Marshal could not read the roles.");
    if (!(await this.#isStillSo())) throw refuse("That has changed since.");
    this.#goodUntilMs = Math.min(
      lookedAtMs - READ_MAX_AGE_MS + LOOK_GOOD_FOR_MS,
      rolesReadAtMs + ROLES_GOOD_FOR_MS,
    );
  }

  /** At the first byte. */
  isWanted(): boolean {
    const { clock } = this.#ports;
    const { player, source } = this.#sent;
    const sightings = this.#ports.sightingsOf(source);
    const { latest } = sightings;
    const present = latest?.players.map((one) => one.player) ?? [];
    return (
      clock.monotonicMs() <= this.#goodUntilMs &&
      this.#isWantedStill() &&
      this.#staff !== undefined &&
      sightings.agrees(this.#staff, player.id) &&
      whyNotById(player.id, present) === undefined
    );
  }

  #isWantedStill(): boolean {
    const { server, player, runId } = this.#sent;
    const kept = this.#ports.book.of(server);
    const record = kept?.raised.find(({ playerId }) => playerId === player.id);
    if (kept === undefined || record?.runId !== runId || kept.keeper === undefined) return false;
    return kept.pause === undefined || record.isConfirmed === true;
  }

  /** What this answer shows has to be what the others have shown; whether those are believed the verdict says. */
  #whyNotBelieved({ lists }: ServerState, wallMs: number): string | undefined {
    const { staff, players } = lists;
    const isYoung = (atMs: number | undefined) => atMs !== undefined && wallMs - atMs <= READ_MAX_AGE_MS;
    if (!isYoung(staff?.atMs) || !isYoung(players?.atMs)) return "The server did not show its staff.";
    if (players?.value.length === 0) return "Nobody is in the server.";
    const sightings = this.#ports.sightingsOf(this.#sent.source);
    const shown = staff && staffListOf(staff.value);
    if (shown === undefined || !sightings.agrees(shown, this.#sent.player.id))
      return "The list of staff changed just now.";
    this.#staff = shown;
    return undefined;
  }

  /** A name of digits reads as somebody's id. */
  async #whyNotAlone({ lists }: ServerState): Promise<string | undefined> {
    const { server, source, player, step } = this.#sent;
    const { guildId } = server;
    const queued = await this.#ports.namesOf(guildId, lists.queue?.value ?? []);
    // Who loses a rank must not keep it because strangers wait; whoever could be meant instead is staff, and so known.
    if (queued === undefined && step.kind === "raise") return "Somebody unknown waits in the queue.";
    const linked = [...(await this.#ports.accounts.byPlayer(guildId)).values()].map((one) => one.player);
    const seen = await this.#ports.namesLike(guildId, String(player.id));
    const staff = this.#ports.sightingsOf(source).latest?.staff?.names ?? [];
    const present = (lists.players?.value ?? []).map((one) => one.player);
    return whyNotById(player.id, [...present, ...(queued ?? []), ...linked, ...seen, ...staff]);
  }

  /** Of whoever is linked to the player now; where nobody is, now. */
  async #rolesReadAtMs(): Promise<number | undefined> {
    const { roles, accounts, clock } = this.#ports;
    const { server, player } = this.#sent;
    const link = (await accounts.byPlayer(server.guildId)).get(player.id);
    if (link === undefined) return clock.monotonicMs();
    return (await roles.readOne(server.guildId, link.userId, READ_MAX_AGE_MS))?.readAtMs;
  }

  async #isStillSo(): Promise<boolean> {
    const { server, source, player, step, before: record } = this.#sent;
    const kept = this.#ports.book.of(server);
    if (kept === undefined) return false;
    const mappings = kept.mappings.filter(({ isOn }) => isOn);
    const link = (await this.#ports.accounts.byPlayer(server.guildId)).get(player.id);
    const asked = { server, source, kept, mappings };
    const { verdict } = await this.#ports.facts.judgeOne(asked, { player, record, link });
    return verdict.kind === step.kind && "rank" in verdict && verdict.rank === step.rank;
  }
}
