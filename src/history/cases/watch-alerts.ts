import { SinkRefusal } from "../../domain/failure.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { postOnce } from "../../domain/post-once.ts";
import type { PendingAlert, WatchRow } from "./case-store.ts";

/** An alert that did not get through is tried again after these waits, then after the last of them each time. */
const AGAIN_AFTER_MS = [2_000, 10_000, 60_000, 300_000] as const;
const AGAIN_AT_LAST_MS = 600_000;
/** A join is of use to staff for a day, even where the message comes late. */
const OF_USE_MS = 24 * 60 * 60_000;
/** A message that comes this long after its join was seen says that it is late. */
const LATE_AFTER_MS = 120_000;

export interface WatchAlertsPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly sink: Sink;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: CaseRenderer;
  readonly clock: Clock;
  /** The watch of a player as it is now; undefined: there is none any more. */
  rowOf(guildId: string, playerId: number): WatchRow | undefined;
  /** An alert stands in its channel, or is given up: it is pending no more. */
  settle(guildId: string, playerId: number, alert: PendingAlert): Promise<void>;
  report(what: string, error: unknown): void;
}

/** Posts the alerts that were decided on: each once, those of one watch one after the other, oldest first. */
export class WatchAlerts {
  readonly #ports: WatchAlertsPorts;
  /** By guild and player: watches whose alerts are on their way. */
  readonly #running = new Set<string>();
  /** Keys of alerts that may stand in their channel although nothing says so. */
  readonly #doubtful = new Set<string>();
  readonly #notified = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(ports: WatchAlertsPorts) {
    this.#ports = ports;
  }

  /** An earlier process may have posted it. */
  doubt({ key }: PendingAlert): void {
    this.#doubtful.add(key);
  }

  /** Sees to it that the pending alerts of a watch are posted. Never rejects, and waits for nothing. */
  post(guildId: string, playerId: number): void {
    const key = `${guildId} ${playerId}`;
    if (this.#running.has(key)) return;
    this.#running.add(key);
    void this.#postAll(guildId, playerId, () => this.#running.delete(key));
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #postAll(guildId: string, playerId: number, onDone: () => void): Promise<void> {
    let tries = 0;
    for (;;) {
      const row = this.#ports.rowOf(guildId, playerId);
      const alert = row?.alerts?.[0];
      // At once, so that an alert that is added from now on begins anew.
      if (row === undefined || alert === undefined || this.#stopping.signal.aborted) return onDone();
      if (await this.#try(row, alert)) tries = 0;
      else {
        const waitMs = AGAIN_AFTER_MS[tries] ?? AGAIN_AT_LAST_MS;
        tries += 1;
        await this.#ports.clock.sleep(waitMs, this.#stopping.signal).catch(() => undefined);
      }
    }
  }

  /** Whether it is done with: it stands in its channel, the channel is closed to us, or it is of no use any more. */
  async #try(row: WatchRow, alert: PendingAlert): Promise<boolean> {
    const { guildId, playerId } = row.watch;
    const isOfUse = this.#ports.clock.nowMs() - alert.sinceMs <= OF_USE_MS;
    try {
      if (isOfUse) await this.#send(row, alert);
      await this.#ports.settle(guildId, playerId, alert);
      this.#doubtful.delete(alert.key);
      return true;
    } catch (error) {
      this.#ports.report("the join of a watched player could not be posted", error);
      if (error instanceof SinkRefusal && error.reason !== "unknown") {
        return await this.#onClosed(row, alert);
      }
      this.#doubtful.add(alert.key);
      return false;
    }
  }

  async #send({ watch }: WatchRow, alert: PendingAlert): Promise<void> {
    const { settings, bindings, sink, renderer, clock } = this.#ports;
    const { watchRoleId } = await settings.of(watch.guildId);
    const binding = (await bindings.list(watch.guildId)).find(({ id }) => id === alert.bindingId);
    const body = renderer.watchAlert({
      watch,
      bindingId: alert.bindingId,
      serverName: binding?.name ?? "",
      player: { name: alert.name, id: watch.playerId },
      joinedAtS: alert.joinedAtS,
      key: alert.key,
      pingRoleId: watchRoleId,
      isLate: clock.nowMs() - alert.sinceMs > LATE_AFTER_MS,
      earlierJoins: alert.earlierJoins ?? 0,
    });
    await postOnce(sink, {
      channelId: alert.channelId,
      nonce: alert.nonce,
      body,
      ...(watchRoleId === undefined ? {} : { pingRoleIds: [watchRoleId] }),
      isDoubtful: this.#doubtful.has(alert.key),
      isIt: (posted) => renderer.alertKeyOf(posted) === alert.key,
    });
    this.#notified.delete(alert.channelId);
  }

  /** The channel takes no message: the guild gets one notice, until a message gets through again. */
  async #onClosed({ watch }: WatchRow, alert: PendingAlert): Promise<boolean> {
    const { notifier, renderer, report } = this.#ports;
    if (!this.#notified.has(alert.channelId)) {
      this.#notified.add(alert.channelId);
      await notifier
        .guild(watch.guildId, renderer.closed("watches", alert.channelId))
        .catch((error: unknown) => report("a guild could not be told that a channel is closed", error));
    }
    return await this.#ports.settle(watch.guildId, watch.playerId, alert).then(
      () => true,
      () => false,
    );
  }
}
