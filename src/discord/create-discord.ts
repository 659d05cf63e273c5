import { type Client, type Interaction, PermissionFlagsBits } from "discord.js";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Remover } from "../domain/ports/panels.ts";
import type { LateAnswers } from "../domain/ports/run-answers.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Sink } from "../domain/ports/sink.ts";
import type { Log } from "../log.ts";
import type { Command } from "./command.ts";
import { createClient, logIn, type Shards } from "./connection/bot.ts";
import { createGuildView } from "./connection/guild-view.ts";
import { createMembers } from "./connection/members.ts";
import { removedGuilds, shardOf } from "./connection/removed-guilds.ts";
import { createSetupOffer, joinedGuild } from "./connection/setup-offer.ts";
import { ShardPresence } from "./connection/shard-presence.ts";
import { createCommandRegistry } from "./interactions/command-registry.ts";
import { createDispatch, type Dispatch } from "./interactions/dispatch.ts";
import { createCallbackRest } from "./interactions/interaction-responder.ts";
import { createLateAnswers } from "./interactions/late-answers.ts";
import { createPendingLinks } from "./interactions/pending-links.ts";
import { answerOutsideGuild, readInteraction } from "./interactions/read-interaction.ts";
import { registeredIds, registerWhenChanged } from "./interactions/registration.ts";
import { createNotifier } from "./messages/notifier.ts";
import { createSink } from "./messages/sink.ts";
import { type SinkProgress, withProgress } from "./messages/sink-progress.ts";
import type { Services } from "./services.ts";

