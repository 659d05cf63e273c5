import type { SinkRefusalReason } from "../../domain/failure.ts";
import { Failure } from "../../domain/failure.ts";
import type { Binding } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { HistoryPrivacy } from "../../domain/ports/history.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Posts } from "../../domain/ports/posts.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { DutyWeek } from "../../domain/ports/staffing.ts";
import type { Stats } from "../../domain/ports/stats.ts";
import type { WeeklyRenderer, WeeklySetting, WeeklySummaries } from "../../domain/ports/weekly.ts";
import type { Picture } from "../../domain/stats.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { isDone, LatestWeeks, liesAhead, nextWeek, previous, type Week, withUnread } from "./week.ts";
import { type MadeSummary, WeeklyPosts } from "./weekly-posts.ts";
import type { WeeklyRecord } from "./weekly-record.ts";

const LOOK_EVERY_MS = 60_000;
/** What did not work is tried again after this. */
const AGAIN_AFTER_MS = 300_000;
/** Between two communities: on a Monday many are due at once, and people's questions go to the same thread. */
const PAUSE_MS = 200;
/** Nobody waits for a summary: on a busy machine it comes later rather than without its pictures. */
const DRAWN_WITHIN_MS = 10 * 60_000;
/** Communities whose summary is on its way, each with its pictures in memory: the others wait. */
const MOST_AT_ONCE = 8;
/** The first look at a server after a start may be so long in coming; one that nobody can read is not waited for. */
const LOOKED_AT_WITHIN_MS = 30 * 60_000;
/** A picture may have to wait for another one of the community. */
const MOST_WAITS = 3;

export interface WeeklyPorts {
  readonly documents: Documents<WeeklyRecord>;
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly stats: Pick<Stats, "server" | "draw">;
  readonly privacy: Pick<HistoryPrivacy, "retention">;
  readonly posts: Posts;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: WeeklyRenderer;
  readonly clock: Clock;
  readonly random: Random;
  /** After a restore: what was posted before may be missing in the store, epoch milliseconds. */
  readonly wholeSinceMs: number | undefined;
  /** Undefined: no duty is kept. Rejects where it cannot be read. */
  dutyOf(
    guildId: string,
    week: { readonly fromS: number; readonly toS: number },
  ): Promise<DutyWeek | undefined>;
  /** Up to when the history knows a server, epoch seconds; undefined: nobody has looked. */
  lookedS(server: Pick<Binding, "guildId" | "id">): Promise<number | undefined>;
  /** Whether this process serves a guild. */
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

/** Posts the summary of each week once for each linked server: late where it was missed, never twice. */
export class WeeklyBoard implements WeeklySummaries {
  readonly #ports: WeeklyPorts;
  readonly #records = new Map<string, WeeklyRecord>();
  readonly #changes = new KeyedMutex();
  readonly #weeks = new LatestWeeks();
  readonly #posts: WeeklyPosts;
  /** One at a time is drawn. */
  readonly #making = new KeyedMutex();
  /** By guild, on the monotonic clock. */
  readonly #notBeforeMs = new Map<string, number>();
  /** Since when a guild waits for the end of its week to be known, on the monotonic clock. */
  readonly #waitingSinceMs = new Map<string, number>();
  readonly #stopping = new AbortController();
  #cancel: () => void = () => undefined;
  readonly #running = new Map<string, Promise<void>>();

