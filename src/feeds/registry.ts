import { BackOff } from "../domain/back-off.ts";
import { Failure } from "../domain/failure.ts";
import type { Binding, Feed, FeedKind } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { ListName, LogList, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { FeedRenderer } from "../domain/ports/feed-renderer.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { Feeds, NewFeed } from "../domain/ports/feeds.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Sink } from "../domain/ports/sink.ts";
import { Delivery, type DeliveryPorts } from "./delivery/delivery.ts";
import { nonceOf } from "./delivery/poster.ts";
import { feedMaxAgeMs, type Journal } from "./journal/journal-port.ts";
import type { OffsetRecord } from "./journal/offsets.ts";
import { atHead, movedTo } from "./journal/positions.ts";

export interface RegistryParts {
  readonly feedStore: FeedStore;
  readonly bindings: Pick<Bindings, "list" | "all">;
  readonly demands: Demands;
  readonly journal: Journal;
  readonly offsets: Documents<OffsetRecord>;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: Sink;
  readonly notifier: Notifier;
  readonly renderer: FeedRenderer;
  readonly nonceKey: Uint8Array | string;
  readonly deliveryPorts: Omit<DeliveryPorts, "park" | "serverName">;
  /** A feed's messages are nobody's business any more. */
  dropCards(feedId: string): Promise<void>;
}

const logLists: Record<FeedKind, LogList | undefined> = {
  joins: "joinLogs",
  kills: "killLogs",
  modCalls: "modCalls",
  commands: "commandLogs",
  emergencyCalls: undefined,
};

/** All feeds of this process: which are live, where each reads from, and what they need to be asked for. */
export class FeedRegistry implements Feeds {
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, Delivery>();
  readonly #bySource = new Map<SourceId, Set<Delivery>>();
  readonly #parking = new Set<string>();
  /** Changes of one guild's feeds never interleave. */
  readonly #turns = new KeyedMutex();
  #stopListening: () => void = () => undefined;
  readonly #stopping = new AbortController();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /** Opens every live feed where it was. Nothing is posted before `wakeAll`. */
  async open(): Promise<void> {
    const bindings = new Map<string, Binding>();
    for await (const binding of this.#parts.bindings.all()) bindings.set(binding.id, binding);
    const feeds: Feed[] = [];
    for await (const feed of this.#parts.feedStore.all()) feeds.push(feed);
    const moving: (readonly [Feed, SourceId])[] = [];
    for (const feed of feeds) {
      const binding = bindings.get(feed.bindingId);
      // A crash came between the unlinking and the removal of its feeds.
      if (binding === undefined) await this.#erase(feed);
      else if (feed.state === "live") await this.#open(feed, binding.source, moving);
    }
    for (const [feed, source] of moving) await this.#open(feed, source);
    this.#parts.journal.trimFromNow();
    this.#stopListening = this.#parts.journal.onItems((source, list) => {
      for (const delivery of this.#bySource.get(source) ?? []) {
        if (delivery.record.list === list) delivery.wake();
      }
    });
  }