export interface DiscordPorts {
  readonly token: string;
  /** Such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly shards: Shards;
  /** For /help; absent: no link. */
  readonly docsUrl?: string | undefined;
  readonly settings: Settings;
  readonly bindings: Bindings;
  /** Hashes of registered definitions by application id; checked with parseRegistered. */
  readonly registered: Documents<string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What other parts do when something happens to a guild. */
export interface GuildListener {
  /** Guilds with stored documents whose removal of the bot is not recorded; some may come twice. */
  guildsToCheck(): AsyncIterable<string>;
  /** The bot was removed from a guild. */
  onGuildRemoved(guildId: string): Promise<void>;
  /** Roles, a channel or a thread of a guild have changed. */
  onPermissionsChanged(guildId: string): void;
}

const NO_LISTENER: GuildListener = {
  async *guildsToCheck() {},
  onGuildRemoved: async () => undefined,
  onPermissionsChanged: () => undefined,
};

/** What main builds of the other wings, after this one gave them sink, notifier and members. */
type GivenServices = Omit<
  Services,
  | "members"
  | "guilds"
  | "pendingLinks"
  | "commandId"
  | "docsUrl"
  | "settings"
  | "bindings"
  | "clock"
  | "random"
>;

/** The wing's state for `/state`: no secrets. */
interface DiscordState {
  readonly ready: boolean;
  readonly userId: string | undefined;
  readonly guilds: number;
  readonly shards: readonly {
    readonly id: number;
    readonly status: number;
    readonly pingMs: number;
    /** 0 while it is connected. */
    readonly awayForMs: number;
  }[];
  readonly sending: SinkProgress;
  readonly interactionsUnderWay: number;
}

export interface Discord {
  readonly sink: Sink & Remover;
  readonly notifier: Notifier;
  readonly members: Members;
  readonly guilds: Guilds;
  readonly lateAnswers: LateAnswers;
  /**
   * Resolves, with the reason in words, when Discord will not have this bot again until its operator acts: a token
   * that was reset, a gateway that was closed for good. Before `start` has resolved, `start` tells it instead.
   */
  readonly ended: Promise<string>;
  /** Hands the events of guilds to `listener`. To be called before `start`. */
  listen(listener: GuildListener): void;
  /** Logs in, and registers the commands when they have changed. Rejects with LoginError. */
  start(commands: readonly Command[], services: GivenServices): Promise<void>;
  /** Takes no more interactions; resolves when those under way have ended, at the latest after `graceMs`. */
  quiet(graceMs: number): Promise<void>;
  /** Disconnects. Sink, notifier and members no longer work after it. */
  stop(): Promise<void>;
  /** Whether the bot is in that guild; undefined: not known (not logged in, or another process's shard). */
  isHere(guildId: string): boolean | undefined;
  /** Which shard hears of a guild. */
  shardOf(guildId: string): number;
  state(): DiscordState;
}

/** The Discord wing: nothing happens before `start`. */
export function createDiscord(ports: DiscordPorts): Discord {
  const { log, clock, random, settings, bindings } = ports;
  let dispatch: Dispatch | undefined;
  let listener = NO_LISTENER;
  let phase: "starting" | "running" | "ended" = "starting";
  const commandIds = new Map<string, string>();
  const ended = Promise.withResolvers<string>();
  const client = createClient({
    ...ports,
    onEnded(reason) {
      if (phase === "starting") return;
      phase = "ended";
      ended.resolve(reason);
    },
    onInteraction: (interaction) => void answer(interaction),
    onPermissionsChanged: (guildId) => listener.onPermissionsChanged(guildId),
    onGuildJoined: (guild) => void offerSetup(joinedGuild(guild)),
    onGuildRemoved: (guildId) => void forget(guildId),
  });
  // Set before the login, so that what waited since the last run can be posted at once.
  const rest = client.rest.setToken(ports.token);
  const rests = { rest, callbacks: createCallbackRest(rest) };
  const guilds = createGuildView(client);
  const presence = new ShardPresence(client, clock);
  const { sink, progress } = withProgress(
    createSink({
      rest,
      ownId: () => client.user?.id,
      mayReadHistory: (channelId) => mayReadHistory(client, channelId),
    }),
  );
  const guildName = (guildId: string) => client.guilds.cache.get(guildId)?.name;
  const notifier = createNotifier({ rest, sink, settings, bindings, random, log, guildName });
  const offerSetup = createSetupOffer({ settings, bindings, guilds, sink, clock, random, log });
  const lateAnswers = createLateAnswers({ rest, notifier, log });
  const members = createMembers({ rest, guild: (guildId) => guildOf(client, guildId) });

  async function forget(guildId: string): Promise<void> {
    await listener
      .onGuildRemoved(guildId)
      .catch((err) => log.error({ guildId, err }, "a guild could not be forgotten"));
  }

  function isOurs(guildId: string): boolean {
    const { shards } = ports;
    return shards === "auto" || shards.ids.includes(shardOf(guildId, shards.count));
  }

  async function forgetRemovedGuilds(): Promise<void> {
    const gone = await removedGuilds({
      rest,
      known: () => listener.guildsToCheck(),
      isOurs,
      isHere: (guildId) => client.guilds.cache.has(guildId),
    });
    for (const guildId of gone) {
      log.info({ guildId }, "the bot was removed while it was not running");
      await forget(guildId);
    }
  }

  /** Guilds that were joined while the bot was away come with the login. */
  async function offerToAll(): Promise<void> {
    for (const guild of client.guilds.cache.values()) await offerSetup(joinedGuild(guild));
  }

  async function answer(interaction: Interaction): Promise<void> {
    try {
      const incoming = readInteraction(interaction, rests);
      if (incoming === undefined) await answerOutsideGuild(interaction, rests);
      else await dispatch?.handle(incoming);
    } catch (err) {
      log.error({ err }, "an interaction could not be read");
    }
  }

  return {
    sink,
    notifier,
    members,
    guilds,
    lateAnswers,
    ended: ended.promise,
    listen: (given) => {
      listener = given;
    },
    async start(commands, given) {
      const registry = createCommandRegistry(commands);
      const pendingLinks = createPendingLinks(clock, random);
      const own = {
        members,
        guilds,
        settings,
        bindings,
        clock,
        random,
        pendingLinks,
        commandId: (name: string) => commandIds.get(name),
        docsUrl: ports.docsUrl,
      };
      dispatch = createDispatch({
        registry,
        services: { ...given, ...own },
        clock,
        random,
        sink,
        notifier,
        log,
      });
      await logIn(client, ports.token);
      phase = "running";
      if (client.application === null) throw new Error("a client that is ready has an application");
      // With yesterday's commands the bot is still of use; the next start tries again.
      const changed = await registerWhenChanged(
        rest,
        client.application.id,
        commands,
        ports.registered,
      ).catch((err) => {
        log.error({ err }, "the slash commands could not be registered; npm run deploy tries it alone");
        return false;
      });
      log.info(
        { user: client.user?.tag, guilds: client.guilds.cache.size, registered: changed },
        "logged in",
      );
      for (const [name, id] of await registeredIds(rest, client.application.id)) commandIds.set(name, id);
      void offerToAll();
      // Not awaited, because it asks Discord once for each such guild.
      forgetRemovedGuilds().catch((err) =>
        log.error({ err }, "it is not known which guilds removed the bot"),
      );
    },
    quiet: async (graceMs) => dispatch?.stop(graceMs),
    async stop() {
      await dispatch?.stop(0);
      await client.destroy();
    },
    isHere: (guildId) => (client.isReady() && isOurs(guildId) ? client.guilds.cache.has(guildId) : undefined),
    shardOf: (guildId) => shardOf(guildId, Math.max(1, client.options.shardCount ?? 1)),
    state: () => ({
      // discord.js goes on calling itself ready after a close for good.
      ready: client.isReady() && phase === "running",
      userId: client.user?.id,
      guilds: client.guilds.cache.size,
      shards: client.ws.shards.map(({ id, status, ping }) => ({
        ...{ id, status, pingMs: ping, awayForMs: presence.awayForMs(id) },
      })),
      sending: progress(),
      interactionsUnderWay: dispatch?.underWay ?? 0,
    }),
  };
}

async function mayReadHistory(client: Client, channelId: string): Promise<boolean | undefined> {
  const channel =
    client.channels.cache.get(channelId) ?? (await client.channels.fetch(channelId).catch(() => null));
  // What cannot be fetched is told by the read itself, with Discord's own code.
  if (channel === null || channel.isDMBased()) return undefined;
  const me = channel.guild.members.me;
  return me === null ? undefined : channel.permissionsFor(me)?.has(PermissionFlagsBits.ReadMessageHistory);
}

function guildOf(client: Client, guildId: string) {
  const guild = client.guilds.cache.get(guildId);
  return (
    guild && {
      ownerId: guild.ownerId,
      permissions: (roleId: string) => guild.roles.cache.get(roleId)?.permissions.bitfield,
    }
  );
}
