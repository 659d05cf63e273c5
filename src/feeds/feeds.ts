import type { CallEnd } from "../domain/alert.ts";
import { oneCount } from "../domain/counting.ts";
import type { DutyRoster, WhoToPing } from "../domain/duty-roster.ts";
import { endsWithin } from "../domain/ends-within.ts";
import type { Binding, Feed } from "../domain/guild.ts";
import type { JournalOwner } from "../domain/journal-id.ts";
import type { ModCallEntry, SourceId } from "../domain/model.ts";
import type { Batches } from "../domain/ports/batches.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { CleanStop } from "../domain/ports/clean-stop.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { FeedRenderer } from "../domain/ports/feed-renderer.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { Feeds } from "../domain/ports/feeds.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { Journal, JournalLooks } from "../domain/ports/journal.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { CallOnCard, ModCalls } from "../domain/ports/mod-calls.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { ServiceHealth } from "../domain/ports/service-health.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import { ServiceTime } from "../domain/service-time.ts";
import { CardBoard, type CardCounts } from "./cards/card-board.ts";
import type { CardRecord } from "./cards/card-records.ts";
import { EmergencyCards, emergencyView } from "./cards/emergency-calls.ts";
import { modCallView } from "./cards/joined-calls.ts";
import { ModCallCards } from "./cards/mod-calls.ts";
import { SituationFollower } from "./cards/situation-follower.ts";
import { teamsOf } from "./delivery/filter.ts";
import { countFeeds, type FeedCounts } from "./feed-counts.ts";
import { LastEnd } from "./last-end.ts";
import { Lateness } from "./lateness.ts";
import type { OffsetRecord } from "./positions/offsets.ts";
import { FeedRegistry } from "./registry.ts";

export interface FeedsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly posts: Posts;
  readonly batches: Batches;
  readonly renderer: FeedRenderer;
  readonly notifier: Notifier;
  readonly guilds: Pick<Guilds, "channelAccess">;
  readonly roster: Pick<DutyRoster, "of">;
  /** Guilds that record where people are. */
  readonly tracked: ReadonlySet<string>;
  readonly whoToPing: WhoToPing;
  readonly metrics: Metrics;
  readonly snapshots: Pick<Snapshots, "latest" | "failing">;
  readonly demands: Demands;
  readonly health: Pick<ServiceHealth, "parked" | "halt">;
  readonly bindings: Pick<Bindings, "list" | "linked">;
  readonly feedStore: FeedStore;
  readonly journal: Journal & JournalLooks;
  readonly offsets: Documents<OffsetRecord>;
  readonly cards: Documents<CardRecord>;
  /** "guild" where other processes serve other guilds. */
  readonly journalOwner: JournalOwner;
  readonly cleanStop: CleanStop;
  /** Resolves when all that was written before survives a power cut, as far as the store can tell. */
  onDisk(): Promise<void>;
  /** A secret of this host, the same after a restart: nonces and card ids are made with it. */
  readonly nonceKey: Uint8Array | string;
  warn(message: string, error: unknown): void;
}

/** No names of players, no keys. */
export interface FeedsCounts extends FeedCounts {
  readonly live: number;
  readonly cards: CardCounts;
}

/** For /state. */
interface FeedsState extends FeedsCounts {
  readonly journals: number;
}

export interface FeedsWing {
  /** Before polling starts: takes up journals, offsets and cards where they were. */
  start(): Promise<void>;
  /**
   * After polling has stopped: ends when what is on its way to Discord has arrived and is written, or after that time;
   * then the next start looks for it.
   */
  stop(withinMs: number): Promise<void>;
  readonly feeds: Feeds;
  readonly modCalls: ModCalls;
  /** Who answered the matter of a moderator call, or that staff took it in hand on its card; undefined: neither. */
  callEndOf(bindingId: string, call: Pick<ModCallEntry, "caller" | "atS">): CallEnd | undefined;
  /** The calls on the cards of a server that are at hand. */
  callsOnCards(bindingId: string): readonly CallOnCard[];
  /** A server has a new key: the feeds of every guild that linked it again move over. */
  replaced(from: SourceId): Promise<void>;
  /** Roles, a channel or a thread of a guild have changed. */
  permissionsChanged(guildId: string): void;
  /** Where each live feed posts. */
  channels(): readonly (readonly [guildId: string, channelId: string])[];
  unlinked(binding: Binding): Promise<void>;
  forgetGuild(guildId: string): Promise<void>;
  /** For /metrics and /readyz. */
  counts(): Promise<FeedsCounts>;
  state(): Promise<FeedsState>;
}

/**
 * Everything between the journal and a channel: deliveries, cards. One file over 200 lines: it
 * wires the parts, and their names stand here once.
 */