  wakeAll(): void {
    for (const delivery of this.#live.values()) delivery.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the feeds are stopping"));
    this.#stopListening();
    await Promise.all([...this.#live.values()].map((delivery) => delivery.stop()));
  }

  /** The live feeds that read this source. */
  of(source: SourceId): readonly Delivery[] {
    return [...(this.#bySource.get(source) ?? [])];
  }

  sourceOf(feedId: string): SourceId | undefined {
    return this.#live.get(feedId)?.record.source;
  }

  sources(): readonly SourceId[] {
    return [...this.#bySource.keys()];
  }

  all(): readonly Delivery[] {
    return [...this.#live.values()];
  }

  async list(guildId: string): Promise<readonly Feed[]> {
    return await this.#parts.feedStore.list(guildId);
  }

  /** Failure "bad-command" where the channel has such a feed already: two of them could not be told apart in it. */
  async add(wanted: NewFeed): Promise<Feed> {
    return await this.#turns.take(wanted.guildId, async () => {
      const { random, clock, feedStore } = this.#parts;
      const binding = await this.#binding(wanted.guildId, wanted.bindingId);
      const twin = (await feedStore.list(wanted.guildId)).find(
        (feed) =>
          feed.channelId === wanted.channelId &&
          feed.kind === wanted.kind &&
          feed.bindingId === wanted.bindingId,
      );
      if (twin !== undefined) {
        throw new Failure(
          "bad-command",
          "That channel has a feed of this kind and server already; remove it first.",
        );
      }
      const feed: Feed = {
        ...wanted,
        style: wanted.kind === "modCalls" ? "cards" : wanted.style,
        id: random.id(),
        state: "live",
        createdAtMs: clock.nowMs(),
      };
      await feedStore.save(feed);
      await this.#openAtHead(feed, binding.source);
      return feed;
    });
  }

  async remove(guildId: string, feedId: string): Promise<Feed | undefined> {
    return await this.#turns.take(guildId, async () => {
      const feed = await this.#find(guildId, feedId);
      if (feed === undefined) return undefined;
      await this.#erase(feed);
      return feed;
    });
  }

  async pause(guildId: string, feedId: string, paused: boolean): Promise<Feed | undefined> {
    return await this.#turns.take(guildId, async () => {
      const feed = await this.#find(guildId, feedId);
      if (feed === undefined || feed.state === (paused ? "paused" : "live")) return feed;
      const { parkedWhy: _, ...rest } = feed;
      const next: Feed = { ...rest, state: paused ? "paused" : "live" };
      if (paused) {
        // Closed first: a delivery that is being parked at this moment writes the feed once more before it ends.
        await this.#close(feedId);
        await this.#parts.feedStore.save(next);
        return next;
      }
      const binding = await this.#binding(guildId, feed.bindingId);
      // What an earlier life left is void: a resumed feed starts at the head.
      await this.#parts.offsets.delete(feedId);
      await this.#parts.feedStore.save(next);
      await this.#openAtHead(next, binding.source);
      return next;
    });
  }

  async test(guildId: string, feedId: string): Promise<void> {
    const feed = await this.#find(guildId, feedId);
    if (feed === undefined) throw new Failure("bad-command", "There is no such feed.");
    const { sink, renderer, nonceKey, random } = this.#parts;
    const body = renderer.test(feed.kind, await this.#serverName(feed));
    const nonce = nonceOf(nonceKey, "test", feedId, random.id());
    await sink.send(feed.channelId, { ...body, nonce, silent: feed.silent });
  }

  status(feedId: string): { readonly undelivered: number; readonly lateSinceMs?: number } {
    const delivery = this.#live.get(feedId);
    const lateSinceMs = delivery?.lateSinceMs;
    return { undelivered: delivery?.undelivered ?? 0, ...(lateSinceMs === undefined ? {} : { lateSinceMs }) };
  }

  /** The key of a server was replaced: each guild that has the new one takes its feeds along (design 5, Source). */
  async replaced(from: SourceId): Promise<void> {
    for (const { feed } of this.of(from)) {
      await this.#turns.take(feed.guildId, async () => {
        const binding = await this.#binding(feed.guildId, feed.bindingId);
        const delivery = this.#live.get(feed.id);
        if (binding.source === from || delivery === undefined) return;
        this.#parts.demands.put(owner(feed.id), []);
        await delivery.stop();
        this.#forget(delivery);
        await this.#reopen(delivery.feed, binding.source);
      });
    }
  }

