import type { Interaction } from "discord.js";
import type { PrivateThreads } from "../domain/ports/appeals.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { GrantableRoles, MemberRoles } from "../domain/ports/member-roles.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { DirectMessages, OwedMessages } from "../domain/ports/notifier.ts";
import type { LateAnswers } from "../domain/ports/run-answers.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Remover, Sink } from "../domain/ports/sink.ts";
import type { WorkPermit } from "../domain/ports/work-permit.ts";
import type { Log } from "../log.ts";
import type { Command } from "./command.ts";
import type { Shards } from "./connection/bot.ts";
import { createGateway, type Gateway } from "./connection/gateway.ts";
import { createGrantableRoles } from "./connection/grantable-roles.ts";
import { GuildEvents, type GuildListener } from "./connection/guild-events.ts";
import { createGuildView, mayReadHistory } from "./connection/guild-view.ts";
import type { RoleBook } from "./connection/known-roles.ts";
import type { MemberRequests } from "./connection/member-requests.ts";
import { createMemberRoles } from "./connection/member-roles.ts";
import { createMembers } from "./connection/members.ts";
import { createPermittedRest } from "./connection/permitted-rest.ts";
import { shardOf } from "./connection/removed-guilds.ts";
import type { LimitsListener } from "./connection/request-limits.ts";
import type { JoinedGuild } from "./connection/setup-offer.ts";
import { createAnswerRests } from "./interactions/answer-rests.ts";
import { createCommandRegistry } from "./interactions/command-registry.ts";
import { createDispatch, type Dispatch } from "./interactions/dispatch.ts";
import { FirstArrivals } from "./interactions/first-arrivals.ts";
import { createLateAnswers } from "./interactions/late-answers.ts";
import { createPendingLinks } from "./interactions/pending-links.ts";
import { answerOutsideGuild, readInteraction } from "./interactions/read-interaction.ts";
import { registeredCommands, registerWhenChanged } from "./interactions/registration.ts";
import { createShownAnswers } from "./interactions/shown-answers.ts";
import { createDirectMessages } from "./messages/direct-messages.ts";
import { permittedSink } from "./messages/permitted-sink.ts";
import { createPrivateThreads } from "./messages/private-threads.ts";
import { createSink } from "./messages/sink.ts";
import { type SinkProgress, withProgress } from "./messages/sink-progress.ts";
import type { Services } from "./services.ts";

export interface DiscordPorts {
  readonly token: string;
  /** Such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly shards: Shards;
  /** The connection to serve on. @default one of its own */
  readonly gateway?: Gateway | undefined;
  /** Where several processes share a store: nothing is posted without it. @default none is needed */
  readonly permit?: WorkPermit | undefined;
  /** For /help; absent: no link. */
  readonly docsUrl?: string | undefined;
  readonly settings: Settings;
  readonly bindings: Bindings;
  /** Marks of what was registered by application id; checked with parseRegistered. */
  readonly registered: Documents<string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, "observe">;
  readonly log: Log;
}

