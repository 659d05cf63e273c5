import { createSetupOffer } from "./discord/connection/setup-offer.ts";
import type { createDiscord } from "./discord/create-discord.ts";
import {
  isPossiblyRepeated,
  lateGiven,
  possiblyRepeated,
  tooManyWaitNotice,
} from "./discord/render/notices.ts";
import type { Bindings } from "./domain/ports/bindings.ts";
import type { CleanStop } from "./domain/ports/clean-stop.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Documents } from "./domain/ports/documents.ts";
import type { Metrics } from "./domain/ports/metrics.ts";
import type { Settings } from "./domain/ports/settings.ts";
import type { TurnWanted } from "./domain/ports/turns.ts";
import { createOutbox } from "./outbox/create-outbox.ts";
import type { OwedNotice } from "./outbox/owed-notice.ts";

export interface OutboxBuildParts {
  readonly discord: ReturnType<typeof createDiscord>;
  readonly notices: Documents<OwedNotice>;
  /** How the process before ended, as to posts. */
  readonly cleanStop: CleanStop;
  readonly settings: Settings;
  readonly bindings: Pick<Bindings, "list">;
  /** Processes that share Discord's limit of requests a second. @default 1 */
  readonly blocks: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  report(what: string, error: unknown): void;
}

/** What the outbox asks of a channel, by Discord's names. */
const REQUEST_OF: Readonly<Record<string, TurnWanted["request"]>> = {
  "POST /channels/:id/messages": "send",
  "PATCH /channels/:id/messages/:id": "edit",
  "GET /channels/:id/messages": "read",
};

/** Builds what posts, and the notices, which every wing gives. */
export function buildOutbox(parts: OutboxBuildParts) {
  const { discord, notices, cleanStop, settings, bindings, blocks, clock, random, metrics, report } = parts;
  const { sink, direct, guildOf } = discord;
  const outbox = createOutbox({
    sink,
    direct,
    guildOf,
    possiblyRepeated,
    isPossiblyRepeated,
    blocks,
    cleanStop,
    clock,
    random,
    metrics,
    report,
  });
  discord.listenToLimits({
    onRefused({ isGlobal, waitMs }) {
      metrics.count("marshal_discord_refusals_total", { kind: isGlobal ? "all-channels" : "one-channel" });
      if (isGlobal) outbox.onTooMany(waitMs);
    },
    onSpent({ method, route, major: channelId }, waitMs) {
      const request = REQUEST_OF[`${method} ${route}`];
      if (request !== undefined) outbox.onChannelSpent({ channelId, request }, waitMs);
    },
  });
  const { guilds } = discord;
  const { posts } = outbox;
  discord.offerSetupBy(createSetupOffer({ settings, bindings, guilds, posts, clock, random, report }));
  const notifier = outbox.notices({
    owed: notices,
    noticeChannelOf: async (guildId) => (await settings.of(guildId)).noticeChannelId,
    linkerOf: async (guildId) => (await bindings.list(guildId))[0]?.linkedBy,
    late: lateGiven,
    tooManyWait: tooManyWaitNotice(),
  });
  return { outbox, notifier };
}
