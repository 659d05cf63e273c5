import type { Core } from "./core.ts";
import { bitsOf, type Permission, type PermissionOverwrite } from "./permissions.ts";
import type { Channel, Guild, OverwriteOptions, User } from "./types.ts";
import type { ChannelType } from "./wire.ts";

interface ChannelFields {
  readonly id: string;
  readonly type: ChannelType;
  readonly name: string;
  readonly guild?: Guild | undefined;
  readonly parent?: Channel | undefined;
  readonly position?: number;
  readonly overwrites?: readonly OverwriteOptions[] | undefined;
  readonly recipient?: User;
  readonly openedBy?: string | undefined;
}

export class ChannelState implements Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly guild: Guild | undefined;
  readonly parent: Channel | undefined;
  readonly position: number;
  readonly recipient: User | undefined;
  readonly openedBy: string | undefined;
  readonly createdAtMs: number;
  readonly #core: Core;
  readonly #forget: () => void;
  #name: string;
  #overwrites: readonly PermissionOverwrite[];
  #archived = false;
  #locked = false;
  #deleted = false;
  /** Of a private thread: who was added. */
  readonly #threadMembers = new Set<string>();

  constructor(core: Core, fields: ChannelFields, forget: () => void = () => {}) {
    this.#core = core;
    this.#forget = forget;
    this.id = fields.id;
    this.type = fields.type;
    this.#name = fields.name;
    this.guild = fields.guild;
    this.parent = fields.parent;
    this.position = fields.position ?? 0;
    this.recipient = fields.recipient;
    this.openedBy = fields.openedBy;
    this.createdAtMs = core.nowMs();
    this.#overwrites = (fields.overwrites ?? []).map(toOverwrite);
  }

  get name(): string {
    return this.#name;
  }

  /** A thread has none of its own: its channel's count. */
  get overwrites(): readonly PermissionOverwrite[] {
    return isThread(this) ? (this.parent?.overwrites ?? []) : this.#overwrites;
  }

  get archived(): boolean {
    return this.#archived;
  }

  get locked(): boolean {
    return this.#locked;
  }

  get deleted(): boolean {
    return this.#deleted;
  }

  get threadMembers(): ReadonlySet<string> {
    return this.#threadMembers;
  }

  addThreadMember(userId: string): void {
    this.#threadMembers.add(userId);
    this.#changed();
  }

  rename(name: string): void {
    this.#name = name;
    this.#changed();
  }

  delete(): void {
    if (this.#deleted) return;
    for (const child of this.guild?.channels ?? [])
      if (child.parent === this && isThread(child)) child.delete();
    this.#deleted = true;
    this.#forget();
    this.#core.emit({ type: "channel-deleted", channel: this });
  }

  setOverwrite(options: OverwriteOptions): void {
    const owner = this.#ownerOfOverwrites();
    if (owner !== this) {
      owner.setOverwrite(options);
      return;
    }
    const overwrite = toOverwrite(options);
    this.#overwrites = [...this.#overwrites.filter((one) => one.id !== overwrite.id), overwrite];
    this.#changed();
  }

  denyBot(...permissions: Permission[]): void {
    this.#setBot((own) => ({
      allow: own.allow & ~bitsOf(permissions),
      deny: own.deny | bitsOf(permissions),
    }));
  }

  allowBot(...permissions: Permission[]): void {
    this.#setBot((own) => ({
      allow: own.allow | bitsOf(permissions),
      deny: own.deny & ~bitsOf(permissions),
    }));
  }

  archive(options: { locked?: boolean } = {}): void {
    if (!isThread(this)) throw new Error(`#${this.name} is not a thread and cannot be archived`);
    this.#archived = true;
    this.#locked = options.locked ?? this.#locked;
    this.#changed();
  }

  unarchive(): void {
    this.#archived = false;
    this.#locked = false;
    this.#changed();
  }

  /** For the rule that a message revives an archived thread. */
  revive(): void {
    this.#archived = false;
    this.#changed();
  }

  #ownerOfOverwrites(): Channel {
    return isThread(this) && this.parent !== undefined ? this.parent : this;
  }

  #setBot(change: (own: { allow: bigint; deny: bigint }) => { allow: bigint; deny: bigint }): void {
    const owner = this.#ownerOfOverwrites();
    if (owner instanceof ChannelState) owner.#setBotHere(change);
  }

  #setBotHere(change: (own: { allow: bigint; deny: bigint }) => { allow: bigint; deny: bigint }): void {
    const id = this.#core.bot.id;
    const own = this.#overwrites.find((one) => one.id === id) ?? { allow: 0n, deny: 0n };
    const rest = this.#overwrites.filter((one) => one.id !== id);
    this.#overwrites = [...rest, { id, kind: "member", ...change(own) }];
    this.#changed();
  }

  #changed(): void {
    this.#core.emit({ type: "channel-updated", channel: this });
  }
}

export function isThread(channel: Channel): boolean {
  return channel.type === "thread" || channel.type === "private-thread";
}

/** Can messages be written there at all? */
export function isText(channel: Channel): boolean {
  return channel.type !== "category";
}

function toOverwrite(options: OverwriteOptions): PermissionOverwrite {
  return {
    id: options.target.id,
    kind: "user" in options.target ? "member" : "role",
    allow: bitsOf(options.allow ?? []),
    deny: bitsOf(options.deny ?? []),
  };
}
