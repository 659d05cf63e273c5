// Over 200 lines: one summary from being due to standing in its channel, whatever fails in between.
import { Failure, SinkRefusal } from "../../domain/failure.ts";
import type { Binding } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { HistoryPrivacy } from "../../domain/ports/history.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Stats } from "../../domain/ports/stats.ts";
import type { WeeklyRenderer, WeeklySetting, WeeklySummaries } from "../../domain/ports/weekly.ts";
import { postOnce } from "../../domain/post-once.ts";
import type { Picture } from "../../domain/stats.ts";
import { DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { isDone, LatestWeeks, liesAhead, nextWeek, previous, type Week } from "./week.ts";
import type { WeeklyRecord } from "./weekly-record.ts";

const LOOK_EVERY_MS = 60_000;
/** What did not work is tried again after this. */
const AGAIN_AFTER_MS = 300_000;
/** Between two communities: on a Monday many are due at once, and people's questions go to the same thread. */
const PAUSE_MS = 200;
/** Nobody waits for a summary: on a busy machine it comes later rather than without its pictures. */
const DRAWN_WITHIN_MS = 10 * 60_000;
/** A picture may have to wait for another one of the community. */
const MOST_WAITS = 3;

export interface WeeklyPorts {
  readonly documents: Documents<WeeklyRecord>;
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly stats: Pick<Stats, "server" | "draw">;
  readonly privacy: Pick<HistoryPrivacy, "retention">;
  readonly sink: Sink;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: WeeklyRenderer;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether this process serves a guild. */
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

interface Sending {
  readonly bindingId: string;
  readonly key: string;
  readonly nonce: string;
}

/** Posts the summary of each week once for each linked server: late where it was missed, never twice. */
export class WeeklyBoard implements WeeklySummaries {
  readonly #ports: WeeklyPorts;
  readonly #records = new Map<string, WeeklyRecord>();
  readonly #changes = new KeyedMutex();
  readonly #weeks = new LatestWeeks();
  /** Keys of messages that may stand in their channel although nobody has said so. */
  readonly #doubtful = new Set<string>();
  /** By guild, on the monotonic clock. */
  readonly #notBeforeMs = new Map<string, number>();
  readonly #stopping = new AbortController();
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(ports: WeeklyPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store fails. */
  async start(): Promise<void> {
    for await (const [guildId, record] of this.#ports.documents.entries()) {
      this.#records.set(guildId, record);
      const sending = record.current?.sending;
      if (sending !== undefined) this.#doubtful.add(sending.key);
    }
    this.#lookLater();
  }

  /** Ends after the message that is on its way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel();
    await this.#running;
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
      this.#running = this.#look().then(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    const { clock, report } = this.#ports;
    for (const guildId of [...this.#records.keys()]) {
      if (this.#stopping.signal.aborted) return;
      if ((this.#notBeforeMs.get(guildId) ?? 0) > clock.monotonicMs()) continue;
      if (!this.#ports.isOurs(guildId)) continue;
      try {
        const wasDue = await this.#step(guildId);
        if (wasDue) await clock.sleep(PAUSE_MS, this.#stopping.signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#notBeforeMs.set(guildId, clock.monotonicMs() + AGAIN_AFTER_MS);
        report("a weekly summary could not be posted; it is tried again", error);
      }
    }
  }

  /** Whether something was due. */
  async #step(guildId: string): Promise<boolean> {
    const record = this.#records.get(guildId);
    if (record === undefined) return false;
    const { timeZone: zone = DEFAULT_ZONE } = await this.#ports.settings.of(guildId);
    const week = this.#weeks.of(zone, this.#ports.clock.nowMs());
    if (liesAhead(week, record.doneUntilS)) {
      await this.#done(guildId, week);
      return false;
    }
    if (isDone(week, record.doneUntilS)) return false;

    const isKept = (await this.#ports.privacy.retention(guildId)) !== "off";
    const bindings = isKept ? await this.#ports.bindings.list(guildId) : [];
    for (const binding of bindings) {
      if (!(await this.#postOne(guildId, binding, week))) break;
    }
    await this.#done(guildId, week);
    return true;
  }

  /** False: the channel takes nothing. Rejects with what may work later. */
  async #postOne(guildId: string, binding: Binding, week: Week): Promise<boolean> {
    const { sink, renderer } = this.#ports;
    const record = this.#records.get(guildId);
    if (record === undefined) return false;
    const current = this.#currentOf(record, week);
    if (current.posted.includes(binding.id)) return true;

    const sending =
      current.sending?.bindingId === binding.id ? current.sending : this.#newSending(binding.id);
    if (!(await this.#change(guildId, (now) => ({ ...now, current: { ...current, sending } })))) return false;
    try {
      await postOnce(sink, {
        channelId: record.channelId,
        nonce: sending.nonce,
        body: await this.#summary(guildId, { binding, week, key: sending.key }),
        isDoubtful: this.#doubtful.has(sending.key),
        sinceMs: week.postAtMs,
        isIt: (posted) => renderer.keyOf(posted) === sending.key,
      });
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason === "unknown") this.#doubtful.add(sending.key);
      if (!isFinal(error)) throw error;
      await this.#onRefused(record);
      return false;
    }
    // It stands, and until that is written another attempt has to look for it.
    this.#doubtful.add(sending.key);
    const posted = [...current.posted, binding.id];
    await this.#change(guildId, ({ isRefused: _, ...now }) => ({
      ...now,
      current: { toS: week.toS, posted },
    }));
    this.#doubtful.delete(sending.key);
    return true;
  }

  async #summary(
    guildId: string,
    { binding, week, key }: { readonly binding: Binding; readonly week: Week; readonly key: string },
  ): Promise<MessageBody> {
    const { stats, settings, renderer } = this.#ports;
    const of = ({ fromS, toS, zone }: Week) =>
      stats.server(guildId, { fromS, toS, zone, bindingId: binding.id });
    const [now, before] = [await of(week), await of(previous(week))];
    const { pictureLook = "dark" } = await settings.of(guildId);
    const pngs = await this.#drawn(guildId, renderer.pictures(now, pictureLook));
    return renderer.summary({ binding, stats: now, before, pngs, key });
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

  async #onRefused(record: WeeklyRecord): Promise<void> {
    const { notifier, renderer } = this.#ports;
    if (record.isRefused === true) return;
    await this.#change(record.guildId, (now) => ({ ...now, isRefused: true }));
    await notifier.guild(record.guildId, renderer.closed(record.channelId), record.byId);
  }

  #currentOf({ current }: WeeklyRecord, { toS }: Week): NonNullable<WeeklyRecord["current"]> {
    return current !== undefined && isDone({ toS }, current.toS) ? current : { toS, posted: [] };
  }

  #newSending(bindingId: string): Sending {
    const { random } = this.#ports;
    return { bindingId, key: random.id().slice(0, 8), nonce: random.id().slice(0, 25) };
  }

  async #done(guildId: string, { toS }: Week): Promise<void> {
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

/** Discord will not take it, however often it is sent. */
function isFinal(error: unknown): boolean {
  return error instanceof SinkRefusal && error.reason !== "unknown" && error.reason !== "edit-limit";
}
