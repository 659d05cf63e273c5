import type { Feed } from "../domain/guild.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { FeedRenderer } from "../domain/ports/feed-renderer.ts";
import type { Guilds } from "../domain/ports/guilds.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import { mayPass } from "./delivery/refusal-words.ts";

const CHECK_EVERY_MS = 60 * 60_000;
/** Changing a channel's permissions comes as several events. */
const SETTLE_MS = 2_000;
/** A feed that is refused although its channel looks open is tried ever more rarely. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

export interface RecoveryParts {
  readonly clock: Clock;
  readonly guilds: Pick<Guilds, "channelAccess">;
  readonly renderer: Pick<FeedRenderer, "parked" | "goesOn">;
  readonly notifier: Pick<Notifier, "guild">;
  warn(message: string, error: unknown): void;
}

interface Parked {
  readonly feed: Feed;
  /** By the monotonic clock. */
  dueMs: number;
}

/** Feeds that Discord refused: they are looked at when permissions change, and hourly, and go on by themselves. */
export class Recovery {
  readonly #parts: RecoveryParts;
  readonly #resume: (feed: Feed) => Promise<Feed | undefined>;
  readonly #parked = new Map<string, Parked>();
  /** How long a feed waited before it last went on by itself, and when that was. */
  readonly #tried = new Map<string, { readonly waitMs: number; readonly atMs: number }>();
  readonly #settling = new Map<string, () => void>();
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: RecoveryParts, resume: (feed: Feed) => Promise<Feed | undefined>) {
    this.#parts = parts;
    this.#resume = resume;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(CHECK_EVERY_MS, () => {
      void this.#check((parked) => parked.dueMs <= this.#parts.clock.monotonicMs());
      this.start();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    for (const cancel of this.#settling.values()) cancel();
    this.#settling.clear();
  }

  /** A feed has stopped: one notice, where the guild's notices go, else to the person who configured it. */
  async onParked(feed: Feed, why: string): Promise<void> {
    this.watch(feed, why);
    const { renderer, notifier } = this.#parts;
    const goesOn = mayPass(why) ? "by-itself" : "by-hand";
    const body = renderer.parked(feed.kind, { channelId: feed.channelId, why, goesOn });
    await notifier.guild(feed.guildId, body, feed.createdBy);
  }

  /** Looks after a feed that has stopped; what no permission can mend (a deleted channel) waits for people. */
  watch(feed: Feed, why: string): void {
    if (!mayPass(why)) return;
    const nowMs = this.#parts.clock.monotonicMs();
    const { id } = feed;
    const last = this.#tried.get(id);
    const isAgain = last !== undefined && nowMs - last.atMs < CHECK_EVERY_MS;
    const waitMs = isAgain ? Math.min(2 * last.waitMs, LONGEST_WAIT_MS) : CHECK_EVERY_MS;
    this.#tried.set(id, { waitMs, atMs: nowMs });
    // The hourly look must not miss it by the milliseconds that parking took.
    this.#parked.set(id, { feed, dueMs: nowMs + waitMs - CHECK_EVERY_MS });
  }

  /** It runs again, was paused or is gone. */
  forget(feedId: string): void {
    this.#parked.delete(feedId);
  }

  /** Roles, a channel or a thread of this guild have changed. */
  permissionsChanged(guildId: string): void {
    const isWaiting = [...this.#parked.values()].some(({ feed }) => feed.guildId === guildId);
    if (!isWaiting || this.#settling.has(guildId) || this.#isStopped) return;
    const cancel = this.#parts.clock.after(SETTLE_MS, () => {
      this.#settling.delete(guildId);
      void this.#check(({ feed }) => feed.guildId === guildId);
    });
    this.#settling.set(guildId, cancel);
  }

  /** At the head, as a feed that people resume. */
  async #goOn(feed: Feed): Promise<void> {
    if ((await this.#resume(feed))?.state !== "live") return;
    const body = this.#parts.renderer.goesOn(feed.kind, feed.channelId);
    await this.#parts.notifier.guild(feed.guildId, body, feed.createdBy);
  }

  async #check(isDue: (parked: Parked) => boolean): Promise<void> {
    for (const parked of [...this.#parked.values()].filter(isDue)) {
      const { feed } = parked;
      try {
        const access = await this.#parts.guilds.channelAccess(feed.guildId, feed.channelId);
        if (access.kind !== "open" || this.#isStopped || this.#parked.get(feed.id) !== parked) continue;
        this.#parked.delete(feed.id);
        const waitMs = this.#tried.get(feed.id)?.waitMs ?? CHECK_EVERY_MS;
        this.#tried.set(feed.id, { waitMs, atMs: this.#parts.clock.monotonicMs() });
        await this.#goOn(feed);
      } catch (error) {
        this.#parts.warn(`feed ${feed.id} cannot go on by itself yet`, error);
        this.#parked.set(feed.id, parked);
      }
    }
  }
}
