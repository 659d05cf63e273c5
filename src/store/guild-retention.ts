import { Failure } from "../domain/failure.ts";
import type { Feed } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Snapshot } from "../domain/model.ts";
import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { FeedStore } from "../domain/ports/feed-store.ts";
import type { Feeds } from "../domain/ports/feeds.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";
import { ServiceTime } from "../domain/service-time.ts";
import type { BindingStore } from "./bindings.ts";
import type { RemovedGuild } from "./document-schemas.ts";
import type { SettingsStore } from "./settings.ts";

const DAY_MS = 24 * 60 * 60_000;
const DEFAULTS = { keepMs: 30 * DAY_MS } as const;
/** The first sweep waits until the start's own work is done. */
const FIRST_SWEEP_AFTER_MS = 15 * 60_000;

export interface GuildRetentionParts {
  readonly documents: Documents<RemovedGuild>;
  readonly bindings: Pick<BindingStore, "linked" | "list" | "forgetFormer">;
  readonly settings: Pick<SettingsStore, "guilds" | "forgetGuild">;
  readonly feedStore: Pick<FeedStore, "list">;
  readonly audit: Pick<AuditLog, "prune">;
  /** By guild: which members are which players. */
  readonly accounts: { forgetGuild(guildId: string): Promise<void> };
  /** By guild: the notices that it wants. */
  readonly alertRules: Pick<Documents<unknown>, "delete">;
  /** What has a document for each of several things: bans that were to end, who allowed mentions. */
  readonly several: readonly Pick<Documents<{ readonly guildId: string }>, "entries" | "delete">[];
  readonly clock: Clock;
  /** How long settings, feeds and audit are kept after the removal. @default 30 days */
  readonly keepMs?: number | undefined;
  /** Whether the bot is in that guild now. undefined: not known (not logged in, or another process's shard). */
  isHere(guildId: string): boolean | undefined;
  report(what: string, error: unknown): void;
}

/**
 * Retention of what is stored of guilds that removed the bot. Their keys are removed at once. Settings, feeds and
 * audit stay for `keepMs`, because a bot is also removed by mistake, and are then removed for good.
 */
export class GuildRetention implements SnapshotListener {
  readonly #parts: GuildRetentionParts;
  /** Changes of what is noted of one guild never interleave. */
  readonly #turns = new KeyedMutex();
  readonly #serviceTime: ServiceTime;
  #cancel: () => void = () => undefined;

  constructor(parts: GuildRetentionParts) {
    this.#parts = parts;
    this.#serviceTime = new ServiceTime(parts.clock);
  }

  /** Each answer of the service says what time it is there. */
  async take(snapshot: Snapshot): Promise<void> {
    this.#serviceTime.note(snapshot);
  }

  /** Records the feeds of a guild before they are removed. Rejects when the store does; it may be called again. */
  async recordRemoval(guildId: string): Promise<void> {
    const { documents, feedStore, clock } = this.#parts;
    await this.#turns.take(guildId, async () => {
      const feeds = new Map((await documents.get(guildId))?.feeds.map((feed) => [feed.id, feed]));
      for (const feed of await feedStore.list(guildId)) feeds.set(feed.id, feed);
      await documents.set(guildId, { leftAtMs: clock.nowMs(), feeds: [...feeds.values()] });
    });
  }

  /**
   * For a server that was just linked: opens the feeds again that this guild had on it before the removal, from now
   * on. Returns how many. A feed that cannot be opened (its channel has such a feed by now) is forgotten.
   */
  restoreFeeds(guildId: string, bindingId: string, feeds: Pick<Feeds, "add" | "pause">): Promise<number> {
    return this.#turns.take(guildId, () => this.#restoreFeeds(guildId, bindingId, feeds));
  }

  async #restoreFeeds(
    guildId: string,
    bindingId: string,
    feeds: Pick<Feeds, "add" | "pause">,
  ): Promise<number> {
    const { documents, report } = this.#parts;
    const departed = await documents.get(guildId);
    const wanted = departed?.feeds.filter((feed) => feed.bindingId === bindingId) ?? [];
    if (departed === undefined || wanted.length === 0) return 0;
    let restored = 0;
    const rest = new Set(departed.feeds);
    for (const feed of wanted) {
      try {
        await restoreFeed(feed, feeds);
        restored += 1;
        rest.delete(feed);
      } catch (error) {
        if (error instanceof Failure) rest.delete(feed);
        else report("a feed of a guild that returned could not begin again", error);
      }
    }
    await documents.set(guildId, { ...departed, feeds: [...rest] });
    return restored;
  }

  /** Guilds with stored documents whose removal is not recorded, or was not completed. */
  async *guildsToCheck(): AsyncGenerator<string> {
    const { bindings, settings, documents } = this.#parts;
    for (const { guildId } of bindings.linked()) yield guildId;
    for await (const guildId of settings.guilds()) {
      if ((await documents.get(guildId)) === undefined) yield guildId;
    }
  }

  /** Removes expired guilds once a day. */
  start(): void {
    const round = () => {
      this.#cancel = this.#parts.clock.after(DAY_MS, round);
      this.#sweep().catch((error: unknown) =>
        this.#parts.report("what is kept of guilds that left could not be removed", error),
      );
    };
    this.#cancel = this.#parts.clock.after(FIRST_SWEEP_AFTER_MS, round);
  }

  stop(): void {
    this.#cancel();
  }

  async #sweep(): Promise<void> {
    const { documents, clock, report, keepMs = DEFAULTS.keepMs } = this.#parts;
    const due: string[] = [];
    // Our own clock may have been set by months, and would then remove everything.
    const nowMs = Math.min(clock.nowMs(), this.#serviceTime.ms() ?? Number.POSITIVE_INFINITY);
    for await (const [guildId, { leftAtMs }] of documents.entries()) {
      if (nowMs - leftAtMs >= keepMs) due.push(guildId);
    }
    for (const guildId of due) {
      // The others are not kept for longer because of one; it is tried again with the next sweep.
      await this.#removeExpired(guildId).catch((error: unknown) =>
        report("what is kept of a guild that left could not be removed", error),
      );
    }
  }

  async #removeExpired(guildId: string): Promise<void> {
    const { documents, bindings, settings, audit, clock, isHere } = this.#parts;
    const here = isHere(guildId);
    if (here === undefined) return;

    const returned = here || (await bindings.list(guildId)).length > 0;
    if (!returned) {
      await audit.prune(guildId, clock.nowMs() + 2 * DAY_MS);
      await settings.forgetGuild(guildId);
      await this.#parts.accounts.forgetGuild(guildId);
      await this.#parts.alertRules.delete(guildId);
      await this.#forgetSeveral(guildId);
    }
    await bindings.forgetFormer(guildId);
    // Removed last, so that after a failure the next sweep finds the guild again.
    await documents.delete(guildId);
  }

  async #forgetSeveral(wanted: string): Promise<void> {
    for (const kept of this.#parts.several)
      for await (const [key, { guildId }] of kept.entries()) if (guildId === wanted) await kept.delete(key);
  }
}

async function restoreFeed(feed: Feed, feeds: Pick<Feeds, "add" | "pause">): Promise<void> {
  const { id: _, state, parkedWhy: __, createdAtMs: ___, ...wanted } = feed;
  const begun = await feeds.add(wanted);
  if (state === "paused") await feeds.pause(feed.guildId, begun.id);
}
