import type { Client, Guild, REST } from "discord.js";
import { BackOff } from "../../domain/back-off.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";
import { findRemovedGuilds } from "./removed-guilds.ts";
import { type JoinedGuild, joinedGuild } from "./setup-offer.ts";

/** What other parts do when something happens to a guild. */
export interface GuildListener {
  /** Guilds with stored documents whose removal of the bot is not recorded; some may come twice. */
  guildsToCheck(): AsyncIterable<string>;
  /** The bot was removed from a guild. */
  onGuildRemoved(guildId: string): Promise<void>;
  /** Roles, a channel or a thread of a guild have changed, or it is back after an outage. */
  onPermissionsChanged(guildId: string): void;
}

export interface GuildEventsPorts {
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends attempts: the next start finds what they left. */
  readonly signal: AbortSignal;
  /** Whether the guild belongs to a shard of this process. */
  isOurs(guildId: string): boolean;
}

const NO_LISTENER: GuildListener = {
  async *guildsToCheck() {},
  onGuildRemoved: async () => undefined,
  onPermissionsChanged: () => undefined,
};

/** Hands the events of guilds to their listener, and after the login those that happened while the bot was away. */
export class GuildEvents {
  readonly #ports: GuildEventsPorts;
  #listener = NO_LISTENER;
  #offerSetup: (guild: JoinedGuild) => void = () => undefined;
  /** By guild: ends the attempts to forget it. */
  readonly #removing = new Map<string, AbortController>();

  constructor(ports: GuildEventsPorts) {
    this.#ports = ports;
  }

  /** To be called before the login. */
  listen(listener: GuildListener): void {
    this.#listener = listener;
  }

  /** The guided set-up is offered by `offer`. To be called before the login. */
  offerSetupBy(offer: (guild: JoinedGuild) => void): void {
    this.#offerSetup = offer;
  }

  onPermissionsChanged(guildId: string): void {
    this.#listener.onPermissionsChanged(guildId);
  }

  onJoined(guild: Guild): void {
    // What it links from now on must not go with what it had.
    this.#removing.get(guild.id)?.abort();
    this.#offerSetup(joinedGuild(guild));
  }

  onBack(guild: Guild): void {
    // Where it was away when the bot joined, nothing was offered yet.
    this.#offerSetup(joinedGuild(guild));
    this.#listener.onPermissionsChanged(guild.id);
  }

  onRemoved(guildId: string): void {
    void this.#remove(guildId);
  }

  /** Offers the set-up to guilds that joined since the last start, and finds those that removed the bot. Returns at once. */
  afterLogin({ guilds }: Pick<Client, "guilds">, rest: REST): void {
    for (const guild of guilds.cache.values()) this.#offerSetup(joinedGuild(guild));
    // Not awaited, because it asks Discord once for each such guild.
    this.#findRemoved(rest, (guildId) => guilds.cache.has(guildId)).catch((err: unknown) =>
      this.#ports.log.error({ err }, "could not find out which guilds removed the bot"),
    );
  }

  async #findRemoved(rest: REST, isHere: (guildId: string) => boolean): Promise<void> {
    const { isOurs, log } = this.#ports;
    const known = () => this.#listener.guildsToCheck();
    for (const guildId of await findRemovedGuilds({ rest, known, isOurs, isHere })) {
      log.info({ guildId }, "the bot was removed while it was not running");
      await this.#remove(guildId);
    }
  }

  /** Tried until the store takes it: its keys are to go at once, and no further event names the guild. Never rejects. */
  async #remove(guildId: string): Promise<void> {
    const { log, clock, random } = this.#ports;
    const back = new AbortController();
    const signal = AbortSignal.any([back.signal, this.#ports.signal]);
    const backOff = new BackOff(clock, random);
    this.#removing.set(guildId, back);
    while (!signal.aborted) {
      try {
        await this.#listener.onGuildRemoved(guildId);
        break;
      } catch (err) {
        log.error({ guildId, err }, "a guild could not be forgotten");
      }
      await backOff.wait(signal).catch(() => undefined);
    }
    if (this.#removing.get(guildId) === back) this.#removing.delete(guildId);
  }
}
