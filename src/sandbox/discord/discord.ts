/** An emulated Discord: REST v10 and gateway on a loopback port, and the people who use it. */
import { FaultPlan } from "./faults.ts";
import { Gateway } from "./gateway.ts";
import { HttpServer } from "./http.ts";
import { Interactions } from "./interactions.ts";
import { PersonState } from "./person.ts";
import { RateLimits } from "./rate-limits.ts";
import type { DiscordLimits, DiscordOptions, Faults, TrafficEntry } from "./settings.ts";
import { Traffic } from "./traffic.ts";
import type { Channel, DiscordEvent, Guild, Member, Message, Person } from "./types.ts";
import type { Command } from "./wire.ts";
import { World } from "./world.ts";

const defaultHost = "127.0.0.1";

/**
 * Discord on this machine, for an unmodified discord.js client: build guilds, act as their members, look at
 * what the bot writes. Everything is in memory; `close()` ends it.
 */
export class EmulatedDiscord {
  readonly #world: World;
  readonly #interactions: Interactions;
  readonly #gateway: Gateway;
  readonly #http: HttpServer;
  readonly #traffic: Traffic;
  readonly #faults: FaultPlan;
  readonly #people = new WeakMap<Member, Person>();

  private constructor(options: DiscordOptions) {
    this.#world = new World(options);
    this.#interactions = new Interactions(this.#world);
    const gatewayUrl = (): string => `${this.#world.baseUrl.replace(/^http/, "ws")}/gateway`;
    this.#gateway = new Gateway(this.#world, gatewayUrl, {
      isRevoked: () => this.#faults.current.tokenRevoked === true,
      membersRefusedForMs: () => this.#faults.current.membersRefusedForMs,
    });
    this.#traffic = new Traffic(options.record ?? false);
    this.#faults = new FaultPlan(this.#gateway, () => this.#world.nowMs());
    const api = { world: this.#world, interactions: this.#interactions, gatewayUrl };
    const limits = new RateLimits(this.#world.limits, () => this.#world.nowMs());
    this.#http = new HttpServer({
      api,
      gateway: this.#gateway,
      limits,
      faults: this.#faults,
      traffic: this.#traffic,
    });
  }

  /** Listens; port 0 (the default) takes a free one. Loopback unless a host is given. */
  static async start(
    options: DiscordOptions & { port?: number; host?: string } = {},
  ): Promise<EmulatedDiscord> {
    const discord = new EmulatedDiscord(options);
    const address = await discord.#http.listen(options.port ?? 0, options.host ?? defaultHost);
    discord.#world.baseUrl = `http://${address}`;
    return discord;
  }

  /** `http://127.0.0.1:PORT/api`, for DISCORD_API_URL. */
  get apiUrl(): string {
    return `${this.#world.baseUrl}/api`;
  }

  /** As in the portal: the token before is refused from now on, and its connections are closed. Answers the new one. */
  resetToken(): string {
    this.#world.resetToken();
    this.#faults.endGateway(4004);
    return this.#world.token;
  }

  /** The bot's token; requests and identifies with another are refused. */
  get token(): string {
    return this.#world.token;
  }

  get applicationId(): string {
    return this.#world.bot.id;
  }

  /** Every threshold, to read and to change. */
  get limits(): DiscordLimits {
    return this.#world.limits;
  }

  get faults(): Faults {
    return this.#faults;
  }

  /** What was asked and answered; empty unless started with `record`. */
  get traffic(): readonly TrafficEntry[] {
    return this.#traffic.entries;
  }

  /** What waits at this moment by the machine's time: people for a first answer, requests because it is slow. */
  get waiting(): number {
    return this.#interactions.awaited + this.#http.delayed;
  }

  /** The sessions that are connected to the gateway, with their shards. */
  get sessions(): Gateway["connected"] {
    return this.#gateway.connected;
  }

  /** How often a session was not begun because another of its turn had begun within the last seconds. */
  get refusedSessions(): number {
    return this.#world.identifies.refused;
  }

  /** How many connections have asked for a session of a shard that is kept away, and wait. */
  get unansweredSessions(): number {
    return this.#gateway.unanswered;
  }

  get guilds(): readonly Guild[] {
    return [...this.#world.guilds.values()];
  }

  /** The global commands; those of one guild with its id. */
  commands(guildId?: string): readonly Command[] {
    return this.#world.commands.get(guildId ?? "") ?? [];
  }

  addGuild(options: { readonly name: string; readonly ownerName?: string }): Guild {
    return this.#world.addGuild(options);
  }

  as(member: Member): Person {
    const known = this.#people.get(member);
    if (known !== undefined) return known;
    const parts = {
      world: this.#world,
      interactions: this.#interactions,
      gateway: this.#gateway,
      faults: this.#faults,
    };
    const person = new PersonState(parts, member);
    this.#people.set(member, person);
    return person;
  }

  /** What stands in a channel for all to see, oldest first; with `as`, also what only that member sees. */
  messages(channel: Channel, options: { readonly as?: Member } = {}): readonly Message[] {
    return this.#world.messages
      .inChannel(channel.id)
      .filter((message) => message.ephemeralFor === undefined || message.ephemeralFor === options.as?.id);
  }

  /** Returns the function that ends it. */
  on(listener: (event: DiscordEvent) => void): () => void {
    return this.#world.events.on(listener);
  }

  /** The next event that fits (only later ones count); throws after timeoutMs (120,000). */
  waitFor(predicate: (event: DiscordEvent) => boolean, timeoutMs?: number): Promise<DiscordEvent> {
    return this.#world.events.waitFor(predicate, timeoutMs);
  }

  /** Waits until the probe gives something; asked at once and after every event. */
  until<T>(probe: () => T | undefined | false | null, timeoutMs?: number): Promise<T> {
    return this.#world.events.until(probe, timeoutMs);
  }

  async close(): Promise<void> {
    this.#world.events.close();
    await this.#gateway.close();
    await this.#http.close();
  }
}
