import { invitePermissions, type Permission } from "../discord/permissions.ts";
import type { Channel } from "../discord/types.ts";
import type { Stage } from "../stage.ts";
import type { Lever } from "./lever.ts";

/** What the invite does not ask for, and some of Marshal's parts need. */
interface Permit {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly permissions: readonly Permission[];
  /** Where roles count: only those below Marshal's own can be given. */
  readonly raises: boolean;
}

const PERMITS: readonly Permit[] = [
  {
    id: "manage-roles",
    label: "Manage Roles",
    hint: "Marshal gets Manage Roles and a role above all others: a duty type may have role: @On Duty",
    permissions: ["ManageRoles"],
    raises: true,
  },
  {
    id: "private-threads",
    label: "Create Private Threads",
    hint: "Marshal gets Create Private Threads: staff may talk with who appeals",
    permissions: ["CreatePrivateThreads"],
    raises: false,
  },
];

/** What a person can do to Discord and to what Marshal and people may do there. */
export class DiscordLevers {
  readonly #stage: Pick<Stage, "discord" | "cast">;
  readonly #permitted = new Set<Permit>();
  #kills: Channel;
  #lockedOut = false;

  constructor(stage: Pick<Stage, "discord" | "cast">) {
    this.#stage = stage;
    this.#kills = stage.cast.channels.kills;
  }

  levers(): readonly Lever[] {
    return [...this.#faults(), ...PERMITS.map((permit) => this.#permit(permit)), this.#staffRole()];
  }

  /** Everything works again; a channel that was deleted stays so. */
  clear(): void {
    this.#stage.discord.faults.clear();
    if (this.#lockedOut && !this.#kills.deleted) this.#lockOut(false);
  }

  #faults(): readonly Lever[] {
    const { faults } = this.#stage.discord;
    const lever = (id: string, label: string, hint: string, pull: () => string): Lever => ({
      id,
      label,
      hint,
      pull,
      group: "discord",
      isFault: true,
    });
    return [
      {
        ...lever("outage", "Discord outage", "Discord is down for the bot until you pull this again", () => {
          const isDown = faults.current.outage !== undefined;
          faults.set({ outage: isDown ? undefined : "down" });
          return isDown ? "Discord is back" : "Discord is down for the bot";
        }),
        isOn: () => faults.current.outage !== undefined,
      },
      {
        ...lever("lock-out", "Lock the bot out of #kills", "It may not look into or write in #kills", () => {
          this.#lockOut(!this.#lockedOut);
          return this.#lockedOut ? "The bot is locked out of #kills" : "The bot may use #kills again";
        }),
        isOn: () => this.#lockedOut && !this.#kills.deleted,
        isDisabled: () => this.#kills.deleted,
      },
      {
        ...lever(
          "delete-channel",
          "Delete #kills",
          "The channel is gone; pulled again, a new one is made",
          () => this.#deleteOrMake(),
        ),
        isOn: () => this.#kills.deleted,
      },
    ];
  }

  #lockOut(out: boolean): void {
    this.#lockedOut = out;
    if (out) this.#kills.denyBot("ViewChannel", "SendMessages");
    else this.#kills.allowBot("ViewChannel", "SendMessages");
  }

  #deleteOrMake(): string {
    if (!this.#kills.deleted) {
      this.#kills.delete();
      return "#kills was deleted";
    }
    this.#kills = this.#stage.cast.guild.addChannel({ name: "kills" });
    this.#lockedOut = false;
    return "A new #kills was made; /feed add gives it a feed";
  }

  #permit(permit: Permit): Lever {
    const { id, label, hint, raises } = permit;
    const { guild } = this.#stage.cast;
    return {
      id,
      label,
      hint,
      group: "discord",
      isFault: false,
      pull: () => {
        if (!this.#permitted.delete(permit)) this.#permitted.add(permit);
        const added = [...this.#permitted].flatMap((one) => one.permissions);
        guild.setBotPermissions([...invitePermissions, ...added]);
        const isPermitted = this.#permitted.has(permit);
        if (isPermitted && raises) guild.raiseBot();
        return `Marshal ${isPermitted ? "may do it now" : "may not do it any more"}: ${label}`;
      },
      isOn: () => this.#permitted.has(permit),
    };
  }

  #staffRole(): Lever {
    const { member, staffRole } = this.#stage.cast;
    return {
      id: "staff-role",
      label: `Make ${member.displayName} staff`,
      hint: `${member.displayName} gets the role @${staffRole.name}; pulled again, loses it`,
      group: "discord",
      isFault: false,
      pull: () => {
        if (member.roles.includes(staffRole)) {
          member.removeRole(staffRole);
          return `${member.displayName} has lost @${staffRole.name}`;
        }
        member.addRole(staffRole);
        return `${member.displayName} has @${staffRole.name} now`;
      },
      isOn: () => member.roles.includes(staffRole),
    };
  }
}
