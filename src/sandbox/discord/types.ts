/** The world (guilds, channels, people, messages), what a person sees of the bot's answers, and the events. All objects are live views. */
import type { Permission, PermissionOverwrite } from "./permissions.ts";
import type { ChannelType, Choice, Command, Component, Embed } from "./wire.ts";

export interface User {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  /** An avatar hash, as Discord gives it; the page maps it to a picture. */
  readonly avatar: string | null;
  readonly bot: boolean;
}

export interface Role {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  readonly color: number;
  readonly permissions: bigint;
  readonly position: number;
  readonly mentionable: boolean;
  /** Set for the role that came with the bot's invite. */
  readonly managedBy?: string | undefined;
  setPermissions(permissions: readonly Permission[]): void;
  delete(): void;
}

export interface OverwriteOptions {
  readonly target: Role | Member;
  readonly allow?: readonly Permission[];
  readonly deny?: readonly Permission[];
}

export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly name: string;
  /** Undefined for a direct message. */
  readonly guild: Guild | undefined;
  /** The category of a channel, the channel of a thread. */
  readonly parent: Channel | undefined;
  readonly position: number;
  readonly overwrites: readonly PermissionOverwrite[];
  readonly archived: boolean;
  readonly locked: boolean;
  readonly deleted: boolean;
  /** The other side of a direct message. */
  readonly recipient: User | undefined;
  /** Of a thread: the user. */
  readonly openedBy: string | undefined;
  readonly createdAtMs: number;
  /** Of a private thread: who was added. */
  readonly threadMembers: ReadonlySet<string>;
  addThreadMember(userId: string): void;
  rename(name: string): void;
  delete(): void;
  setOverwrite(overwrite: OverwriteOptions): void;
  denyBot(...permissions: Permission[]): void;
  /** Takes back what denyBot denied, and allows it. */
  allowBot(...permissions: Permission[]): void;
  /** Threads only. An archived, unlocked thread is revived by a message; a locked one refuses it. */
  archive(options?: { locked?: boolean }): void;
  unarchive(): void;
}

export interface Member {
  readonly user: User;
  readonly id: string;
  readonly guild: Guild;
  readonly nick: string | null;
  /** What people see: the nick, else the display name, else the user name. */
  readonly displayName: string;
  /** Without @everyone. */
  readonly roles: readonly Role[];
  readonly joinedAtMs: number;
  readonly isOwner: boolean;
  /** The direct-message channel with the bot, once the bot has opened it. */
  readonly dm: Channel | undefined;
  /** Written into the audit log in the name of `by`. @default the owner of the guild */
  addRole(role: Role, by?: Member): void;
  removeRole(role: Role, by?: Member): void;
  /** With closed DMs the bot's message is refused with 50007. */
  closeDms(): void;
  openDms(): void;
  /** Until then they can only read; undefined ends it. Owners and administrators go on as before. */
  timeOut(untilMs: number | undefined): void;
  readonly timedOutUntilMs: number | undefined;
  permissionsIn(channel?: Channel): bigint;
  may(permission: Permission, channel?: Channel): boolean;
  leave(): void;
}

export interface RoleOptions {
  readonly name: string;
  readonly permissions?: readonly Permission[];
  readonly color?: number;
  readonly mentionable?: boolean;
}

export interface ChannelOptions {
  readonly name: string;
  /** Default `text`. */
  readonly type?: ChannelType;
  readonly parentId?: string;
  /** Of a thread: the user. @default the owner of the guild */
  readonly openedBy?: string;
  readonly overwrites?: readonly OverwriteOptions[];
}

export interface MemberOptions {
  readonly name: string;
  readonly nick?: string;
  readonly roles?: readonly Role[];
  readonly avatar?: string;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly everyone: Role;
  readonly owner: Member;
  readonly bot: Member;
  /** False after removeBot(). */
  readonly hasBot: boolean;
  readonly roles: readonly Role[];
  readonly channels: readonly Channel[];
  readonly members: readonly Member[];
  addRole(options: RoleOptions): Role;
  addChannel(options: ChannelOptions): Channel;
  addMember(options: MemberOptions): Member;
  /** Finds by name; throws when there is none. */
  channel(name: string): Channel;
  role(name: string): Role;
  member(name: string): Member;
  /** The permissions of the bot's own role; the default is those of the invite. */
  setBotPermissions(permissions: readonly Permission[]): void;
  /** Drags the bot's own role to the top. */
  raiseBot(): void;
  /** Where Discord itself greets newcomers; no event tells of a change. */
  readonly systemChannel: Channel | undefined;
  setSystemChannel(channel: Channel): void;
  /** An outage of Discord takes it from the gateway, or gives it back; requests about it go on. @default true */
  readonly isAvailable: boolean;
  setAvailable(isAvailable: boolean): void;
  removeBot(): void;
  addBot(): void;
}

