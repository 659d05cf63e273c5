import type { PlayerRef, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { GameAccount, GameAccounts } from "../../domain/ports/game-accounts.ts";
import type { KnownRoles } from "../../domain/ports/known-roles.ts";
import type { Raised, RankMapping } from "../../domain/rank.ts";
import type { RuledServer } from "../rule-book.ts";
import type { ServerRanks } from "./rank-records.ts";
import { type PersonFacts, type RankVerdict, rankVerdict } from "./rank-verdict.ts";
import type { StaffList, StaffSightings } from "./staff-sightings.ts";
import type { StepTimes } from "./step-times.ts";
import { type RoleState, wantedRank } from "./wanted-rank.ts";

/** Roles this young are enough to plan by; right before a command leaves they are read anew. */
const PLANNED_BY_MS = 2 * 60_000;
/** What a list of staff that is believed for so long does not show never came. */
const LONG_MS = 5 * 60_000;

export interface RankFactsPorts {
  readonly accounts: Pick<GameAccounts, "byPlayer">;
  readonly roles: Pick<KnownRoles, "of">;
  readonly audit: Pick<AuditLog, "get">;
  readonly clock: Clock;
  readonly times: StepTimes;
  roleState(guildId: string, roleId: string): RoleState;
  sightingsOf(source: SourceId): StaffSightings;
}

export interface AskedRanks {
  readonly server: RuledServer;
  readonly source: SourceId;
  /** What is kept of the server, or would be. */
  readonly kept: Pick<ServerRanks, "raised" | "left">;
  readonly mappings: readonly Pick<RankMapping, "roleId" | "rank">[];
}

/** One player, and what is to be done about their rank. */
export interface JudgedRank {
  readonly player: Required<PlayerRef>;
  readonly link: GameAccount | undefined;
  readonly record: Raised | undefined;
  /** How old what is known of their roles is; undefined: nothing is. */
  readonly rolesAgeMs: number | undefined;
  /** Their ranks by the list of staff; undefined: it is not believed. */
  readonly held: PersonFacts["held"];
  readonly verdict: RankVerdict;
}

/** Brings together what is known of players and their ranks. Reads nothing from Discord or the game. */
export class RankFacts {
  readonly #ports: RankFactsPorts;

  constructor(ports: RankFactsPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store does. */
  async judge(asked: AskedRanks, players: readonly Required<PlayerRef>[]): Promise<readonly JudgedRank[]> {
    const { accounts } = this.#ports;
    const { guildId } = asked.server;
    const linked = await accounts.byPlayer(guildId);
    const judged: JudgedRank[] = [];
    for (const player of players) {
      const record = asked.kept.raised.find(({ playerId }) => playerId === player.id);
      judged.push(await this.judgeOne(asked, { player, record, link: linked.get(player.id) }));
    }
    return judged;
  }

  /** The same for one, as if this were the record of them. */
  async judgeOne(
    asked: AskedRanks,
    who: Pick<JudgedRank, "player" | "record" | "link">,
  ): Promise<JudgedRank> {
    const { clock } = this.#ports;
    const { guildId } = asked.server;
    const { link } = who;
    const roles = link && this.#ports.roles.of(guildId, link.userId);
    const rolesAgeMs = roles && clock.monotonicMs() - roles.readAtMs;
    const isYoung = rolesAgeMs !== undefined && rolesAgeMs <= PLANNED_BY_MS;
    const wanted = wantedRank({
      link,
      roleIds: isYoung ? roles?.roleIds : undefined,
      mappings: asked.mappings,
      roleState: (roleId) => this.#ports.roleState(guildId, roleId),
    });
    const facts = { ...(await this.#inGame(asked, who)), record: who.record, wanted };
    return { ...who, rolesAgeMs, held: facts.held, verdict: rankVerdict(facts) };
  }

  async #inGame(
    { server, source, kept }: AskedRanks,
    { player, record }: Pick<JudgedRank, "player" | "record">,
  ): Promise<Omit<PersonFacts, "record" | "wanted">> {
    const { times } = this.#ports;
    const sightings = this.#ports.sightingsOf(source);
    const sinceMs = record === undefined ? undefined : times.endedAtMs(server, record);
    const list = sightings.believed({ sinceMs, of: player.id });
    const { latest } = sightings;
    const row = latest?.players.find((one) => one.player.id === player.id);
    const isSince =
      latest?.staff !== undefined && latest.askedAtMs >= (sinceMs ?? 0) && latest.players.length > 0;
    return {
      held: list && (list.ranks.get(player.id) ?? new Set()),
      isListEmpty: record !== undefined && list?.sizes[record.rank] === 0,
      isOld: sightings.believed({ sinceMs, forMs: LONG_MS, of: player.id }) !== undefined,
      isShown: isSince && record !== undefined ? isListed(latest.staff, record) : undefined,
      isListWhole: isSince && record !== undefined && isWhole(latest.staff, record),
      run: await this.#runOf(server, record),
      isOwner: latest?.ownerIds.includes(player.id) === true || /owner/i.test(row?.permission ?? ""),
      hasPermission: row !== undefined && row.permission !== "" && row.permission !== "Normal",
      isLeft: kept.left.some(({ playerId }) => playerId === player.id),
    };
  }

  /** Where no answer came, the audit knows what the log has shown. */
  async #runOf({ guildId }: RuledServer, record: Raised | undefined): Promise<PersonFacts["run"]> {
    if (record === undefined || record.isSure === true || record.runId === undefined) return "unknown";
    if (record.state !== "raising" && record.state !== "taking") return "unknown";
    const row = await this.#ports.audit.get(guildId, record.runId);
    // Its row is written before anything is sent.
    if (row === undefined || row.ran === "no" || row.proof === "not-seen") return "not-seen";
    return row.ran === "yes" || row.proof === "seen" || row.proof === "seen-twice" ? "seen" : "unknown";
  }
}

function isWhole(staff: StaffList | undefined, { playerId, rank }: Raised): boolean {
  return staff !== undefined && (staff.sizes[rank] > 0 || (staff.ranks.get(playerId)?.size ?? 0) > 0);
}

function isListed(staff: StaffList | undefined, { playerId, rank }: Raised): boolean {
  return staff?.ranks.get(playerId)?.has(rank) === true;
}
