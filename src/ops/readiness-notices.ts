import type { MessageBody } from "../domain/message.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Log } from "../log.ts";
import type { Reason } from "./readiness.ts";

export interface ReadinessNoticeParts {
  readonly bindings: Pick<Bindings, "all">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly log: Log;
  /** Which shard hears of a guild. */
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

/**
 * Tells guilds that lose something: all of them while nothing can be kept, those of a shard while it hears no command.
 * Feeds that stand still tell it themselves, a block and refused keys are told where they are met, and while Discord
 * takes no message nobody can be told. One after the other, so that ten thousand guilds are not a burst at Discord.
 */
export function createReadinessNotices(parts: ReadinessNoticeParts): ReadinessNotices {
  const { bindings, notifier, log, words, shardOf } = parts;
  let turns: Promise<void> = Promise.resolve();

  async function tell(body: MessageBody, shard: number | undefined): Promise<void> {
    const told = new Set<string>();
    for await (const { guildId } of bindings.all()) {
      if (told.has(guildId) || (shard !== undefined && shardOf(guildId) !== shard)) continue;
      told.add(guildId);
      await notifier.guild(guildId, body);
    }
  }

  /** In turn: the end is told after the beginning. */
  function tellOf({ code, shard }: Reason, bodies: { store(): MessageBody; shard(): MessageBody }): void {
    if (code !== "store" && code !== "shard-away") return;
    const body = code === "store" ? bodies.store() : bodies.shard();
    turns = turns
      .then(() => tell(body, shard))
      .catch((err: unknown) => log.error({ err }, "guilds could not be told what they lose"));
  }

  return {
    onBegun: (reason) => tellOf(reason, { store: words.storeStuck, shard: words.shardAway }),
    onEnded: (reason) => tellOf(reason, { store: words.storeBack, shard: words.shardBack }),
  };
}
