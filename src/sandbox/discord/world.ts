import { createHash } from "node:crypto";
import { ChannelState } from "./channel.ts";
import type { Core } from "./core.ts";
import { EventStream } from "./events.ts";
import { GuildState } from "./guild.ts";
import { IdentifyLimits } from "./identify-limits.ts";
import { MessageStore } from "./message.ts";
import { OldEdits } from "./old-edits.ts";
import { defaultLimits } from "./rate-limits.ts";
import type { DiscordLimits, DiscordOptions } from "./settings.ts";
import { SnowflakeMint } from "./snowflake.ts";
import type { Attachment, Channel, DiscordEvent, Guild, User } from "./types.ts";
import type { Command } from "./wire.ts";

/** Everything that Discord knows: communities, people, messages, commands and files. No sockets. */
export class World implements Core {
  readonly bot: User;
  token: string;
  readonly limits: DiscordLimits;
  readonly events = new EventStream();
  readonly messages: MessageStore;
  readonly oldEdits: OldEdits;
  readonly identifies: IdentifyLimits;
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly users = new Map<string, User>();
  readonly files = new Map<string, Attachment>();
  /** By guild id; global ones under "". */
  readonly commands = new Map<string, readonly Command[]>();
  /** Where files are served, `http://host:port`; known once the server listens. */
  baseUrl = "";
  readonly #clock: () => number;
  readonly #mint: SnowflakeMint;
  readonly #seed: string;
  readonly #dms = new Map<string, Channel>();
  readonly #closedDms = new Set<string>();
  #secrets = 0;

  constructor(options: DiscordOptions) {
    this.#clock = options.nowMs ?? Date.now;
    this.limits = defaultLimits(options.pace ?? "real");
    // A clock that a test moves may stand still, and the second session would wait for ever.
    if (options.nowMs !== undefined) this.limits.identify.everyMs = 0;
    this.#mint = new SnowflakeMint(this.#clock);
    this.#seed = options.seed ?? "marshal";
    const id = options.applicationId ?? this.mint();
    const name = options.applicationName ?? "Marshal";
    this.bot = { id, username: name, globalName: null, avatar: null, bot: true };
    this.users.set(id, this.bot);
    this.token = options.token ?? this.#tokenOf(id);
    this.oldEdits = new OldEdits(this.limits, () => this.nowMs());
    this.identifies = new IdentifyLimits(this.limits, () => this.nowMs());
    this.messages = new MessageStore(this, () => this.limits.nonceWindowMs);
  }

  nowMs(): number {
    return this.#clock();
  }

  mint(): string {
    return this.#mint.next();
  }

  /** An unguessable-looking text, the same for the same seed and order of calls. */
  secret(): string {
    return createHash("sha256")
      .update(`${this.#seed}:${this.#secrets++}`)
      .digest("base64url");
  }

  emit(event: DiscordEvent): void {
    if (event.type === "channel-created") this.channels.set(event.channel.id, event.channel);
    if (event.type === "channel-deleted") this.#forgetChannel(event.channel);
    this.events.emit(event);
  }

  addGuild(options: { name: string; ownerName?: string }): Guild {
    const ownerName = options.ownerName ?? "Owner";
    const guild = new GuildState(this, { name: options.name, ownerName }, (name, avatar) =>
      this.addUser(name, avatar),
    );
    this.guilds.set(guild.id, guild);
    this.emit({ type: "guild-added", guild });
    return guild;
  }

  addUser(name: string, avatar: string | null): User {
    const username =
      name
        .toLowerCase()
        .replace(/[^a-z0-9_.]+/g, "_")
        .slice(0, 32) || "user";
    const user = { id: this.mint(), username, globalName: name, avatar, bot: false };
    this.users.set(user.id, user);
    return user;
  }

  dmOf(userId: string): Channel | undefined {
    return this.#dms.get(userId);
  }

  /** Opens the direct-message channel with a user; the same one every time. */
  openDm(user: User): Channel {
    const known = this.#dms.get(user.id);
    if (known !== undefined) return known;
    const channel = new ChannelState(this, {
      id: this.mint(),
      type: "dm",
      name: user.username,
      recipient: user,
    });
    this.#dms.set(user.id, channel);
    this.emit({ type: "channel-created", channel });
    return channel;
  }

  setDmsOpen(userId: string, open: boolean): void {
    if (open) this.#closedDms.delete(userId);
    else this.#closedDms.add(userId);
  }

  /** Not closed by the person. */
  acceptsDms(user: User): boolean {
    return !this.#closedDms.has(user.id);
  }

  sharesGuild(user: User): boolean {
    return [...this.guilds.values()].some(
      (guild) => guild.hasBot && guild.members.some((one) => one.id === user.id),
    );
  }

  lastMessageId(channel: Channel): string | null {
    const last = this.messages
      .inChannel(channel.id)
      .findLast((message) => message.ephemeralFor === undefined);
    return last?.id ?? null;
  }

  #forgetChannel(channel: Channel): void {
    this.channels.delete(channel.id);
    this.messages.forgetChannel(channel.id);
  }

  resetToken(): void {
    this.token = this.#tokenOf(this.bot.id);
  }

  /** Three parts, the first of them the id, as in Discord's tokens: discord.js reads nothing more from it. */
  #tokenOf(id: string): string {
    const secret = this.secret();
    return `${Buffer.from(id).toString("base64url")}.${secret.slice(0, 6)}.${secret.slice(6, 44)}`;
  }
}