/** The services of the other wings, which are built with the sink, notifier and members of this one. */
type GivenServices = Omit<
  Services,
  | "members"
  | "grantableRoles"
  | "guilds"
  | "pendingLinks"
  | "shownAnswers"
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
  readonly direct: DirectMessages;
  readonly members: Members;
  /** Asks for members over the gateway. */
  readonly memberRequests: MemberRequests;
  /** This one hears which roles people have, in the place of an earlier one. */
  listenToRoles(listener: RolesListener): void;
  /** Which roles may be given; and giving them, past the outbox's turns. */
  readonly roles: GrantableRoles & MemberRoles;
  readonly threads: PrivateThreads;
  readonly guilds: Guilds;
  readonly lateAnswers: LateAnswers;
  /** Whose channel it is; undefined: one of direct messages, or not known before the login. */
  readonly guildOf: (channelId: string) => string | undefined;
  /** This one hears of what Discord's answers say of its limits, in the place of an earlier one. */
  listenToLimits(listener: LimitsListener): void;
  /**
   * Resolves with the reason, in words, when Discord refuses this bot until its operator acts: the token was reset, or
   * the gateway closed for good. Until `start` has resolved, `start` rejects with the reason instead.
   */
  readonly ended: Promise<string>;
  /** Resolves when the login has found Discord away: it goes on by itself when Discord is back. */
  readonly away: Promise<void>;
  /** Hands the events of guilds to `listener`. To be called before `start`. */
  listen(listener: GuildListener): void;
  /** The guided set-up is offered by `offer`, which hears of guilds that the bot has joined. To be called before `start`. */
  offerSetupBy(offer: (guild: JoinedGuild) => void): void;
  /**
   * Logs in, as soon as Discord can be reached, and registers the commands when they have changed. `owed` takes replies
   * whose interaction is over. Rejects with LoginError.
   */
  start(commands: readonly Command[], given: GivenServices & { readonly owed: OwedMessages }): Promise<void>;
  /** Takes no more interactions; resolves when those under way have ended, at the latest after `graceMs`. */
  quiet(graceMs: number): Promise<void>;
  /** Disconnects, also a connection that was given. Sink, direct messages and members no longer work after it. */
  stop(): Promise<void>;
  /** Whether the bot is in that guild; undefined: not known (not logged in, or another process's shard). */
  isHere(guildId: string): boolean | undefined;
  /** Whether the shards of this process hear of a guild; the others are another process's. */
  isOurs(guildId: string): boolean;
  /** The shard that receives the events of a guild. */
  shardOf(guildId: string): number;
  state(): DiscordState;
}

/** By interactions of theirs, and by the audit log. */
type RolesListener = Pick<RoleBook, "onSeen" | "onTold">;

