import { readinessWords } from "./discord/render/service-notices.ts";
import type { Random } from "./domain/ports/clock.ts";
import type { Posts } from "./domain/ports/posts.ts";
import type { Log } from "./log.ts";
import type { StoreIdentity } from "./store/document-forms.ts";

/** What the operator reads. */
export const STORE_IS_NEW =
  "the store is new: everything saved before is gone, with servers and settings. Restore a backup of Redis, or restart this process to go on with the new one (docs/hosting.md)";

/** Where a feed posts. */
export type FeedPlace = readonly [guildId: string, channelId: string];

/** What a process knew of the store when it first read it. */
interface Known {
  readonly id: string | undefined;
  /** The channels into which feeds post. */
  readonly channels: Iterable<FeedPlace>;
}

export interface Announcement {
  readonly posts: Posts;
  readonly random: Pick<Random, "id">;
  isOurs(guildId: string): boolean;
}

interface Told {
  readonly guildId: string;
  readonly channelId: string;
  readonly nonce: string;
}

/**
 * The store that this process read first, through all its leases. A Redis that lost everything looks like one that was never
 * used: only who knew it before can tell, and only it knows where people would wait in vain.
 */
export class KnownStore {
  readonly #log: Log;
  #id: string | undefined;
  #channels: Map<string, string>;
  #newSinceMs: number | undefined;

  constructor({ id, channels }: Known, log: Log) {
    this.#id = id;
    this.#channels = oneEach(channels);
    this.#log = log;
  }

  get isNew(): boolean {
    return this.#newSinceMs !== undefined;
  }

  /** A lease works on this store. */
  onStore({ id, madeAtMs }: StoreIdentity): void {
    this.#id ??= id;
    const isNew = id !== this.#id;
    if (isNew === this.isNew) return;
    this.#newSinceMs = isNew ? madeAtMs : undefined;
    if (isNew) this.#log.warn({ madeAt: new Date(madeAtMs).toISOString() }, STORE_IS_NEW);
    else this.#log.info({}, "the store is back with its data");
  }

  /** Before what a lease held is dropped: where its feeds post. None: it may have ended before they were read. */
  remember(channels: readonly FeedPlace[]): void {
    if (!this.isNew && channels.length > 0) this.#channels = oneEach(channels);
  }

  /** Posts into each channel of a guild of ours, where the store is new: once, however many processes know the channel. */
  announce({ posts, random, isOurs }: Announcement): void {
    const sinceMs = this.#newSinceMs;
    if (sinceMs === undefined) return;

    const body = readinessWords.storeNew();
    const line = posts.line<Told>({
      name: "the notice that the store is new",
      classes: { post: "first", edit: "change" },
      keyOf: ({ guildId }) => guildId,
      guildOf: ({ guildId }) => guildId,
      wanted: async ({ guildId, channelId, nonce }) =>
        this.isNew && this.#channels.has(guildId)
          ? { channelId, nonce, body, isDoubtful: true, sinceMs }
          : undefined,
      isIt: (_, posted) => posted.content.trim() === body.content,
      onStands: async ({ guildId }) => void this.#channels.delete(guildId),
      onRefused: async ({ guildId }) => {
        this.#channels.delete(guildId);
        return "over";
      },
    });
    for (const [guildId, channelId] of this.#channels)
      if (isOurs(guildId)) line.show({ guildId, channelId, nonce: random.id().slice(0, 25) });
  }
}

/** One channel of each guild, the same in every process: the second to post there finds the notice of the first. */
function oneEach(places: Iterable<FeedPlace>): Map<string, string> {
  const channels = new Map<string, string>();
  for (const [guildId, channelId] of places) {
    const known = channels.get(guildId);
    if (known === undefined || channelId < known) channels.set(guildId, channelId);
  }
  return channels;
}