  constructor(ports: WeeklyPorts) {
    this.#ports = ports;
    this.#posts = new WeeklyPosts({
      ...ports,
      channelOf: (guildId) => this.#records.get(guildId)?.channelId,
      onStands: (made) => this.#onStands(made),
      onRefused: (guildId, why) => this.#onRefused(guildId, why),
    });
  }

  /** Rejects when the store fails. */
  async start(): Promise<void> {
    for await (const [guildId, record] of this.#ports.documents.entries()) {
      this.#records.set(guildId, record);
      const sending = record.current?.sending;
      if (sending !== undefined) this.#posts.doubt(sending);
    }
    this.#lookLater();
  }

  /** What waits for its turn is posted by the next process. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the weekly summaries were stopped"));
    this.#cancel();
    this.#posts.stop(this.#stopping.signal.reason);
    await Promise.all(this.#running.values());
  }

  async of(guildId: string): Promise<WeeklySetting | undefined> {
    return this.#records.get(guildId);
  }

  async set(guildId: string, { channelId, byId }: WeeklySetting): Promise<number> {
    const { settings, clock } = this.#ports;
    const { timeZone: zone = DEFAULT_ZONE } = await settings.of(guildId);
    await this.#changes.take(guildId, async () => {
      // What has ended before somebody wanted summaries gets none; a new channel goes on where the old one was.
      const { doneUntilS, current } = this.#records.get(guildId) ?? {
        doneUntilS: this.#weeks.of(zone, clock.nowMs()).toS,
      };
      await this.#write({
        guildId,
        channelId,
        byId,
        doneUntilS,
        ...(current === undefined ? {} : { current }),
      });
    });
    return nextWeek(zone, clock.nowMs()).postAtMs;
  }

  async turnOff(guildId: string): Promise<boolean> {
    return await this.#changes.take(guildId, async () => {
      if (!this.#records.has(guildId)) return false;
      await this.#ports.documents.delete(guildId);
      this.#records.delete(guildId);
      return true;
    });
  }

  /** A server was unlinked, or the bot removed. Without any server there is nothing to sum up any more. */
  async onUnlinked(guildId: string): Promise<void> {
    if ((await this.#ports.bindings.list(guildId)).length === 0) await this.turnOff(guildId);
  }

  #lookLater(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancel = this.#ports.clock.after(LOOK_EVERY_MS, () => {
      void this.#look().then(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    for (const guildId of [...this.#records.keys()]) {
      while (this.#running.size >= MOST_AT_ONCE) await Promise.race(this.#running.values());
      if (this.#stopping.signal.aborted) return;
      const nowMs = this.#ports.clock.monotonicMs();
      if (this.#running.has(guildId) || (this.#notBeforeMs.get(guildId) ?? 0) > nowMs) continue;
      if (!this.#ports.isOurs(guildId)) continue;
      this.#running.set(
        guildId,
        this.#lookAt(guildId).finally(() => this.#running.delete(guildId)),
      );
    }
  }

  async #lookAt(guildId: string): Promise<void> {
    const { clock, report } = this.#ports;
    try {
      await this.#step(guildId);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#notBeforeMs.set(guildId, clock.monotonicMs() + AGAIN_AFTER_MS);
      report("a weekly summary could not be posted; it is tried again", error);
    }
  }

  async #step(guildId: string): Promise<void> {
    const record = this.#records.get(guildId);
    if (record === undefined) return;
    const { timeZone: zone = DEFAULT_ZONE } = await this.#ports.settings.of(guildId);
    const nowMs = this.#ports.clock.nowMs();
    const week = this.#weeks.of(zone, nowMs);
    if (liesAhead(record.doneUntilS, nowMs)) {
      await this.#done(guildId, week);
      return;
    }
    if (isDone(week, record.doneUntilS)) return;

    const isKept = (await this.#ports.privacy.retention(guildId)) !== "off";
    const bindings = isKept ? await this.#ports.bindings.list(guildId) : [];
    if (await this.#isAwaited(guildId, bindings, week)) return;
    for (const binding of bindings) {
      if (!(await this.#postOne(guildId, binding, week))) break;
    }
    await this.#done(guildId, week);
  }

  /** Whether rows of the week may still come: a process that was down at its end reads them after its start. */
  async #isAwaited(guildId: string, bindings: readonly Binding[], { toS }: Week): Promise<boolean> {
    const looked = await Promise.all(bindings.map((one) => this.#ports.lookedS(one)));
    const nowMs = this.#ports.clock.monotonicMs();
    const sinceMs = this.#waitingSinceMs.get(guildId) ?? nowMs;
    const isAwaited = looked.some((atS = 0) => atS < toS) && nowMs - sinceMs < LOOKED_AT_WITHIN_MS;
    if (isAwaited) this.#waitingSinceMs.set(guildId, sinceMs);
    return isAwaited;
  }

  /** False: the channel takes nothing. Rejects with what may work later. */
  async #postOne(guildId: string, binding: Binding, week: Week): Promise<boolean> {
    const record = this.#records.get(guildId);
    if (record === undefined) return false;
    const current = this.#currentOf(record, week);
    if (current.posted.includes(binding.id)) return true;

    const sending =
      current.sending?.bindingId === binding.id ? current.sending : this.#posts.claim(binding.id, week);
    if (!(await this.#change(guildId, (now) => ({ ...now, current: { ...current, sending } })))) return false;
    const body = await this.#making.take("", async () => {
      await this.#ports.clock.sleep(PAUSE_MS, this.#stopping.signal);
      return await this.#summary(guildId, { binding, week, key: sending.key });
    });
    this.#stopping.signal.throwIfAborted();
    return await this.#posts.post({ guildId, sending, week, body });
  }

  async #onStands({ guildId, sending, week }: MadeSummary): Promise<void> {
    await this.#change(guildId, ({ isRefused: _, ...record }) => {
      const posted = [...this.#currentOf(record, week).posted, sending.bindingId];
      return { ...record, current: { toS: week.toS, posted } };
    });
  }

  async #summary(
    guildId: string,
    { binding, week, key }: { readonly binding: Binding; readonly week: Week; readonly key: string },
  ): Promise<MessageBody> {
    const { stats, settings, renderer, bindings, dutyOf, lookedS } = this.#ports;
    const of = ({ fromS, toS, zone }: Week) =>
      stats.server(guildId, { fromS, toS, zone, bindingId: binding.id });
    // Read first: a look in between has rows that the figures have too.
    const readUntilS = await lookedS(binding);
    const [now, before] = [withUnread(await of(week), readUntilS), await of(previous(week))];
    const { pictureLook = "dark" } = await settings.of(guildId);
    const pngs = await this.#drawn(guildId, renderer.pictures(now, pictureLook));
    // Duty is of all servers together: once is enough.
    const [first] = await bindings.list(guildId);
    const duty = first?.id === binding.id ? await dutyOf(guildId, week) : undefined;
    return renderer.summary({ binding, stats: now, before, duty, pngs, key });
  }

  /** Undefined: it could not be drawn; the words say all that the pictures do. */
  async #drawn(guildId: string, pictures: readonly Picture[]): Promise<readonly Uint8Array[] | undefined> {
    const { stats, clock } = this.#ports;
    if (pictures.length === 0) return undefined;
    try {
      for (let waits = 0; waits <= MOST_WAITS; waits += 1) {
        const found = await stats.draw(guildId, pictures, { withinMs: DRAWN_WITHIN_MS });
        if (found.kind === "made") return found.pngs;
        await clock.sleep(found.atMs - clock.nowMs(), this.#stopping.signal);
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    return undefined;
  }

  async #onRefused(guildId: string, why: SinkRefusalReason): Promise<void> {
    const { notifier, renderer } = this.#ports;
    const record = this.#records.get(guildId);
    if (record === undefined || record.isRefused === true) return;
    await this.#change(guildId, (now) => ({ ...now, isRefused: true }));
    await notifier.guild(guildId, renderer.closed(record.channelId, why), record.byId);
  }

  #currentOf({ current }: WeeklyRecord, { toS }: Week): NonNullable<WeeklyRecord["current"]> {
    return current !== undefined && isDone({ toS }, current.toS) ? current : { toS, posted: [] };
  }

  async #done(guildId: string, { toS }: Week): Promise<void> {
    this.#waitingSinceMs.delete(guildId);
    await this.#change(guildId, ({ current: _, ...record }) => ({ ...record, doneUntilS: toS }));
  }

  /** False: the summary was turned off in between. */
  async #change(guildId: string, edit: (record: WeeklyRecord) => WeeklyRecord): Promise<boolean> {
    return await this.#changes.take(guildId, async () => {
      const record = this.#records.get(guildId);
      if (record === undefined) return false;
      await this.#write(edit(record));
      return true;
    });
  }

  async #write(record: WeeklyRecord): Promise<void> {
    await this.#ports.documents.set(record.guildId, record);
    this.#records.set(record.guildId, record);
  }
}
