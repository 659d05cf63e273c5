import { Failure } from "../domain/failure.ts";
import type { Feed } from "../domain/guild.ts";
import { serverOf } from "../domain/journal-id.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { SourceId } from "../domain/model.ts";
import type { LinkedServer } from "../domain/ports/bindings.ts";
import type { FeedStatus, Feeds, NewFeed } from "../domain/ports/feeds.ts";
import type { Delivery } from "./delivery/delivery.ts";
import { editFeed, refuseTwin } from "./feed-edit.ts";
import { FeedServers } from "./feed-servers.ts";
import { statusOf } from "./feed-status.ts";
import { LiveFeeds } from "./live-feeds.ts";
import { Recovery } from "./recovery.ts";
import type { RegistryParts } from "./registry-parts.ts";
import { Retries } from "./retries.ts";

/**
 * All feeds of this process. What is stored says what a feed should be doing; a change writes that first and then
 * brings what runs in line with it. Where the store fails in between, the second half is tried again until it is
 * done, and the status says so: a feed that is stored as live never stands still in silence.
 */
export class FeedRegistry implements Feeds {
  readonly #parts: RegistryParts;
  readonly #live: LiveFeeds;
  readonly #servers: FeedServers;
  readonly #parking = new Set<string>();
  /** Feeds that do not yet do what is stored of them. */
  readonly #unsettled: Retries;
  /** Changes of one guild's feeds never interleave. */
  readonly #turns = new KeyedMutex();
  readonly #recovery: Recovery;
  #stopListening: () => void = () => undefined;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.#servers = new FeedServers(parts.bindings);
    this.#unsettled = new Retries(parts.deliveryPorts);
    this.#recovery = new Recovery({ ...parts, warn: parts.deliveryPorts.warn }, (feed) =>
      this.resume(feed.guildId, feed.id),
    );
    this.#live = new LiveFeeds({
      ...parts,
      park: (feedId, why) => this.park(feedId, why, false),
      serverName: (feed) => this.#servers.nameOf(feed),
      formerNames: (feed) => this.#servers.formerNamesOf(feed),
    });
  }

  /** Opens every live feed where it was. Nothing is posted before `wakeAll`. */
  async open(): Promise<void> {
    const servers = new Map<string, LinkedServer>();
    for (const server of this.#parts.bindings.linked()) servers.set(server.id, server);
    const feeds: Feed[] = [];
    for await (const feed of this.#parts.feedStore.all()) feeds.push(feed);

    const live: (readonly [Feed, LinkedServer])[] = [];
    for (const feed of feeds) {
      const server = servers.get(feed.bindingId);
      // A crash came between the unlinking and the removal of its feeds.
      if (server === undefined) await this.#erase(feed);
      else if (feed.state === "live") live.push([feed, server]);
      else if (feed.state === "parked") this.#recovery.watch(feed, feed.parkedWhy ?? "");
    }
    await this.#live.openAll(live);

    this.#parts.journal.trimFromNow();
    this.#stopListening = this.#parts.journal.onItems((source, list) => {
      for (const delivery of this.#live.of(serverOf(source)))
        if (delivery.record.source === source && delivery.record.list === list) delivery.wake();
    });
  }

  wakeAll(): void {
    for (const delivery of this.#live.all()) delivery.wake();
    this.#recovery.start();
  }

  /** Roles, a channel or a thread of this guild have changed: what stopped for want of permissions may go on. */
  permissionsChanged(guildId: string): void {
    this.#recovery.permissionsChanged(guildId);
  }

  async stop(): Promise<void> {
    this.#recovery.stop();
    this.#unsettled.stop();
    this.#stopListening();
    await this.#live.stop();
  }

  /** The live feeds that read this source. */
  of(source: SourceId): readonly Delivery[] {
    return this.#live.of(source);
  }

  sourceOf(feedId: string): SourceId | undefined {
    const journal = this.#live.get(feedId)?.record.source;
    return journal && serverOf(journal);
  }

  sources(): readonly SourceId[] {
    return this.#live.sources();
  }

  all(): readonly Delivery[] {
    return this.#live.all();
  }

  get size(): number {
    return this.#live.size;
  }

  /** Those that may have something to post, or run late. */
  busy(): readonly Delivery[] {
    return this.#live.busy();
  }

  async list(guildId: string): Promise<readonly Feed[]> {
    return await this.#parts.feedStore.list(guildId);
  }

  /** Failure "bad-command" where the channel has such a feed already: the messages of two could not be distinguished. */
  async add(wanted: NewFeed): Promise<Feed> {
    const { random, clock, feedStore } = this.#parts;
    const feed: Feed = {
      ...wanted,
      style: wanted.kind === "modCalls" ? "cards" : wanted.style,
      id: random.id(),
      state: "live",
      createdAtMs: clock.nowMs(),
    };
    return await this.#change(feed, async () => {
      await this.#servers.ofOrRefuse(feed);
      await refuseTwin(feed, feedStore);
      await feedStore.save(feed);
      return feed;
    });
  }

  async edit(guildId: string, feedId: string, changed: (feed: Feed) => Feed): Promise<Feed | undefined> {
    const of = { guildId, id: feedId };
    const what = {
      isParking: () => this.#parking.has(feedId),
      find: () => this.#find(guildId, feedId),
      changed,
    };
    const { feedStore } = this.#parts;
    const parts = { feedStore, live: this.#live, servers: this.#servers, recovery: this.#recovery };
    const edited = await this.#change(of, () => editFeed(feedId, what, parts));
    // Thrown only now, so that the feed goes on all the same.
    if (edited instanceof Failure) throw edited;
    return edited;
  }

  async remove(guildId: string, feedId: string): Promise<Feed | undefined> {
    return await this.#change({ guildId, id: feedId }, async () => {
      const feed = await this.#find(guildId, feedId);
      if (feed !== undefined) await this.#erase(feed);
      return feed;
    });
  }

  pause(guildId: string, feedId: string): Promise<Feed | undefined> {
    return this.#setState({ guildId, id: feedId }, "paused");
  }

  resume(guildId: string, feedId: string): Promise<Feed | undefined> {
    return this.#setState({ guildId, id: feedId }, "live");
  }

  async #setState(of: Pick<Feed, "guildId" | "id">, state: "paused" | "live"): Promise<Feed | undefined> {
    const { guildId, id: feedId } = of;
    return await this.#change(of, async () => {
      this.#recovery.forget(feedId);
      const feed = await this.#find(guildId, feedId);
      if (feed === undefined || feed.state === state) return feed;
      const { parkedWhy: _, ...rest } = feed;
      const next: Feed = { ...rest, state };
      if (state === "live") await this.#servers.ofOrRefuse(feed);
      // Its place stays until the pause is stored: a store that refuses leaves a live feed, which goes on from there.
      // It ends first: a delivery that is being parked at this moment writes the feed once more before it ends.
      if (state === "paused") await this.#live.suspend(feedId);
      // What an earlier life left is void: a resumed feed starts at the head.
      else await this.#live.close(feedId);
      await this.#parts.feedStore.save(next);
      return next;
    });
  }

  async test(guildId: string, feedId: string): Promise<void> {
    const feed = await this.#find(guildId, feedId);
    if (feed === undefined) throw new Failure("bad-command", "That feed no longer exists.");
    const { posts, renderer } = this.#parts;
    const body = renderer.test(feed.kind, await this.#servers.nameOf(feed));
    await posts.tryOnce(feed.channelId, { ...body, silent: feed.silent });
  }

  status(feedId: string): FeedStatus {
    const waitsForStore = this.#unsettled.has(feedId);
    return statusOf(this.#live.get(feedId), { waitsForStore, journal: this.#parts.journal });
  }

  /**
   * The key of a server was replaced: each guild that has the new one takes its feeds along. Until its new place is
   * open a feed posts nothing; when the process stops before that, the next start finds it at its old key.
   */
  async replaced(from: SourceId): Promise<void> {
    for (const { feed } of this.of(from)) {
      await this.#change(feed, async () => undefined).catch((error: unknown) =>
        this.#parts.deliveryPorts.warn(`feed ${feed.id} cannot move to its server's new key yet`, error),
      );
    }
  }

  /** A guild was left, or one of its servers unlinked: its feeds go. */
  async removeAll(guildId: string, bindingId?: string): Promise<void> {
    await this.#turns.take(guildId, async () => {
      for (const feed of await this.#parts.feedStore.list(guildId)) {
        if (bindingId === undefined || feed.bindingId === bindingId) await this.#erase(feed);
      }
    });
  }

  /** Discord will not have this feed's messages: it stops, and the person who configured it gets one notice. */
  async park(feedId: string, why: string, stop: boolean): Promise<void> {
    const delivery = this.#live.get(feedId);
    if (delivery === undefined || this.#parking.has(feedId)) return;
    this.#parking.add(feedId);
    try {
      const { feed } = delivery;
      await this.#parts.feedStore.save({ ...feed, state: "parked", parkedWhy: why });
      if (stop) await delivery.stop();
      await this.#live.closeParking(feedId);
      await this.#parts.dropCards(feedId);
      await this.#recovery.onParked(feed, why);
    } finally {
      this.#parking.delete(feedId);
    }
  }

  /**
   * Writes what a feed shall be, and brings it in line. Rejects when nothing is known to be written: it may be all
   * the same, so that is looked at later. Resolves once it is written, though opening may still be tried again.
   */
  async #change<T>(feed: Pick<Feed, "guildId" | "id">, write: () => Promise<T>): Promise<T> {
    return await this.#turns.take(feed.guildId, async () => {
      try {
        const written = await write();
        await this.#align(feed).catch((error: unknown) => this.#alignLater(feed, error));
        return written;
      } catch (error) {
        if (!(error instanceof Failure)) this.#alignLater(feed, error);
        throw error;
      }
    });
  }

  /** What runs becomes what is stored. Rejects when the store fails; it may then be called again. */
  async #align({ guildId, id }: Pick<Feed, "guildId" | "id">): Promise<void> {
    const feed = await this.#find(guildId, id);
    if (feed?.state !== "live") {
      // A delivery that is being parked ends by itself.
      if (!this.#parking.has(id)) await this.#live.close(id);
      return;
    }
    const binding = (await this.#parts.bindings.list(guildId)).find((one) => one.id === feed.bindingId);
    if (binding === undefined) return await this.#erase(feed);
    if (this.#live.get(id)?.record.source === this.#live.journalOf(feed, binding.source)) return;
    await this.#live.suspend(id);
    await this.#live.open(feed, binding.source);
    this.#live.get(id)?.wake();
  }

  #alignLater(feed: Pick<Feed, "guildId" | "id">, why: unknown): void {
    this.#unsettled.later(feed.id, why, () => this.#turns.take(feed.guildId, () => this.#align(feed)));
  }

  async #erase(feed: Feed): Promise<void> {
    this.#recovery.forget(feed.id);
    await this.#live.close(feed.id);
    await this.#parts.feedStore.remove(feed.guildId, feed.id);
    await this.#parts.dropCards(feed.id);
  }

  async #find(guildId: string, feedId: string): Promise<Feed | undefined> {
    return (await this.#parts.feedStore.list(guildId)).find((feed) => feed.id === feedId);
  }
}
