import type { Core } from "./core.ts";
import { bitsOf, type Permission } from "./permissions.ts";
import type { Guild, Role } from "./types.ts";

interface RoleFields {
  readonly id: string;
  readonly name: string;
  readonly permissions: bigint;
  readonly position: number;
  readonly color?: number | undefined;
  readonly mentionable?: boolean | undefined;
  readonly managedBy?: string | undefined;
}

export class RoleState implements Role {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  readonly mentionable: boolean;
  readonly managedBy: string | undefined;
  readonly #core: Core;
  readonly #guild: Guild;
  readonly #forget: () => void;
  #permissions: bigint;
  #position: number;

  constructor(core: Core, guild: Guild, fields: RoleFields, forget: () => void) {
    this.#core = core;
    this.#guild = guild;
    this.#forget = forget;
    this.id = fields.id;
    this.name = fields.name;
    this.color = fields.color ?? 0;
    this.#position = fields.position;
    this.mentionable = fields.mentionable ?? false;
    this.managedBy = fields.managedBy;
    this.#permissions = fields.permissions;
  }

  get guildId(): string {
    return this.#guild.id;
  }

  get permissions(): bigint {
    return this.#permissions;
  }

  get position(): number {
    return this.#position;
  }

  setPosition(position: number): void {
    this.#position = position;
    this.#core.emit({ type: "role-updated", guild: this.#guild, role: this });
  }

  setPermissions(permissions: readonly Permission[]): void {
    this.#permissions = bitsOf(permissions);
    this.#core.emit({ type: "role-updated", guild: this.#guild, role: this });
  }

  delete(): void {
    if (this.id === this.guildId) throw new Error("@everyone cannot be deleted");
    this.#forget();
    this.#core.emit({ type: "role-deleted", guild: this.#guild, role: this });
  }
}
