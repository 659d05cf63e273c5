import type { MessageBody } from "../domain/message.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Log } from "../log.ts";
import { notifyGuilds } from "./notify-guilds.ts";
import type { Reason } from "./readiness.ts";

export interface ReadinessNoticeParts {
  readonly bindings: Pick<Bindings, "linked">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  /** Which shard receives the events of a guild. */
  shardOf(guildId: string): number;
  /** Words for a guild; pure, from discord/render. */
  readonly words: {
    storeStuck(): MessageBody;
    storeBack(): MessageBody;
    shardAway(): MessageBody;
    shardBack(): MessageBody;
  };
}

export interface ReadinessNotices {
  onBegun(reason: Reason): void;
  onEnded(reason: Reason): void;
}

/** A disk that was slow for a moment answers the next check, which comes after ten seconds. */
const LASTS_MS = 12_000;

/**
 * Notifies the guilds that a reason affects: all of them while the store cannot be written for longer than a moment, those of a shard while it
 * receives no commands. Other reasons need no notice here: feeds that stand still, a block and refused keys are
 * announced where they occur, and while Discord takes no messages no notice would arrive.
 */
export function createReadinessNotices(parts: ReadinessNoticeParts): ReadinessNotices {
  const { bindings, notifier, clock, log, words, shardOf } = parts;
  let latest: Promise<void> = Promise.resolve();

  /** Notices follow each other, so that the end is announced after the beginning. */
  function announce({ code, shard }: Reason, bodies: { store(): MessageBody; shard(): MessageBody }): void {
    if (code !== "store" && code !== "shard-away") return;

    const body = code === "store" ? bodies.store() : bodies.shard();
    const concerns = (guildId: string) => shard === undefined || shardOf(guildId) === shard;
    latest = latest
      .then(() => notifyGuilds({ bindings, notifier, body, concerns }))
      .catch((err: unknown) => log.error({ err }, "could not tell guilds what has stopped"));
  }

  const begin = (reason: Reason) => announce(reason, { store: words.storeStuck, shard: words.shardAway });
  /** Ends the wait of a store's trouble that nobody was told of yet. */
  let untold: (() => void) | undefined;

  return {
    onBegun(reason) {
      if (reason.code !== "store") return begin(reason);
      untold = clock.after(LASTS_MS, () => {
        untold = undefined;
        begin(reason);
      });
    },
    onEnded(reason) {
      const isUntold = reason.code === "store" && untold !== undefined;
      if (!isUntold) return announce(reason, { store: words.storeBack, shard: words.shardBack });
      untold?.();
      untold = undefined;
    },
  };
}
