import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { PendingAlert, WatchRow } from "./case-store.ts";

/** A join is of use to staff for a day, even where the message comes late. */
const OF_USE_MS = 24 * 60 * 60_000;
/** A message that comes this long after its join was seen says that it is late. */
const LATE_AFTER_MS = 120_000;
/** A ping is of no use any more after this time. */
const PING_OF_USE_MS = 6 * 60 * 60_000;

export interface WatchPostsPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly posts: Posts;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: CaseRenderer;
  readonly clock: Clock;
  /** The watch of a player as it is now; undefined: there is none any more. */
  rowOf(guildId: string, playerId: number): WatchRow | undefined;
  /** An alert stands in its channel, or is given up: it is pending no more. */
  settle(guildId: string, playerId: number, alert: PendingAlert): Promise<void>;
}

/** One alert of a watch. */
interface AlertRef {
  readonly guildId: string;
  readonly playerId: number;
  readonly alert: PendingAlert;
}

/** Posts the alerts that were decided on: each once, those of one watch one after the other, oldest first. */
export class WatchPosts {
  readonly #ports: WatchPostsPorts;
  readonly #line: PostLine<AlertRef>;
  /** Keys of alerts that an earlier process may have posted. */
  readonly #doubtful = new Set<string>();
  readonly #notified = new Set<string>();
  /** Keys of alerts whose words Discord refuses; a restart is refused once more. */
  readonly #withoutWords = new Set<string>();

  constructor(ports: WatchPostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<AlertRef>({
      name: "the join of a watched player",
      classes: { post: "first", edit: "change" },
      keyOf: ({ guildId, alert }) => `${guildId} ${alert.key}`,
      guildOf: ({ guildId }) => guildId,
      wanted: (ref) => this.#wanted(ref),
      isIt: ({ alert }, posted) => ports.renderer.alertKeyOf(posted) === alert.key,
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: async (ref, { reason }) => {
        // What one member wrote, or how a player is called, must not keep the join from staff.
        if (reason === "form" && !this.#withoutWords.has(ref.alert.key)) {
          this.#withoutWords.add(ref.alert.key);
          this.#line.show(ref);
          return "over";
        }
        await this.#tell(ref, reason);
        await this.#end(ref);
        return "over";
      },
    });
  }

  /** An earlier process may have posted it. */
  doubt({ key }: PendingAlert): void {
    this.#doubtful.add(key);
  }

  /** Sees to it that the pending alerts of a watch are posted. Never rejects, and waits for nothing. */
  post(guildId: string, playerId: number): void {
    const alert = this.#ports.rowOf(guildId, playerId)?.alerts?.[0];
    if (alert !== undefined) this.#line.show({ guildId, playerId, alert });
  }

  async #wanted(ref: AlertRef): Promise<WantedPost | undefined> {
    const { rowOf, settings, bindings, renderer, clock } = this.#ports;
    const { guildId, playerId, alert } = ref;
    const row = rowOf(guildId, playerId);
    if (row?.alerts?.[0]?.key !== alert.key) return undefined;
    const ageMs = clock.nowMs() - alert.sinceMs;
    if (ageMs > OF_USE_MS) {
      await this.#end(ref);
      return undefined;
    }
    const { watchRoleId } = await settings.of(guildId);
    const binding = (await bindings.list(guildId)).find(({ id }) => id === alert.bindingId);
    const pingRoleId = ageMs > PING_OF_USE_MS ? undefined : watchRoleId;
    const body = renderer.watchAlert({
      watch: row.watch,
      bindingId: alert.bindingId,
      serverName: binding?.name ?? "",
      player: { name: alert.name, id: playerId },
      joinedAtS: alert.joinedAtS,
      key: alert.key,
      pingRoleId,
      isLate: ageMs > LATE_AFTER_MS,
      earlierJoins: alert.earlierJoins ?? 0,
      isWithoutWords: this.#withoutWords.has(alert.key),
    });
    return {
      channelId: alert.channelId,
      nonce: alert.nonce,
      body,
      pingRoleIds: pingRoleId === undefined ? undefined : [pingRoleId],
      isDoubtful: this.#doubtful.has(alert.key),
      // The game's clock tells when they came, whatever ours said when it was noted.
      sinceMs: Math.min(alert.sinceMs, alert.joinedAtS * 1_000),
    };
  }

  async #onStands(ref: AlertRef, { kind }: Stands): Promise<void> {
    if (kind === "edited") return;
    this.#notified.delete(ref.alert.channelId);
    await this.#end(ref);
  }

  /** It is pending no more, and the next one of its watch follows. */
  async #end(ref: AlertRef): Promise<void> {
    const { guildId, playerId, alert } = ref;
    await this.#ports.settle(guildId, playerId, alert);
    this.#doubtful.delete(alert.key);
    this.#withoutWords.delete(alert.key);
    this.post(guildId, playerId);
  }

  /** The channel takes no message: the guild gets one notice, until a message gets through again. */
  async #tell({ guildId, alert: { channelId } }: AlertRef, reason: SinkRefusalReason): Promise<void> {
    const { notifier, renderer } = this.#ports;
    if (this.#notified.has(channelId)) return;
    this.#notified.add(channelId);
    await notifier.guild(guildId, renderer.closed("watches", channelId, reason));
  }
}
