import { AuditLogEvent, type GuildAuditLogsEntry } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { HeldRoles, KnownRoles } from "../../domain/ports/known-roles.ts";
import type { Members } from "../../domain/ports/members.ts";
import { type MemberRequests, MOST_IDS } from "./member-requests.ts";

/** What nobody asked for so long is forgotten. */
const KEPT_MS = 30 * 60_000;

/** A change of a member's roles that Discord told of by itself. */
export interface ToldRoles {
  readonly guildId: string;
  readonly userId: string;
  readonly given: readonly string[];
  readonly taken: readonly string[];
}

/** Undefined: the entry of the audit log says nothing of roles. */
export function toldRoles(guildId: string, entry: GuildAuditLogsEntry): ToldRoles | undefined {
  if (entry.action !== AuditLogEvent.MemberRoleUpdate || entry.targetId === null) return undefined;
  const idsOf = (key: "$add" | "$remove") =>
    entry.changes.flatMap((change) =>
      change.key === key ? (change.new ?? []).map(({ id }: { readonly id: string }) => id) : [],
    );
  return { guildId, userId: entry.targetId, given: idsOf("$add"), taken: idsOf("$remove") };
}

export interface KnownRolesPorts {
  readonly requests: Pick<MemberRequests, "ask">;
  /** Reads over REST, each in its turn, at most four a second. */
  readonly members: Members;
  readonly clock: Clock;
}

interface Entry extends HeldRoles {
  usedAtMs: number;
}

/** Keeps what was read of members whom somebody asks about, and what Discord told of them since. */
export class RoleBook implements KnownRoles {
  readonly #ports: KnownRolesPorts;
  readonly #known = new Map<string, Entry>();
  #sweptAtMs = 0;

  constructor(ports: KnownRolesPorts) {
    this.#ports = ports;
  }

  of(guildId: string, userId: string): HeldRoles | undefined {
    return this.#known.get(keyOf(guildId, userId));
  }

  async read(
    guildId: string,
    userIds: readonly string[],
    maxAgeMs: number,
  ): Promise<ReadonlyMap<string, HeldRoles>> {
    this.#sweep();
    const missing = userIds.filter((userId) => this.#young(guildId, userId, maxAgeMs) === undefined);
    for (let from = 0; from < missing.length; from += MOST_IDS) {
      await this.#readSome(guildId, missing.slice(from, from + MOST_IDS), maxAgeMs);
    }
    const found = userIds.flatMap((userId) => {
      const held = this.#young(guildId, userId, maxAgeMs);
      return held === undefined ? [] : [[userId, held] as const];
    });
    return new Map(found);
  }

  async readOne(guildId: string, userId: string, maxAgeMs: number): Promise<HeldRoles | undefined> {
    const young = this.#young(guildId, userId, maxAgeMs);
    if (young !== undefined) return young;
    const readAtMs = this.#ports.clock.monotonicMs();
    try {
      const { roleIds } = await this.#ports.members.now(guildId, userId);
      // It waited for its turn, so the answer is younger than that.
      this.#note(guildId, userId, { roleIds, readAtMs });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    return this.#young(guildId, userId, maxAgeMs);
  }

  /** An interaction of theirs says which roles they have. */
  onSeen(guildId: string, userId: string, roleIds: readonly string[]): void {
    if (!this.#known.has(keyOf(guildId, userId))) return;
    this.#note(guildId, userId, { roleIds, readAtMs: this.#ports.clock.monotonicMs() });
  }

  /** The age stays: what else changed meanwhile is not known. */
  onTold({ guildId, userId, given, taken }: ToldRoles): void {
    const held = this.#known.get(keyOf(guildId, userId));
    if (held === undefined) return;
    const roleIds = [...new Set([...held.roleIds, ...given])].filter((id) => !taken.includes(id));
    this.#note(guildId, userId, { roleIds, readAtMs: held.readAtMs });
  }

  async #readSome(guildId: string, userIds: readonly string[], maxAgeMs: number): Promise<void> {
    const found = await this.#ports.requests.ask(guildId, userIds);
    if (found !== undefined) {
      const { roles, readAtMs } = found;
      for (const [userId, roleIds] of roles) this.#note(guildId, userId, { roleIds, readAtMs });
      return;
    }
    for (const userId of userIds) await this.readOne(guildId, userId, maxAgeMs);
  }

  #young(guildId: string, userId: string, maxAgeMs: number): HeldRoles | undefined {
    const held = this.#known.get(keyOf(guildId, userId));
    const nowMs = this.#ports.clock.monotonicMs();
    if (held !== undefined) held.usedAtMs = nowMs;
    return held !== undefined && nowMs - held.readAtMs <= maxAgeMs ? held : undefined;
  }

  /** An answer that was asked for before another one is older, whenever it comes. */
  #note(guildId: string, userId: string, held: HeldRoles): void {
    const key = keyOf(guildId, userId);
    if ((this.#known.get(key)?.readAtMs ?? Number.NEGATIVE_INFINITY) > held.readAtMs) return;
    this.#known.set(key, { ...held, usedAtMs: this.#ports.clock.monotonicMs() });
  }

  #sweep(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    if (nowMs - this.#sweptAtMs < KEPT_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [key, { usedAtMs }] of this.#known) if (nowMs - usedAtMs > KEPT_MS) this.#known.delete(key);
  }
}

function keyOf(guildId: string, userId: string): string {
  return `${guildId}:${userId}`;
}
