import type { Core } from "./core.ts";
import {
  allPermissions,
  bitsOf,
  channelPermissions,
  guildPermissions,
  type Permission,
  permissionBits,
} from "./permissions.ts";
import type { Channel, Guild, Member, Role, User } from "./types.ts";

const whileTimedOut = bitsOf(["ViewChannel", "ReadMessageHistory"]);

export class MemberState implements Member {
  readonly user: User;
  readonly guild: Guild;
  readonly nick: string | null;
  readonly #core: Core;
  readonly #forget: () => void;
  #roles: readonly Role[];
  #joinedAtMs: number;
  #timedOutUntilMs: number | undefined;

  constructor(
    core: Core,
    guild: Guild,
    fields: { user: User; nick?: string | undefined; roles?: readonly Role[] | undefined },
    forget: () => void,
  ) {
    this.#core = core;
    this.#forget = forget;
    this.guild = guild;
    this.user = fields.user;
    this.nick = fields.nick ?? null;
    this.#roles = fields.roles ?? [];
    this.#joinedAtMs = core.nowMs();
  }

  get joinedAtMs(): number {
    return this.#joinedAtMs;
  }

  /** They left and came back. */
  joinAgain(): void {
    this.#joinedAtMs = this.#core.nowMs();
  }

  get id(): string {
    return this.user.id;
  }

  get displayName(): string {
    return this.nick ?? this.user.globalName ?? this.user.username;
  }

  /** Deleted roles drop out. */
  get roles(): readonly Role[] {
    return this.#roles.filter((role) => this.guild.roles.includes(role));
  }

  get isOwner(): boolean {
    return this.guild.owner === this;
  }

  get dm(): Channel | undefined {
    return this.#core.dmOf(this.id);
  }

  addRole(role: Role, by: Member = this.guild.owner): void {
    if (role.guildId !== this.guild.id) throw new Error(`role ${role.name} is of another guild`);
    if (this.#roles.includes(role)) return;
    this.#roles = [...this.#roles, role];
    this.#core.emit({ type: "member-updated", member: this });
    this.#audit("$add", role, by);
  }

  removeRole(role: Role, by: Member = this.guild.owner): void {
    if (!this.#roles.includes(role)) return;
    this.#roles = this.#roles.filter((one) => one !== role);
    this.#core.emit({ type: "member-updated", member: this });
    this.#audit("$remove", role, by);
  }

  /** MEMBER_ROLE_UPDATE (25). That somebody leaves stands in no audit log. */
  #audit(key: "$add" | "$remove", { id, name }: Role, by: Member): void {
    const changes = [{ key, new_value: [{ id, name }] }];
    const entry = { id: this.#core.mint(), action_type: 25, user_id: by.id, target_id: this.id, changes };
    this.#core.emit({ type: "audit-entry", guild: this.guild, entry });
  }

  closeDms(): void {
    this.#core.setDmsOpen(this.id, false);
  }

  openDms(): void {
    this.#core.setDmsOpen(this.id, true);
  }

  get timedOutUntilMs(): number | undefined {
    return this.#timedOutUntilMs;
  }

  timeOut(untilMs: number | undefined): void {
    this.#timedOutUntilMs = untilMs;
    this.#core.emit({ type: "member-updated", member: this });
  }

  permissionsIn(channel?: Channel): bigint {
    const bits = this.#permissionsIn(channel);
    const isTimedOut = (this.#timedOutUntilMs ?? 0) > this.#core.nowMs();
    return isTimedOut && bits !== allPermissions ? bits & whileTimedOut : bits;
  }

  #permissionsIn(channel?: Channel): bigint {
    const holder = {
      userId: this.id,
      isOwner: this.isOwner,
      roles: this.roles,
      everyone: this.guild.everyone,
    };
    if (channel === undefined) return guildPermissions(holder);
    const own = channelPermissions(holder, channel.overwrites);
    // Who was not added to a private thread does not know of it, unless they manage threads.
    const isHidden =
      channel.type === "private-thread" &&
      !channel.threadMembers.has(this.id) &&
      (own & permissionBits.ManageThreads) === 0n;
    return isHidden ? 0n : own;
  }

  may(permission: Permission, channel?: Channel): boolean {
    return (this.permissionsIn(channel) & permissionBits[permission]) !== 0n;
  }

  leave(): void {
    if (this.isOwner) throw new Error("the owner cannot leave the guild");
    this.#forget();
    this.#core.emit({ type: "member-removed", member: this });
  }
}
