import { eachAtOnce } from "../domain/each-at-once.ts";
import { feedKind } from "../domain/feed-kinds.ts";
import type { Feed } from "../domain/guild.ts";
import { type JournalOwner, journalOf, ownerOf, serverOf } from "../domain/journal-id.ts";
import type { ListName, SourceId } from "../domain/model.ts";
import type { LinkedServer } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Journal } from "../domain/ports/journal.ts";
import { Delivery, type DeliveryPorts } from "./delivery/delivery.ts";
import type { DeliveryStart } from "./delivery/delivery-start.ts";
import type { LastEnd } from "./last-end.ts";
import type { OffsetRecord } from "./positions/offsets.ts";
import { atHead, movedTo } from "./positions/positions.ts";

export interface LiveFeedsParts {
  readonly demands: Demands;
  readonly journal: Journal;
  /** Of new journals. */
  readonly journalOwner: JournalOwner;
  readonly offsets: Documents<OffsetRecord>;
  readonly clock: Clock;
  readonly deliveryPorts: Omit<DeliveryPorts, "park" | "serverName" | "formerNames" | "busy">;
  /** How the process before ended. */
  readonly lastEnd: LastEnd;
  /** Discord will not have this feed's messages any more; the delivery itself calls. */
  park(feedId: string, why: string): Promise<void>;
  /** The name to show where a guild has several servers. */
  serverName(feed: Feed): Promise<string | undefined>;
  /** Names that its server had before. */
  formerNames(feed: Feed): Promise<readonly string[]>;
}

/** With a store behind a network, one feed after the other would take a minute for ten thousand servers. */
const OPENED_AT_ONCE = 100;

/** The feeds that run: where each reads from, and what the service is asked for because of them. */
export class LiveFeeds {
  readonly #parts: LiveFeedsParts;
  readonly #running = new Map<string, Delivery>();
  readonly #bySource = new Map<SourceId, Set<Delivery>>();
  readonly #busy = new Set<Delivery>();
  /** One object for all feeds: ten thousand servers have four each. */
  readonly #deliveryPorts: DeliveryPorts;

