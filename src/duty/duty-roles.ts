import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { DutyRow, DutyStore } from "../domain/ports/duty-store.ts";
import type { GrantableRoles, MemberRole, MemberRoles, RoleOutcome } from "../domain/ports/member-roles.ts";

export interface DutyRolesPorts {
  readonly store: DutyStore;
  readonly roles: MemberRoles;
  readonly grantable: GrantableRoles;
  nowS(): number;
  /** A role could not be given; told once, until it works again. */
  onRefused(guildId: string, roleId: string): void;
  report(what: string, error: unknown): void;
}

/**
 * giving: it may have been given. given: it was. own: they had it before, so it is not ours to take. refused: Discord does
 * not let us.
 */
type Held = "giving" | "given" | "own" | "refused";

/** Refused roles are tried again so much later. */
const AGAIN_S = 300;

/** Roles of members while they are on duty: written before they are given, so that a kill leaves none over. */
export class DutyRoles {
  readonly #ports: DutyRolesPorts;
  readonly #mutex = new KeyedMutex();
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  readonly #tried = new Map<string, number>();

  constructor(ports: DutyRolesPorts) {
    this.#ports = ports;
  }

  /** Who is to have which roles in a guild from now on. Never rejects; what fails comes again the next time. */
  async want(guildId: string, wanted: readonly Pick<MemberRole, "userId" | "roleId">[]): Promise<void> {
    this.#wanted.set(guildId, new Set(wanted.map(keyOf)));
    try {
      await this.#mutex.take(guildId, () => this.#bring(guildId));
    } catch (error) {
      this.#ports.report("roles of people on duty could not be changed", error);
    }
  }

  /** Brings what is given to what is wanted last. */
  async #bring(guildId: string): Promise<void> {
    const rows = await this.#ports.store.rows({ guildId, kinds: ["role"] });
    const held = new Map(rows.map((row) => [row.id, row]));
    for (const key of this.#wanted.get(guildId) ?? []) {
      const state = heldIn(held.get(key));
      if (state === "given" || state === "own") continue;
      if (state === "refused" && !this.#isDue(guildId, key)) continue;
      await this.#give(roleIn(guildId, key), state);
    }
    for (const row of rows) {
      if (this.#wanted.get(guildId)?.has(row.id) === true) continue;
      await this.#giveBack(roleIn(guildId, row.id), heldIn(row));
    }
  }

  async #give(role: MemberRole, state: Held | undefined): Promise<void> {
    const { roles, grantable } = this.#ports;
    const bar = grantable.roleBar(role.guildId, role.roleId);
    if (bar === "unknown") return;
    if (bar !== undefined) return await this.#refuse(role);
    if (state === undefined && (await roles.has(role))) return await this.#note(role, "own");
    await this.#note(role, "giving");
    const outcome = await roles.give(role);
    if (outcome === "refused") await this.#refuse(role);
    else await this.#note(role, outcome === "done" ? "given" : "own");
  }

  async #giveBack(role: MemberRole, state: Held | undefined): Promise<void> {
    let outcome: RoleOutcome = "done";
    if (state === "given" || state === "giving") {
      if (!this.#isDue(role.guildId, `back ${keyOf(role)}`)) return;
      outcome = await this.#ports.roles.take(role);
    }
    if (outcome === "refused") {
      this.#tried.set(`${role.guildId} back ${keyOf(role)}`, this.#ports.nowS());
      this.#ports.onRefused(role.guildId, role.roleId);
      return;
    }
    const { guildId } = role;
    await this.#ports.store.write({ drop: [{ guildId, kind: "role", id: keyOf(role) }] });
  }

  async #refuse(role: MemberRole): Promise<void> {
    this.#tried.set(`${role.guildId} ${keyOf(role)}`, this.#ports.nowS());
    await this.#note(role, "refused");
    this.#ports.onRefused(role.guildId, role.roleId);
  }

  #isDue(guildId: string, key: string): boolean {
    const triedS = this.#tried.get(`${guildId} ${key}`) ?? Number.NEGATIVE_INFINITY;
    return this.#ports.nowS() - triedS >= AGAIN_S;
  }

  async #note(role: MemberRole, state: Held): Promise<void> {
    const { guildId, userId } = role;
    const fromS = this.#ports.nowS();
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

function heldIn(row: DutyRow | undefined): Held | undefined {
  if (row === undefined) return undefined;
  const { state } = JSON.parse(row.body) as { readonly state?: unknown };
  return STATES.find((known) => known === state) ?? "giving";
}
