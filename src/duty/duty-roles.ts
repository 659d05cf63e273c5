import type { Actor } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { DutyRow, DutyStore } from "../domain/ports/duty-store.ts";
import type { GrantableRoles, MemberRole, MemberRoles, RoleOutcome } from "../domain/ports/member-roles.ts";

export interface DutyRolesPorts {
  readonly store: DutyStore;
  readonly roles: MemberRoles;
  readonly grantable: GrantableRoles;
  readonly clock: Clock;
  /** A role could not be given; told once, until it works again. */
  onRefused(guildId: string, roleId: string): void;
  report(what: string, error: unknown): void;
}

/**
 * giving: it may have been given, or taken back. given: it was given. own: they had it before, so it is not ours to
 * take. refused: Discord does not let us.
 */
type Held = "giving" | "given" | "own" | "refused";

/** Refused roles are tried again so much later. */
const REFUSED_AGAIN_MS = 300_000;
/** What could not be brought about is tried again, also where no look has shifts worked out any more. */
const AGAIN_MS = 60_000;

/** Roles of members while they are on duty: written before they are given, so that a kill leaves none over. */
export class DutyRoles {
  readonly #ports: DutyRolesPorts;
  readonly #mutex = new KeyedMutex();
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  /** What this process gave, by guild: the process before may have dropped its row afterwards, or taken it for their own. */
  readonly #gave = new Map<string, Set<string>>();
  readonly #tried = new Map<string, number>();
  /** Roles of which a guild was told that they can't be given, until one is. */
  readonly #told = new Set<string>();
  /** What stops the next try, by guild. */
  readonly #again = new Map<string, () => void>();
  readonly #beganMs = new Map<string, number>();
  /** Roles that their members were seen without, by guild. */
  readonly #missing = new Map<string, Set<string>>();
  #isStopped = false;

  constructor(ports: DutyRolesPorts) {
    this.#ports = ports;
  }

  /** Who is to have which roles in a guild from now on. Never rejects; what fails is tried again. */
  async want(guildId: string, wanted: readonly Pick<MemberRole, "userId" | "roleId">[]): Promise<void> {
    this.#wanted.set(guildId, new Set(wanted.map(keyOf)));
    await this.#try(guildId);
  }