  constructor(parts: LiveFeedsParts) {
    this.#parts = parts;
    this.#deliveryPorts = {
      ...parts.deliveryPorts,
      busy: this.#busy,
      park: (feed, why) => parts.park(feed.id, why),
      serverName: (feed) => parts.serverName(feed),
      formerNames: (feed) => parts.formerNames(feed),
    };
  }

  get(feedId: string): Delivery | undefined {
    return this.#running.get(feedId);
  }

  of(source: SourceId): readonly Delivery[] {
    return [...(this.#bySource.get(source) ?? [])];
  }

  sources(): readonly SourceId[] {
    return [...this.#bySource.keys()];
  }

  all(): readonly Delivery[] {
    return [...this.#running.values()];
  }

  /**
   * The journal that a feed of this server reads. What is a guild's own stays that, also where one process serves all
   * again: two guilds' journals have numbered the same entries each in its way.
   */
  journalOf({ id, guildId }: Feed, server: SourceId, record = this.get(id)?.record): SourceId {
    const { journalOwner } = this.#parts;
    const known = record ?? this.of(server).find(({ feed }) => feed.guildId === guildId)?.record;
    const owner = known === undefined || journalOwner === "guild" ? journalOwner : ownerOf(known.source);
    return journalOf(owner, server, guildId);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Those that may have something to post, or run late. */
  busy(): readonly Delivery[] {
    return [...this.#busy];
  }

  /** Opens the feeds of a process that starts, each where it was. Rejects when the store fails. */
  async openAll(feeds: readonly (readonly [Feed, LinkedServer])[]): Promise<void> {
    const moving: (readonly [Feed, SourceId])[] = [];
    await eachAtOnce(feeds, OPENED_AT_ONCE, async ([feed, server]) => {
      const record = await this.#parts.offsets.get(feed.id);
      const source = this.journalOf(feed, server.source, record);
      if (record === undefined || record.source === source) {
        const doubtful = this.#parts.lastEnd.isDoubtful(feed.id);
        await this.#openWith(record, { feed, source, doubtful });
        return;
      }
      // All are open before any moves: a server that got two new keys goes on from the newest of its journals.
      const { list } = feedKind(feed.kind);
      if (record.list === list)
        await this.#parts.journal.attach(feed.id, { source: record.source, list }, record.nextSeq);
      moving.push([feed, server.source]);
    });
    for (const [feed, source] of moving) await this.open(feed, source);
  }

  /**
   * Opens one feed at the number that is stored, moved to the journal of that server where a crash or a new key left it at another;
   * at the head where nothing is stored. Nothing is posted before it is woken. Rejects when the store fails; it may
   * then be called again.
   */
  async open(feed: Feed, server: SourceId): Promise<void> {
    const record = await this.#parts.offsets.get(feed.id);
    const source = this.journalOf(feed, server, record);
    // What an earlier delivery of this process left is looked at too: it may have ended in the middle.
    await this.#openWith(record, { feed, source, doubtful: true });
  }

  /** Ends the delivery and keeps its place: `open` goes on from there. */
  async suspend(feedId: string): Promise<void> {
    const delivery = this.#running.get(feedId);
    this.#parts.demands.put(owner(feedId), []);
    if (delivery === undefined) return;
    await delivery.stop();
    this.#forget(delivery);
  }

  /** Ends the delivery and forgets how far it was. Rejects when the store fails; it may then be called again. */
  async close(feedId: string): Promise<void> {
    await this.#running.get(feedId)?.stop();
    await this.closeParking(feedId);
  }

  /** `close` for a delivery that is being parked: it is what calls, or it has ended, so nobody waits for its end. */
  async closeParking(feedId: string): Promise<void> {
    this.#parts.demands.put(owner(feedId), []);
    const delivery = this.#running.get(feedId);
    await this.#parts.journal.detach(feedId);
    await this.#parts.offsets.delete(feedId);
    if (delivery !== undefined) this.#forget(delivery);
  }

  /** Ends all deliveries; their places stay stored. */
  async stop(): Promise<void> {
    await Promise.all(this.all().map((delivery) => delivery.stop()));
  }

  async #openWith(
    record: OffsetRecord | undefined,
    {
      feed,
      source,
      doubtful,
    }: { readonly feed: Feed; readonly source: SourceId; readonly doubtful: boolean },
  ): Promise<void> {
    const { list } = feedKind(feed.kind);
    if (record?.list !== list) {
      const fresh = await atHead(feed.id, { source, list, sinceMs: record?.sinceMs }, this.#parts);
      this.#admit({ feed, record: fresh, doubtful: false });
    } else if (record.source !== source) {
      const moved = await movedTo(feed.id, { source, record }, this.#parts);
      this.#admit({ feed, record: moved, doubtful });
    } else {
      await this.#parts.journal.attach(feed.id, { source, list }, record.nextSeq);
      this.#admit({ feed, record, doubtful });
    }
  }

  #admit(start: DeliveryStart): void {
    const { feed, record } = start;
    const delivery = new Delivery(start, this.#deliveryPorts);
    const before = this.#running.get(feed.id);
    if (before !== undefined) this.#forget(before);
    this.#running.set(feed.id, delivery);
    const source = serverOf(record.source);
    const readers = this.#bySource.get(source) ?? new Set();
    this.#bySource.set(source, readers.add(delivery));
    const lists = demanded(feed);
    this.#parts.demands.put(owner(feed.id), [{ source, lists, guildId: feed.guildId }]);
  }

  #forget(delivery: Delivery): void {
    const source = serverOf(delivery.record.source);
    this.#busy.delete(delivery);
    if (this.#running.get(delivery.feed.id) === delivery) this.#running.delete(delivery.feed.id);
    const readers = this.#bySource.get(source);
    readers?.delete(delivery);
    if (readers?.size === 0) this.#bySource.delete(source);
  }
}

/** Exactly the lists that a feed reads: the players only where teams or names are looked up in them. */
function demanded(feed: Feed): readonly ListName[] {
  const { demands } = feedKind(feed.kind);
  return (feed.filter.teams?.length ?? 0) > 0 ? [...new Set([...demands, "players" as const])] : demands;
}

function owner(feedId: string): string {
  return `feed:${feedId}`;
}
