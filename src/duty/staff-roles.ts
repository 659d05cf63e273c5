import type { Clock } from "../domain/ports/clock.ts";
import type { Members } from "../domain/ports/members.ts";

/** Roles are as old as this at most where something is told of them. */
const MAX_AGE_MS = 10 * 60_000;
const MOST_REMEMBERED = 20_000;
/** Members whose roles are read at the same time. */
const AT_ONCE = 8;

/** The roles of staff, read where they are needed: nobody tells Marshal when they change. */
export class StaffRoles {
  readonly #members: Members;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly roleIds: readonly string[]; readonly atMs: number }>();

  constructor(members: Members, clock: Clock) {
    this.#members = members;
    this.#clock = clock;
  }

  /** By member. Rejects with a Failure where Discord cannot be asked. */
  async of(guildId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    for (let at = 0; at < userIds.length; at += AT_ONCE) {
      const some = userIds.slice(at, at + AT_ONCE);
      const roles = await Promise.all(some.map((userId) => this.#one(guildId, userId)));
      for (const [nth, userId] of some.entries()) found.set(userId, roles[nth] ?? []);
    }
    return found;
  }

  async #one(guildId: string, userId: string): Promise<readonly string[]> {
    const key = `${guildId} ${userId}`;
    const known = this.#known.get(key);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && nowMs - known.atMs <= MAX_AGE_MS) return known.roleIds;
    const { roleIds } = await this.#members.now(guildId, userId);
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(key, { roleIds, atMs: nowMs });
    return roleIds;
  }
}