/** Builds the Discord wing. Nothing happens before `start`. */
export function createDiscord(ports: DiscordPorts): Discord {
  const { log, clock, random, settings, bindings, permit } = ports;
  let dispatch: Dispatch | undefined;
  let rolesListener: RolesListener | undefined;
  const commandIds = new Map<string, string>();
  const gateway = ports.gateway ?? createGateway(ports);
  const { client, presence } = gateway;
  const rest = permit === undefined ? gateway.rest : createPermittedRest(gateway, ports.token, permit);
  const answerRests = createAnswerRests(rest);
  const guilds = createGuildView(client);
  const posting = createSink({
    rest,
    ownId: () => client.user?.id,
    mayReadHistory: (channelId) => mayReadHistory(client, channelId),
  });
  const { sink, progress } = withProgress(permit === undefined ? posting : permittedSink(posting, permit));
  const guildName = (guildId: string) => client.guilds.cache.get(guildId)?.name;
  const direct = createDirectMessages({ rest, guildName });
  const quieted = new AbortController();
  const lateAnswers = createLateAnswers({ rest: answerRests.later, clock, log, signal: quieted.signal });
  const members = createMembers(rest, client);
  const roles = { ...createGrantableRoles(client), ...createMemberRoles(rest, members) };
  const arrivals = new FirstArrivals();
  const guildEvents = new GuildEvents({ log, clock, random, signal: quieted.signal, isOurs });

  function isOurs(guildId: string): boolean {
    const { shards } = ports;
    return shards === "auto" || shards.ids.includes(shardOf(guildId, shards.count));
  }

  async function answer(interaction: Interaction): Promise<void> {
    // Choices are asked for with each keystroke, and giving them twice does nothing twice.
    if (!interaction.isAutocomplete() && !arrivals.isFirst(interaction.id, clock.monotonicMs())) {
      log.warn({}, "an interaction came twice; it is handled once");
      return;
    }
    try {
      const incoming = readInteraction(interaction, answerRests);
      if (incoming !== undefined) {
        const { guildId, userId, roleIds } = incoming.actor;
        rolesListener?.onSeen(guildId, userId, roleIds);
      }
      if (incoming === undefined) await answerOutsideGuild(interaction, answerRests);
      else await dispatch?.handle(incoming);
    } catch (err) {
      log.error({ err }, "an interaction could not be read");
    }
  }

  return {
    sink,
    direct,
    members,
    memberRequests: gateway.memberRequests,
    listenToRoles: (listener) => {
      rolesListener = listener;
    },
    roles,
    threads: createPrivateThreads(rest, () => client.user?.id),
    guilds,
    lateAnswers,
    guildOf: (channelId) => {
      const channel = client.channels.cache.get(channelId);
      return channel === undefined || channel.isDMBased() ? undefined : channel.guildId;
    },
    listenToLimits: (listener) => gateway.limits.attach(listener),
    ended: gateway.ended,
    away: gateway.away,
    listen: (listener) => guildEvents.listen(listener),
    offerSetupBy: (offer) => guildEvents.offerSetupBy(offer),
    async start(commands, { owed, ...given }) {
      const registry = createCommandRegistry(commands);
      const pendingLinks = createPendingLinks(clock, random);
      const own = {
        members,
        grantableRoles: roles,
        guilds,
        settings,
        bindings,
        clock,
        random,
        pendingLinks,
        shownAnswers: createShownAnswers({ lateAnswers, clock, log }),
        commandId: (name: string) => commandIds.get(name),
        docsUrl: ports.docsUrl,
      };
      dispatch = createDispatch({
        registry,
        services: { ...given, ...own },
        clock,
        random,
        metrics: ports.metrics,
        owed,
        log,
        permit,
      });
      gateway.attach({
        onInteraction: (interaction) => void answer(interaction),
        onPermissionsChanged: (guildId) => guildEvents.onPermissionsChanged(guildId),
        onGuildJoined: (guild) => guildEvents.onJoined(guild),
        onGuildBack: (guild) => guildEvents.onBack(guild),
        onGuildRemoved: (guildId) => guildEvents.onRemoved(guildId),
        onRolesTold: (told) => rolesListener?.onTold(told),
      });
      await gateway.logIn();
      if (client.application === null) throw new Error("a client that is ready has an application");
      // The bot is of use with its former commands too; the next start tries again.
      const applicationId = client.application.id;
      const found = await registeredCommands(rest, applicationId);
      const { registered } = ports;
      const parts = { rest, applicationId, commands, found, registered };
      const changed = await registerWhenChanged(parts).catch((err) => {
        log.error({ err }, "the slash commands could not be registered; npm run deploy tries it alone");
        return undefined;
      });
      log.info(
        { user: client.user?.tag, guilds: client.guilds.cache.size, registered: changed !== undefined },
        "logged in",
      );
      // Mentions of what is not told are plain text.
      for (const { name, id } of changed ?? found ?? []) commandIds.set(name, id);
      guildEvents.afterLogin(client, rest);
    },
    async quiet(graceMs) {
      quieted.abort();
      await dispatch?.stop(graceMs);
    },
    async stop() {
      quieted.abort();
      await dispatch?.stop(0);
      await gateway.close();
      answerRests.close();
    },
    isHere: (guildId) => (client.isReady() && isOurs(guildId) ? client.guilds.cache.has(guildId) : undefined),
    isOurs,
    shardOf: (guildId) => shardOf(guildId, Math.max(1, client.options.shardCount ?? 1)),
    state: () => ({
      ready: gateway.isReady(),
      userId: client.user?.id,
      guilds: client.guilds.cache.size,
      shards: client.ws.shards.map(({ id, status, ping }) => ({
        id,
        status,
        pingMs: ping,
        awayForMs: presence.awayForMs(id),
      })),
      sending: progress(),
      interactionsUnderWay: dispatch?.underWay ?? 0,
    }),
  };
}