export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly description: string | undefined;
  readonly contentType: string;
  readonly size: number;
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** Who was notified. Counted on creation only, as allowed_mentions let it, never on an edit. */
export interface Pings {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

export interface MessageVersion {
  readonly atMs: number;
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly Component[];
}

export interface Message {
  readonly id: string;
  readonly channel: Channel;
  readonly author: User;
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly Component[];
  readonly attachments: readonly Attachment[];
  readonly nonce: string | undefined;
  readonly flags: number;
  readonly pings: Pings;
  readonly createdAtMs: number;
  readonly editedAtMs: number | undefined;
  /** How often it was edited; the filling of a deferred answer is not an edit. */
  readonly edits: number;
  /** Earlier versions, oldest first (at most the last 50). */
  readonly history: readonly MessageVersion[];
  /** "... is thinking". */
  readonly thinking: boolean;
  /** The only user who sees it, or undefined when everyone does. */
  readonly ephemeralFor: string | undefined;
  /** To the channels of other communities that follow this one. */
  readonly isPublished: boolean;
  readonly deleted: boolean;
  readonly repliesTo: string | undefined;
  /** The interaction that it answers. */
  readonly interaction:
    | { readonly id: string; readonly userId: string; readonly commandName?: string | undefined }
    | undefined;
}

export interface Modal {
  readonly customId: string;
  readonly title: string;
  /** As the bot sent it: action rows with text inputs, labels (18), text displays (10). */
  readonly components: readonly Component[];
  /** The inputs in order, with their label. */
  readonly fields: readonly ModalField[];
}

export interface ModalField {
  readonly customId: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly component: Component;
}

/** What became of one interaction, as its person sees it. */
export interface Exchange {
  /** Id of the interaction. */
  readonly id: string;
  readonly person: Member;
  readonly channel: Channel;
  /**
   * The first answer: a message of its own, an update of the message that was acted on, a modal, the choices
   * of an autocompletion; `none`: the bot did not answer in time ("The application did not respond").
   */
  readonly kind: "message" | "update" | "modal" | "choices" | "none";
  /** The answer in its current state, or the updated message; undefined once it was deleted. */
  readonly message: Message | undefined;
  readonly modal: Modal | undefined;
  readonly choices: readonly Choice[];
  readonly followUps: readonly Message[];
  /** The first answer was a deferral. */
  readonly deferred: boolean;
  /** Deferred, and neither filled, nor deleted, nor followed up yet. */
  readonly pending: boolean;
  readonly ephemeral: boolean;
  /** Milliseconds from the interaction to its first answer. */
  readonly answeredAfterMs: number | undefined;
  /** Content, embeds and labels of the answer and its follow-ups as one text, for a quick look. */
  readonly text: string;
  /** Resolves when the answer is no longer pending, or with a predicate when that holds; throws after timeoutMs (120,000). */
  settled(predicate?: (exchange: Exchange) => boolean, timeoutMs?: number): Promise<Exchange>;
}

/** The value of an option or a select: plain, or an object of the world (its id is sent). */
export type Value = string | number | boolean | { readonly id: string };

export interface ActOptions {
  /** How long to wait, in real time, for the bot's first answer (5,000). */
  readonly waitMs?: number;
}

/** Acts as a member would in Discord's client; what the client would not let a person do throws. */
export interface Person {
  readonly member: Member;
  /** The commands that this person is shown there. */
  commands(channel: Channel): readonly Command[];
  /** `line` is the command with its sub-command: "server status". Unknown command or option throws. */
  slash(
    channel: Channel,
    line: string,
    options?: Readonly<Record<string, Value>>,
    act?: ActOptions,
  ): Promise<Exchange>;
  autocomplete(
    channel: Channel,
    line: string,
    options: Readonly<Record<string, Value>>,
    focused: string,
    act?: ActOptions,
  ): Promise<readonly Choice[]>;
  click(message: Message, customIdOrLabel: string, act?: ActOptions): Promise<Exchange>;
  select(message: Message, customId: string, values: readonly Value[], act?: ActOptions): Promise<Exchange>;
  /** `values` by custom id; a field left out keeps what the modal had prefilled. */
  submit(
    modal: Modal,
    values: Readonly<Record<string, Value | readonly Value[]>>,
    act?: ActOptions,
  ): Promise<Exchange>;
  post(channel: Channel, text: string): Message;
  /** *Publish* on a message of an announcement channel. */
  publish(message: Message): void;
  /** The channel as this person sees it: with what is ephemeral to them, empty where they may not look. */
  sees(channel: Channel): readonly Message[];
  /** What the bot wrote to this person directly. */
  dms(): readonly Message[];
}

export type DiscordEvent =
  | { readonly type: "guild-added" | "guild-removed" | "guild-unavailable"; readonly guild: Guild }
  | { readonly type: "channel-created" | "channel-updated" | "channel-deleted"; readonly channel: Channel }
  | {
      readonly type: "role-created" | "role-updated" | "role-deleted";
      readonly guild: Guild;
      readonly role: Role;
    }
  | { readonly type: "member-added" | "member-updated" | "member-removed"; readonly member: Member }
  | { readonly type: "audit-entry"; readonly guild: Guild; readonly entry: Readonly<Record<string, unknown>> }
  | { readonly type: "message-created" | "message-edited" | "message-deleted"; readonly message: Message }
  | {
      readonly type: "interaction-sent" | "interaction-answered" | "interaction-failed";
      readonly exchange: Exchange;
    }
  | {
      readonly type: "commands-registered";
      readonly guildId: string | undefined;
      readonly commands: readonly Command[];
    }
  | {
      readonly type: "gateway-connected";
      readonly sessionId: string;
      readonly shard: readonly [number, number];
      readonly resumed: boolean;
    }
  | { readonly type: "gateway-disconnected"; readonly sessionId: string; readonly code: number };