  /**
   * Somebody was seen with these roles. Who left Discord's server and came back has lost the one that they are on duty
   * with, and nobody tells Marshal of it: it is given again. Never rejects.
   */
  async onSeen({ guildId, userId, roleIds }: Pick<Actor, "guildId" | "userId" | "roleIds">): Promise<void> {
    const wanted = [...(this.#wanted.get(guildId) ?? [])].map((key) => roleIn(guildId, key));
    const lost = wanted.filter((role) => role.userId === userId && !roleIds.includes(role.roleId));
    if (lost.length === 0) return;
    this.#missing.set(guildId, new Set([...(this.#missing.get(guildId) ?? []), ...lost.map(keyOf)]));
    await this.#try(guildId);
  }

  /** Resolves when what was begun is done. */
  idle(): Promise<void> {
    return this.#mutex.idle();
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#again.values()) cancel();
  }

  async #try(guildId: string): Promise<void> {
    let isDone = false;
    try {
      isDone = await this.#mutex.take(guildId, () => this.#bring(guildId));
    } catch (error) {
      this.#ports.report("roles of people on duty could not be changed", error);
    }
    this.#again.get(guildId)?.();
    const again = () => void this.#try(guildId);
    const isOver = isDone || this.#isStopped;
    this.#again.set(guildId, isOver ? () => undefined : this.#ports.clock.after(AGAIN_MS, again));
  }

  /** Brings what is given to what is wanted last. False: there is more to do. */
  async #bring(guildId: string): Promise<boolean> {
    const rows = await this.#ports.store.rows({ guildId, kinds: ["role"] });
    const held = new Map(rows.map((row) => [row.id, heldIn(row)]));
    for (const key of this.#gave.get(guildId) ?? [])
      if (held.get(key) === undefined || held.get(key) === "own") held.set(key, "giving");
    for (const key of this.#wanted.get(guildId) ?? []) {
      const isMissing = this.#missing.get(guildId)?.delete(key) === true;
      const known = held.get(key);
      // From now on it is ours to take, also where they had it before they left.
      const state = isMissing && (known === "given" || known === "own") ? "giving" : known;
      if (state === "given" || state === "own") continue;
      if (state !== undefined && !this.#isDue(guildId, key)) continue;
      await this.#give(roleIn(guildId, key), state);
    }
    let isDone = !this.#isYoung(guildId);
    for (const [key, state] of held) {
      if (this.#wanted.get(guildId)?.has(key) === true) continue;
      isDone = (await this.#giveBack(roleIn(guildId, key), state)) && isDone;
    }
    return isDone;
  }

  async #give(role: MemberRole, state: Held | undefined): Promise<void> {
    const { roles, grantable } = this.#ports;
    const bar = grantable.roleBar(role.guildId, role.roleId);
    if (bar === "unknown") return;
    if (bar !== undefined) return await this.#refuse(role, state);
    if (state === undefined && (await roles.has(role))) return await this.#note(role, "own");
    await this.#note(role, "giving");
    const gave = this.#gave.get(role.guildId) ?? new Set();
    this.#gave.set(role.guildId, gave.add(keyOf(role)));
    const outcome = await roles.give(role);
    if (outcome === "refused") await this.#refuse(role, state);
    else if (outcome === "gone") {
      gave.delete(keyOf(role));
      await this.#note(role, "own");
    } else {
      this.#told.delete(`${role.guildId} ${role.roleId}`);
      await this.#note(role, this.#isYoung(role.guildId) ? "giving" : "given");
    }
  }

  async #giveBack(role: MemberRole, state: Held): Promise<boolean> {
    let outcome: RoleOutcome = "done";
    if (state === "given" || state === "giving") {
      if (!this.#isDue(role.guildId, `back ${keyOf(role)}`)) return false;
      if (state === "given") await this.#note(role, "giving");
      outcome = await this.#ports.roles.take(role);
    }
    if (outcome === "refused") {
      this.#tried.set(`${role.guildId} back ${keyOf(role)}`, this.#ports.clock.monotonicMs());
      this.#tell(role);
      return false;
    }
    const { guildId } = role;
    if (this.#isYoung(guildId)) return false;
    this.#gave.get(guildId)?.delete(keyOf(role));
    await this.#ports.store.write({ drop: [{ guildId, kind: "role", id: keyOf(role) }] });
    return true;
  }

  /** `before`: where it may have been given already, it stays ours to take. */
  async #refuse(role: MemberRole, before: Held | undefined): Promise<void> {
    this.#tried.set(`${role.guildId} ${keyOf(role)}`, this.#ports.clock.monotonicMs());
    await this.#note(role, before === "giving" ? "giving" : "refused");
    this.#tell(role);
  }

  #tell({ guildId, roleId }: MemberRole): void {
    const key = `${guildId} ${roleId}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#ports.onRefused(guildId, roleId);
  }

  /** The process before may still have a change of a role on its way, so all is done again after a while. */
  #isYoung(guildId: string): boolean {
    const nowMs = this.#ports.clock.monotonicMs();
    const beganMs = this.#beganMs.get(guildId) ?? nowMs;
    this.#beganMs.set(guildId, beganMs);
    return nowMs - beganMs < AGAIN_MS;
  }

  #isDue(guildId: string, key: string): boolean {
    const triedMs = this.#tried.get(`${guildId} ${key}`) ?? Number.NEGATIVE_INFINITY;
    return this.#ports.clock.monotonicMs() - triedMs >= REFUSED_AGAIN_MS;
  }

  async #note(role: MemberRole, state: Held): Promise<void> {
    const { guildId, userId } = role;
    const fromS = Math.floor(this.#ports.clock.nowMs() / 1_000);
    const body = JSON.stringify({ state });
    const row: DutyRow = { guildId, kind: "role", id: keyOf(role), userId, playerId: 0, fromS, body };
    await this.#ports.store.write({ put: [row] });
  }
}

function keyOf({ userId, roleId }: Pick<MemberRole, "userId" | "roleId">): string {
  return `${userId} ${roleId}`;
}

function roleIn(guildId: string, key: string): MemberRole {
  const [userId = "", roleId = ""] = key.split(" ");
  return { guildId, userId, roleId };
}

const STATES: readonly Held[] = ["giving", "given", "own", "refused"];

function heldIn(row: DutyRow): Held {
  const { state } = JSON.parse(row.body) as { readonly state?: unknown };
  return STATES.find((known) => known === state) ?? "giving";
}