export function createFeeds(parts: FeedsParts): FeedsWing {
  const { clock, snapshots, renderer, journal } = parts;
  const serviceTime = new ServiceTime(clock);
  const lastEnd = new LastEnd({ cleanStop: parts.cleanStop, clock, serviceTime });
  const afterEnd = { ...parts, lastEnd, serviceTime };

  const nameOf = async (card: CardRecord): Promise<string | undefined> => {
    const bindings = await parts.bindings.list(card.guildId);
    return bindings.length < 2 ? undefined : bindings.find((one) => one.id === card.bindingId)?.name;
  };
  const board: CardBoard = new CardBoard({
    ...afterEnd,
    async render(card, { isWithoutWords }) {
      const serverName = await nameOf(card);
      if (card.kind !== "modCall")
        return renderer.emergencyCall(emergencyView(card, { serverName, isWithoutWords }));
      const hasReplay = parts.tracked.has(card.guildId);
      return renderer.modCall(modCallView(card, { serverName, hasReplay, isWithoutWords }));
    },
    park: (feedId, why) => registry.park(feedId, why, true),
  });
  const follower = new SituationFollower({
    ...parts,
    board,
    serviceTime,
    latest: (source) => snapshots.latest(source),
    sourceOf: ({ slots }) => Object.keys(slots).flatMap((feedId) => registry.sourceOf(feedId) ?? [])[0],
  });
  const modCalls = new ModCallCards({
    ...afterEnd,
    board,
    follower,
    latestOf: (feed) => latestOf(feed),
  });
  const emergency = new EmergencyCards({ ...afterEnd, board });
  const registry: FeedRegistry = new FeedRegistry({
    ...parts,
    lastEnd,
    journal,
    dropCards: async (feedId) => {
      await board.dropFeed(feedId);
      follower.prune();
    },
    deliveryPorts: {
      ...afterEnd,
      journal,
      takeCalls: ({ feed, sinceMs }, items) =>
        feed.kind === "emergencyCalls"
          ? emergency.take({ feed, sinceMs }, items)
          : modCalls.take(feed, items, teamsOf(latestOf(feed), clock.nowMs())),
    },
  });
  const latestOf = (feed: Feed) => {
    const source = registry.sourceOf(feed.id);
    return source === undefined ? undefined : snapshots.latest(source);
  };
  const lateness = new Lateness(parts, registry);
  const counts = oneCount(async () => {
    const ofFeeds = await countFeeds(registry.busy());
    return { live: registry.size, ...ofFeeds, cards: await board.counts() };
  });

  journal.follow({
    async take({ look, written }) {
      const servers = modCallServers(registry, look.source);
      if (servers.size > 0 || emergencyFeeds(registry, look.source).size > 0) serviceTime.note(look);
      lateness.taken(look);
      follower.onSnapshot(look, servers);
      await written;
      for (const delivery of registry.of(look.source)) delivery.onPolled();
      for (const [bindingId, feeds] of emergencyFeeds(registry, look.source))
        emergency.onKept(look, bindingId, feeds);
    },
  });

  return {
    feeds: registry,
    modCalls,
    callEndOf: (bindingId, call) => modCalls.endOf(bindingId, call),
    callsOnCards: (bindingId) => modCalls.onCards(bindingId),
    async start() {
      await lastEnd.begin();
      await registry.open();
      lastEnd.onOpened();
      await board.start();
      modCalls.start();
      registry.wakeAll();
      lateness.start();
    },
    async stop(withinMs) {
      lateness.stop();
      // Together: what one of them has on its way is no reason for another to begin something more.
      const ended = Promise.all([registry, modCalls, follower].map((part) => part.stop()));
      board.stop();
      await endsWithin(clock, ended, withinMs);
      const unsettled = registry.all().filter((delivery) => !delivery.settled);
      await lastEnd.leave(unsettled.map(({ feed }) => feed.id));
    },
    replaced: (from) => registry.replaced(from),
    permissionsChanged: (guildId) => registry.permissionsChanged(guildId),
    channels: () => registry.all().map(({ feed }) => [feed.guildId, feed.channelId]),
    async unlinked(binding) {
      await registry.removeAll(binding.guildId, binding.id);
      await board.drop({ guildId: binding.guildId, bindingId: binding.id });
      follower.prune();
    },
    async forgetGuild(guildId) {
      await registry.removeAll(guildId);
      await board.drop({ guildId });
      follower.prune();
    },
    counts,
    state: async () => ({ ...(await counts()), journals: await journal.journals() }),
  };
}

/** The linked servers that read moderator calls of this source. */
function modCallServers(registry: FeedRegistry, source: SourceId): ReadonlySet<string> {
  const feeds = registry.of(source).map(({ feed }) => feed);
  return new Set(feeds.filter(({ kind }) => kind === "modCalls").map(({ bindingId }) => bindingId));
}

function emergencyFeeds(registry: FeedRegistry, source: SourceId) {
  const live = registry
    .of(source)
    .filter(({ feed }) => feed.kind === "emergencyCalls")
    .map(({ feed }) => feed);
  return Map.groupBy(live, ({ bindingId }) => bindingId);
}
