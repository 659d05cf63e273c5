import { ChannelState } from "./channel.ts";
import type { Core } from "./core.ts";
import { MemberState } from "./member.ts";
import { bitsOf, everyonePermissions, invitePermissions, type Permission } from "./permissions.ts";
import { RoleState } from "./role.ts";
import type {
  Channel,
  ChannelOptions,
  Guild,
  Member,
  MemberOptions,
  Role,
  RoleOptions,
  User,
} from "./types.ts";

/** A community: built by addRole, addChannel and addMember; the bot is in it from the start. */
export class GuildState implements Guild {
  readonly id: string;
  readonly name: string;
  readonly everyone: RoleState;
  readonly owner: MemberState;
  readonly bot: MemberState;
  readonly #core: Core;
  readonly #addUser: (name: string, avatar: string | null) => User;
  readonly #botRole: RoleState;
  readonly #roles = new Map<string, RoleState>();
  readonly #channels = new Map<string, ChannelState>();
  readonly #members = new Map<string, MemberState>();
  #hasBot = true;
  #isAvailable = true;
  #systemChannel: Channel | undefined;

  constructor(
    core: Core,
    options: { name: string; ownerName: string },
    addUser: (name: string, avatar: string | null) => User,
  ) {
    this.#core = core;
    this.#addUser = addUser;
    this.id = core.mint();
    this.name = options.name;
    this.everyone = this.#newRole({
      id: this.id,
      name: "@everyone",
      permissions: bitsOf(everyonePermissions),
    });
    this.#botRole = this.#newRole({
      id: core.mint(),
      name: core.bot.username,
      permissions: bitsOf(invitePermissions),
      managedBy: core.bot.id,
    });
    this.owner = this.#newMember(addUser(options.ownerName, null), {});
    this.bot = this.#newMember(core.bot, { roles: [this.#botRole] });
  }

  get hasBot(): boolean {
    return this.#hasBot;
  }

  get systemChannel(): Channel | undefined {
    return this.#systemChannel?.deleted === true ? undefined : this.#systemChannel;
  }

  setSystemChannel(channel: Channel): void {
    this.#systemChannel = channel;
  }

  get roles(): readonly Role[] {
    return [...this.#roles.values()];
  }

  get channels(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  get members(): readonly Member[] {
    return [...this.#members.values()].filter((member) => member !== this.bot || this.#hasBot);
  }

  addRole(options: RoleOptions): Role {
    const role = this.#newRole({
      ...options,
      id: this.#core.mint(),
      permissions: bitsOf(options.permissions ?? []),
    });
    this.#core.emit({ type: "role-created", guild: this, role });
    return role;
  }

  addChannel(options: ChannelOptions): Channel {
    const type = options.type ?? "text";
    const parent = options.parentId === undefined ? undefined : this.#channels.get(options.parentId);
    if (options.parentId !== undefined && parent === undefined)
      throw new Error(`no channel ${options.parentId}`);
    if (type.endsWith("thread") && parent === undefined)
      throw new Error("a thread needs parentId, its channel");
    if (type === "dm") throw new Error("a guild has no direct messages");
    const id = this.#core.mint();
    const position = this.#channels.size;
    const fields = {
      id,
      type,
      name: options.name,
      guild: this,
      parent,
      position,
      overwrites: options.overwrites,
      openedBy: type.endsWith("thread") ? (options.openedBy ?? this.owner.id) : undefined,
    };
    const channel = new ChannelState(this.#core, fields, () => this.#channels.delete(id));
    this.#channels.set(id, channel);
    this.#core.emit({ type: "channel-created", channel });
    return channel;
  }

  addMember(options: MemberOptions): Member {
    const member = this.#newMember(this.#addUser(options.name, options.avatar ?? null), options);
    this.#core.emit({ type: "member-added", member });
    return member;
  }

  channel(name: string): Channel {
    return named(this.channels, (channel) => channel.name === name.replace(/^#/, ""), `channel ${name}`);
  }

  role(name: string): Role {
    return named(this.roles, (role) => role.name === name, `role ${name}`);
  }

  member(name: string): Member {
    return named(
      this.members,
      (member) => member.displayName === name || member.user.username === name,
      `member ${name}`,
    );
  }

  setBotPermissions(permissions: readonly Permission[]): void {
    this.#botRole.setPermissions(permissions);
  }

  raiseBot(): void {
    this.#botRole.setPosition(this.#roles.size);
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  setAvailable(isAvailable: boolean): void {
    if (this.#isAvailable === isAvailable) return;
    this.#isAvailable = isAvailable;
    this.#core.emit({ type: isAvailable ? "guild-added" : "guild-unavailable", guild: this });
  }

  removeBot(): void {
    if (!this.#hasBot) return;
    this.#hasBot = false;
    this.#core.emit({ type: "guild-removed", guild: this });
  }

  addBot(): void {
    if (this.#hasBot) return;
    this.#hasBot = true;
    this.bot.joinAgain();
    this.#core.emit({ type: "guild-added", guild: this });
  }

  #newRole(fields: {
    id: string;
    name: string;
    permissions: bigint;
    color?: number;
    mentionable?: boolean;
    managedBy?: string;
  }): RoleState {
    const position = this.#roles.size;
    const role = new RoleState(this.#core, this, { ...fields, position }, () =>
      this.#roles.delete(fields.id),
    );
    this.#roles.set(role.id, role);
    return role;
  }

  #newMember(user: User, options: { nick?: string; roles?: readonly Role[] }): MemberState {
    const fields = { user, nick: options.nick, roles: options.roles };
    const member = new MemberState(this.#core, this, fields, () => this.#members.delete(user.id));
    this.#members.set(user.id, member);
    return member;
  }
}

function named<T>(all: readonly T[], fits: (one: T) => boolean, what: string): T {
  const found = all.find(fits);
  if (found === undefined) throw new Error(`there is no ${what}`);
  return found;
}