  /**
   * The old delivery is closed, and until the new one is open this feed posts nothing: a failing store is waited for.
   * When the process stops meanwhile, the next start finds the feed at its old key and moves it.
   */
  async #reopen(feed: Feed, source: SourceId): Promise<void> {
    const { clock, random, deliveryPorts } = this.#parts;
    const { signal } = this.#stopping;
    const backOff = new BackOff(clock, random);
    while (!signal.aborted) {
      try {
        await this.#open(feed, source);
        this.#live.get(feed.id)?.wake();
        return;
      } catch (error) {
        deliveryPorts.warn(`feed ${feed.id} cannot move to its server's new key yet`, error);
        await backOff.wait(signal).catch(() => undefined);
      }
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

  /** Discord will not have this feed's messages: it stops, and whoever configured it is told once. */
  async park(feedId: string, why: string, stop: boolean): Promise<void> {
    const delivery = this.#live.get(feedId);
    if (delivery === undefined || this.#parking.has(feedId)) return;
    this.#parking.add(feedId);
    try {
      const { feed } = delivery;
      await this.#parts.feedStore.save({ ...feed, state: "parked", parkedWhy: why });
      if (stop) await delivery.stop();
      await this.#close(feedId, delivery);
      await this.#parts.dropCards(feedId);
      const body = this.#parts.renderer.parked(feed.kind, feed.channelId, why);
      await this.#parts.notifier.person(feed.guildId, feed.createdBy, body);
    } finally {
      this.#parking.delete(feedId);
    }
  }

  /** At the number that is stored, moved to the binding's source where a crash or a new key left it at another. */
  async #open(feed: Feed, source: SourceId, moving?: (readonly [Feed, SourceId])[]): Promise<void> {
    const record = await this.#parts.offsets.get(feed.id);
    const list = logLists[feed.kind];
    if (moving !== undefined && record !== undefined && record.source !== source) {
      // All are open before any moves: a server that got two new keys goes on from the newest of its journals.
      if (list !== undefined) await this.#parts.journal.attach(feed.id, record.source, list, record.nextSeq);
      moving.push([feed, source]);
      return;
    }
    if (record === undefined) {
      await this.#openAtHead(feed, source);
      return;
    }
    if (record.source !== source) {
      this.#admit(feed, await movedTo(source, feed.id, record, this.#parts), true);
      return;
    }
    if (list !== undefined) await this.#parts.journal.attach(feed.id, source, list, record.nextSeq);
    this.#admit(feed, record, true);
  }

  async #openAtHead(feed: Feed, source: SourceId): Promise<void> {
    this.#admit(feed, await atHead(source, feed.id, logLists[feed.kind], this.#parts), false);
  }

  #admit(feed: Feed, record: OffsetRecord, found: boolean): void {
    const ports: DeliveryPorts = {
      ...this.#parts.deliveryPorts,
      park: (parked, why) => this.park(parked.id, why, false),
      serverName: (named) => this.#serverName(named),
    };
    const delivery = new Delivery(feed, record, ports, found);
    this.#live.set(feed.id, delivery);
    const readers = this.#bySource.get(record.source) ?? new Set();
    this.#bySource.set(record.source, readers.add(delivery));
    const lists = demanded(feed);
    this.#parts.demands.put(owner(feed.id), [{ source: record.source, lists, maxAgeMs: feedMaxAgeMs }]);
  }

  #forget(delivery: Delivery): void {
    const { source } = delivery.record;
    this.#live.delete(delivery.feed.id);
    const readers = this.#bySource.get(source);
    readers?.delete(delivery);
    if (readers?.size === 0) this.#bySource.delete(source);
  }

  /** Stops reading and forgets how far it was. `parking`: the delivery itself is what calls. */
  async #close(feedId: string, parking?: Delivery): Promise<void> {
    this.#parts.demands.put(owner(feedId), []);
    const delivery = this.#live.get(feedId);
    if (parking === undefined) await delivery?.stop();
    await this.#parts.journal.detach(feedId);
    await this.#parts.offsets.delete(feedId);
    if (delivery !== undefined) this.#forget(delivery);
  }

  async #erase(feed: Feed): Promise<void> {
    await this.#close(feed.id);
    await this.#parts.feedStore.remove(feed.guildId, feed.id);
    await this.#parts.dropCards(feed.id);
  }

  async #find(guildId: string, feedId: string): Promise<Feed | undefined> {
    return (await this.#parts.feedStore.list(guildId)).find((feed) => feed.id === feedId);
  }

  async #binding(guildId: string, bindingId: string): Promise<Binding> {
    const binding = (await this.#parts.bindings.list(guildId)).find((one) => one.id === bindingId);
    if (binding === undefined) throw new Failure("not-linked", "That server is no longer linked.");
    return binding;
  }

  /** Said only where there is a choice of servers. */
  async #serverName(feed: Feed): Promise<string | undefined> {
    const bindings = await this.#parts.bindings.list(feed.guildId);
    return bindings.length < 2 ? undefined : bindings.find((one) => one.id === feed.bindingId)?.name;
  }
}

/** Exactly the lists that a feed reads: the players only where teams or names are looked up in them. */
function demanded(feed: Feed): readonly ListName[] {
  const list = logLists[feed.kind];
  if (list === undefined) return ["emergencyCalls", "players"];
  return (feed.filter.teams?.length ?? 0) > 0 ? [list, "players"] : [list];
}

function owner(feedId: string): string {
  return `feed:${feedId}`;
}
